"""Execution module `tls` with a real openssl."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from tests.states.system_states import context, execute

if TYPE_CHECKING:
    from pathlib import Path


FUNCTION = "tls.create_self_signed_cert"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl: apt-get install openssl")
def test_a_certificate_that_signs_itself_is_made_once(tmp_path: Path) -> None:
    """With what a name may hold; the key is for its owner alone, and a plan makes nothing."""
    given = {"CN": "www.example.com", "O": "us / them + others", "bits": 2048, "cacert_path": str(tmp_path)}
    planned = execute(FUNCTION, context(test=True), **given)
    assert (planned.startswith("Would create"), [*tmp_path.iterdir()]) == (True, [])
    done = execute(FUNCTION, context(), **given)
    base = tmp_path / "tls" / "certs" / "www.example.com"
    assert done == f'Created Private Key: "{base}.key" Created Certificate: "{base}.crt"'
    assert (base.parent / "www.example.com.key").stat().st_mode & 0o777 == 0o600
    made = x509.load_pem_x509_certificate((base.parent / "www.example.com.crt").read_bytes())
    assert (
        made.subject.rfc4514_string()
        == "CN=www.example.com,O=us / them \\+ others,L=Salt Lake City,ST=Utah,C=US"
    )
    again = execute(FUNCTION, context(), **given)
    assert again == 'Certificate "www.example.com" already exists'
