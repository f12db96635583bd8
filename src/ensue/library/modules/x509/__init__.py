"""Execution module `x509`: certificates, signing requests, revocation lists and keys of the target.

Public data is parsed here, with the library `cryptography`. The target's `openssl` creates and uses private
keys, so none leaves the target except those that a function returns. Signing by another minion (`ca_server`,
`sign_remote_certificate`) is left out.

Args:
    certificate: its path, or PEM.
    encoding: `pem` or `der`.
    private_key: its path, or PEM.
    crl: its path, or PEM.

Source: Salt's execution module `x509` (`x509_v2`), 3008: names, arguments and return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.x509.dates import expired, expires, will_expire
from ensue.library.modules.x509.encoding import encode_certificate, encode_crl, encode_csr, encode_private_key
from ensue.library.modules.x509.keys import (
    get_private_key_size,
    get_public_key,
    verify_crl,
    verify_private_key,
    verify_signature,
)
from ensue.library.modules.x509.making import (
    create_certificate,
    create_crl,
    create_csr,
    create_private_key,
    get_signing_policy,
)
from ensue.library.modules.x509.pem import get_pem_entries, get_pem_entry, write_pem
from ensue.library.modules.x509.reading import read_certificate, read_certificates, read_crl, read_csr

FUNCTIONS: Final = by_name(
    create_certificate, create_crl, create_csr, create_private_key, encode_certificate, encode_crl,
    encode_csr, encode_private_key, expired, expires, get_pem_entries, get_pem_entry,
    get_private_key_size, get_public_key, get_signing_policy, read_certificate, read_certificates,
    read_crl, read_csr, verify_crl, verify_private_key, verify_signature, will_expire, write_pem,
)  # fmt: skip
