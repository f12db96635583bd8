"""State module `x509`: private keys, requests, certificates, revocation lists and PEM files of the target.

The target's `openssl` creates and uses private keys, so that they never leave the target. The library
`cryptography` reads public data on the managing minion. Certificates that another minion signs (`ca_server`)
are not supported.

Source: Salt's state module `x509` (`x509_v2`), 3008: arguments, results, changes and comments; openssl(1).
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.states.x509.certificate import certificate_managed
from ensue.library.states.x509.crl import crl_managed
from ensue.library.states.x509.pem import pem_managed
from ensue.library.states.x509.private_key import private_key_managed
from ensue.library.states.x509.request import csr_managed

FUNCTIONS: Final = by_name(
    certificate_managed, crl_managed, csr_managed, pem_managed, private_key_managed, make_only=("name",)
)
