"""Execution module `tls`: certificate authorities in folders of the target, and their certificates.

The target's `openssl` makes the keys and signs with them; they never leave the target. Salt's `set_ca_path`,
which has an effect on later calls, is left out: each function takes `cacert_path`.

Args:
    ca_name: the authority.
    bits: the size of the RSA key.
    days: how long the certificate is valid.
    CN: the common name.
    C: the country.
    ST: the state.
    L: the locality.
    O: the organization.
    OU: the organizational unit.
    emailAddress: the email address.
    cacert_path: a folder to use instead of `cert_base_path`.
    ca_filename: the name of the authority's files, without `.crt` and `.key`.
    digest: the hash algorithm of the signature.
    cert: its path, or PEM.

Source: Salt's execution module `tls`, 3008: arguments, paths and messages.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.tls.authorities import ca_exists, create_ca, get_ca, maybe_fix_ssl_version
from ensue.library.modules.tls.certificates import (
    create_ca_signed_cert,
    create_pkcs12,
    create_self_signed_cert,
    get_ca_signed_cert,
    get_ca_signed_key,
)
from ensue.library.modules.tls.places import cert_base_path
from ensue.library.modules.tls.reading import cert_info, get_expiration_date, validate
from ensue.library.modules.tls.requests import create_csr, get_extensions
from ensue.library.modules.tls.revoking import create_empty_crl, revoke_cert

FUNCTIONS: Final = by_name(
    ca_exists, cert_base_path, cert_info, create_ca, create_ca_signed_cert, create_csr,
    create_empty_crl, create_pkcs12, create_self_signed_cert, get_ca, get_ca_signed_cert,
    get_ca_signed_key, get_expiration_date, get_extensions, maybe_fix_ssl_version, revoke_cert,
    validate,
)  # fmt: skip
