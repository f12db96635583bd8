"""Execution module `x509`: certificates, requests, lists of revoked certificates and keys of the target.

What is public is read here, by the library `cryptography`. Private keys are made and looked at by the
target's own `openssl`, so that none leaves it but those that a function returns. Requests and certificates
are made by the states of `x509`.

Source: Salt's execution module `x509` (`x509_v2`), 3008: names, arguments and what they return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.modules.x509.dates import expired, expires, will_expire
from ensue.modules.x509.keys import (
    create_private_key,
    get_private_key_size,
    get_public_key,
    verify_crl,
    verify_private_key,
    verify_signature,
)
from ensue.modules.x509.pem import get_pem_entries, get_pem_entry, write_pem
from ensue.modules.x509.reading import read_certificate, read_certificates, read_crl, read_csr

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "create_private_key": create_private_key,
    "expired": expired,
    "expires": expires,
    "get_pem_entries": get_pem_entries,
    "get_pem_entry": get_pem_entry,
    "get_private_key_size": get_private_key_size,
    "get_public_key": get_public_key,
    "read_certificate": read_certificate,
    "read_certificates": read_certificates,
    "read_crl": read_crl,
    "read_csr": read_csr,
    "verify_crl": verify_crl,
    "verify_private_key": verify_private_key,
    "verify_signature": verify_signature,
    "will_expire": will_expire,
    "write_pem": write_pem,
}
