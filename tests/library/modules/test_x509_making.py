"""Execution module `x509` with a real openssl: making and encoding keys, certificates, requests and lists."""

from __future__ import annotations

import base64
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_der_private_key, pkcs12
from tests.library.states.system_states import context, execute

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="needs openssl: apt-get install openssl"
)


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = str(tmp_path / "a.key")
    assert execute("x509.create_private_key", context(), algo="ec", passphrase="hunter22", path=path) == (
        f"PEM written to {path}"
    )
    return path


def signing(key: str) -> dict[str, Any]:
    return {"signing_private_key": key, "signing_private_key_passphrase": "hunter22"}


def test_a_certificate_is_returned_or_written(tmp_path: Path, key: str) -> None:
    """In each encoding, with a copy; a file that is there is left alone where it should be."""
    ctx = context()
    made = execute("x509.create_certificate", ctx, CN="a", copypath=str(tmp_path), prepend_cn=True,
                   **signing(key))  # fmt: skip
    certificate = x509.load_pem_x509_certificate(made.encode())
    (copy,) = tmp_path.glob("a-*.crt")
    assert (copy.read_text(), copy.stem) == (made, f"a-{certificate.serial_number:x}")
    path = tmp_path / "a.der"
    given = {"CN": "b", "path": str(path), "encoding": "der", **signing(key)}
    assert execute("x509.create_certificate", context(test=True), **given) == f"Certificate written to {path}"
    assert not path.exists()
    assert execute("x509.create_certificate", ctx, **given) == f"Certificate written to {path}"
    assert x509.load_der_x509_certificate(path.read_bytes()).subject.rfc4514_string() == "CN=b"
    assert execute("x509.create_certificate", ctx, overwrite=False, **given) == (
        f"The file at {path} exists and overwrite was set to false"
    )
    pem = tmp_path / "a.pem"
    assert execute("x509.create_certificate", ctx, CN="c", path=str(pem), **signing(key)) == (
        f"PEM written to {pem}"
    )
    assert execute("x509.expires", ctx, str(pem), 300) is False
    container = execute("x509.create_certificate", ctx, CN="c", encoding="pkcs12", **signing(key),
                        pkcs12_passphrase="s3cret pass", pkcs12_friendlyname="n")  # fmt: skip
    assert pkcs12.load_pkcs12(base64.b64decode(container), b"s3cret pass").key is not None
    assert container not in ctx.masker.text(container)
    for wrong, why in (
        ({"encoding": "jks"}, "Invalid value 'jks'"), ({"ca_server": "x"}, "no other minion"),
        ({"encoding": "der", "append_certs": str(pem)}, "chain in DER"),
        ({"digest": "md5"}, "Invalid value 'md5'"),
    ):  # fmt: skip
        with pytest.raises(StateFailedError, match=why):
            execute("x509.create_certificate", ctx, CN="a", **signing(key), **wrong)


def test_requests_and_lists_are_made_and_encoded(tmp_path: Path, key: str) -> None:
    """Both as text and as base64 of what is not text."""
    ctx = context()
    request = execute("x509.create_csr", ctx, key, "hunter22", CN="a", subjectAltName="DNS:a.example")
    assert execute("x509.read_csr", ctx, request)["extensions"]["subjectAltName"]["value"] == [
        "DNS:a.example"
    ]
    der = execute("x509.encode_csr", ctx, request, "der")
    assert x509.load_der_x509_csr(base64.b64decode(der)).subject.rfc4514_string() == "CN=a"
    path = str(tmp_path / "a.csr")
    assert execute("x509.create_csr", ctx, key, "hunter22", CN="a", path=path) == f"PEM written to {path}"
    authority = str(tmp_path / "a.crt")
    execute(
        "x509.create_certificate", ctx, CN="ca", path=authority, basicConstraints="CA:true", **signing(key)
    )
    revoked = [{"certificate": authority}, {"serial_number": "0A"}]
    made = execute("x509.create_crl", ctx, revoked=revoked, signing_cert=authority,
                   extensions={"cRLNumber": 7}, **signing(key))  # fmt: skip
    crl = execute("x509.read_crl", ctx, made)
    assert (len(crl["revoked_certificates"]), crl["extensions"]["cRLNumber"]["value"]) == (2, 7)
    der = execute("x509.encode_crl", ctx, made, "der")
    assert x509.load_der_x509_crl(base64.b64decode(der)).issuer.rfc4514_string() == "CN=ca"
    chain = execute("x509.encode_certificate", ctx, authority, "pkcs7_pem", append_certs=[authority])
    assert chain.startswith("-----BEGIN PKCS7")
    assert execute("x509.read_certificate", ctx, chain)["subject"] == {"CN": "ca"}


def test_a_private_key_in_other_encodings_is_masked(tmp_path: Path, key: str) -> None:
    """The passphrase of the file and that of the answer are two."""
    ctx = context()
    der = execute("x509.encode_private_key", ctx, key, "der", passphrase="other-1",
                  private_key_passphrase="hunter22")  # fmt: skip
    loaded = load_der_private_key(base64.b64decode(der), b"other-1")
    assert der not in ctx.masker.text(f"{der} hunter22 other-1")
    made = execute("x509.create_private_key", ctx, algo="ed25519", encoding="pkcs12", passphrase="other-1")
    assert pkcs12.load_pkcs12(base64.b64decode(made), b"other-1").key is not None
    path = str(tmp_path / "b.key")
    assert execute("x509.create_private_key", ctx, algo="ec", encoding="der", path=path) is None
    assert execute("x509.get_private_key_size", ctx, path) == 256
    assert execute("x509.verify_private_key", ctx, key, execute("x509.get_public_key", ctx, key, "hunter22"),
                   passphrase="hunter22")  # fmt: skip
    assert loaded.public_key() != load_der_private_key((tmp_path / "b.key").read_bytes(), None).public_key()


def test_a_policy_fixes_arguments(key: str) -> None:
    """It is read by its name; its parts of the name replace a whole subject, a mapping adds to it."""
    ctx = context()
    policies: Any = {
        "parts": [{"minions": "*"}, {"X509v3 Key Usage": "cRLSign"}, {"O": "us"}],
        "whole": {"subject": {"O": "us"}, **signing(key)},
    }
    ctx.pillar = {"x509_signing_policies": policies}
    assert execute("x509.get_signing_policy", ctx, "parts") == {
        "minions": "*",
        "keyUsage": "cRLSign",
        "O": "us",
    }

    def subject(policy: str, subject: Any) -> str:
        given = {**signing(key), "signing_policy": policy, "subject": subject}
        made = execute("x509.create_certificate", ctx, **given)
        return str(execute("x509.read_certificate", ctx, made)["subject_str"])

    assert subject("parts", "CN=a,O=them") == "O=us"
    assert subject("whole", {"CN": "a", "O": "them"}) == "CN=a,O=us"
    with pytest.raises(StateFailedError, match="has no policy nosuch"):
        execute("x509.get_signing_policy", ctx, "nosuch")
