"""Execution module `tls` with a real openssl."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12
from tests.library.states.system_states import context, execute

from ensue.core.errors import StateFailedError

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="needs openssl: apt-get install openssl"
)
FUNCTION = "tls.create_self_signed_cert"


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


@pytest.fixture
def authority(tmp_path: Path) -> str:
    """An authority `ours`, and the folder below which it is."""
    given = {"CN": "ca", "cacert_path": str(tmp_path), "emailAddress": "ca@example.com"}
    planned = execute("tls.create_ca", context(test=True), "ours", **given)
    assert (planned.startswith("Would create"), [*tmp_path.iterdir()]) == (True, [])
    assert execute("tls.create_ca", context(), "ours", onlyif=False, **given) is None
    assert execute("tls.create_ca", context(), "ours", unless=True, **given) is None
    assert execute("tls.ca_exists", context(), "ours", str(tmp_path)) is False
    base = f"{tmp_path}/ours/ours_ca_cert"
    assert execute("tls.create_ca", context(), "ours", **given) == (
        f'Created Private Key: "{base}.key" Created CA "ours": "{base}.crt"'
    )
    assert execute("tls.create_ca", context(), "ours", **given) == (
        'Certificate for CA named "ours" already exists'
    )
    return str(tmp_path)


def certify(folder: str, name: str, **more: Any) -> None:
    given = {"CN": name, "cacert_path": folder, **more}
    base = f"{folder}/ours/certs/{name}"
    assert execute("tls.create_csr", context(), "ours", **given) == (
        f'Created Private Key: "{base}.key" Created CSR for "{name}": "{base}.csr"'
    )
    assert execute("tls.create_ca_signed_cert", context(), "ours", name, cacert_path=folder) == (
        f'Created Certificate for "{name}": "{base}.crt"'
    )


def test_an_authority_signs_what_is_asked_for(authority: str) -> None:
    """A certificate has the extensions of its request; OpenSSL verifies it; nothing is made twice."""
    certify(authority, "www", subjectAltName=["DNS:www.example", "IP:127.0.0.1"])
    ca = execute("tls.get_ca", context(), "ours", cacert_path=authority)
    own = execute("tls.get_ca_signed_cert", context(), "ours", "www", cacert_path=authority)
    subprocess.run(["openssl", "verify", "-CAfile", ca, own], check=True, capture_output=True)
    info = execute("tls.cert_info", context(), own)
    assert info["subject"] == {
        "C": "US", "ST": "Utah", "L": "Salt Lake City", "O": "SaltStack", "CN": "www",
    }  # fmt: skip
    assert info["issuer"]["emailAddress"] == "ca@example.com"
    assert info["extensions"] == {
        "basicConstraints": "CA:FALSE", "extendedKeyUsage": "TLS Web Server Authentication",
        "keyUsage": "Digital Signature, Key Encipherment",
        "subjectAltName": "DNS:www.example, IP Address:127.0.0.1",
    }  # fmt: skip
    assert info["subject_alt_names"] == ["www.example", "127.0.0.1"]
    assert (info["signature_algorithm"], info["not_after"] - info["not_before"]) == (
        "sha256WithRSAEncryption", 365 * 24 * 3600,
    )  # fmt: skip
    assert execute("tls.get_expiration_date", context(), own, "%Y") >= "2027"
    about = {"cacert_path": authority}
    assert execute("tls.create_csr", context(), "ours", CN="www", **about).endswith("already exists")
    assert execute("tls.create_ca_signed_cert", context(), "ours", "www", **about) == (
        'Certificate "www" already exists'
    )
    missing = execute("tls.create_csr", context(), "theirs", **about)
    assert missing == 'Certificate for CA named "theirs" does not exist, please create it first.'
    for ca_name, name, why in (
        ("theirs", "x", 'There is no CA named "theirs"'),
        ("ours", "x", 'There is no CSR that matches the CN "x"'),
    ):  # fmt: skip
        refused = execute("tls.create_ca_signed_cert", context(), ca_name, name, **about)
        assert refused == {"retcode": 1, "comment": why}
    with pytest.raises(StateFailedError, match="Certificate does not exist for theirs"):
        execute("tls.get_ca", context(), "theirs", **about)


def test_a_key_that_is_there_is_kept(authority: str) -> None:
    """One that cannot be read is moved aside; a type has its own extensions, from pillar as well."""
    about = {"cacert_path": authority}
    path = execute("tls.get_ca", context(), "ours", **about)
    public = execute("x509.get_public_key", context(), path)
    execute("tls.create_ca", context(), "ours", CN="ca", replace=True, **about)
    assert execute("x509.get_public_key", context(), path) == public
    Path(path.replace(".crt", ".key")).write_text("no key", encoding="utf-8")
    execute("tls.create_ca", context(), "ours", CN="ca", fixmode=True, **about)
    assert execute("x509.get_public_key", context(), path) != public
    assert execute("tls.maybe_fix_ssl_version", context(), "ours", **about) is None
    client = execute("tls.get_extensions", context(), "client")
    assert client["csr"]["extendedKeyUsage"] == "clientAuth"
    ctx = context()
    ctx.pillar = {"tls.extensions": {"mine": {"csr": {"keyUsage": "keyAgreement"}}}}
    assert execute("tls.get_extensions", ctx, "mine")["csr"] == {
        "basicConstraints": "CA:FALSE", "keyUsage": "keyAgreement",
    }  # fmt: skip
    text = execute("tls.get_ca", ctx, "ours", as_text=True, **about)
    assert text.startswith("-----BEGIN CERTIFICATE")


def test_a_certificate_is_revoked_once(authority: str) -> None:
    """It is valid before; afterwards index and list say that it is not, and another one stays valid."""
    certify(authority, "a")
    certify(authority, "b")
    about = {"cacert_path": authority}
    first, second = (execute("tls.get_ca_signed_cert", context(), "ours", each, **about) for each in "ab")
    crl = f"{authority}/ours/crl.pem"
    assert execute("tls.create_empty_crl", context(), "ours", **about) == f'Created an empty CRL: "{crl}"'
    assert execute("tls.create_empty_crl", context(), "ours", **about) == f'CRL "{crl}" already exists'
    for place in (crl, None):
        assert execute("tls.validate", context(), first, "ours", place, **about) == {"valid": True}
    done = execute("tls.revoke_cert", context(), "ours", "a", **about)
    assert done.startswith(f'Revoked Certificate: "{first}", serial number: ')
    assert "already revoked" in execute("tls.revoke_cert", context(), "ours", "a", **about)
    for place in (crl, None):
        assert execute("tls.validate", context(), first, "ours", place, **about) == {
            "valid": False, "error": "certificate revoked",
        }  # fmt: skip
        assert execute("tls.validate", context(), second, "ours", place, **about) == {"valid": True}
    ca = execute("tls.get_ca", context(), "ours", **about)
    command = ["openssl", "verify", "-crl_check", "-CRLfile", crl, "-CAfile", ca]
    assert subprocess.run([*command, second], check=False, capture_output=True).returncode == 0
    assert subprocess.run([*command, first], check=False, capture_output=True).returncode != 0
    execute(FUNCTION, context(), "x", CN="self", **about)
    alien = execute("tls.get_ca_signed_cert", context(), "x", "self", **about)
    assert execute("tls.validate", context(), alien, "ours", None, **about)["valid"] is False


def test_a_container_holds_key_and_certificates(authority: str) -> None:
    """Nobody else may read it; its passphrase and a key that is returned are masked."""
    certify(authority, "a", bits=2048)
    about = {"cacert_path": authority}
    ctx = context()
    path = f"{authority}/ours/certs/a.p12"
    assert execute("tls.create_pkcs12", ctx, "ours", "a", "hunter2x", **about) == (
        f'Created PKCS#12 Certificate for "a": "{path}"'
    )
    loaded = pkcs12.load_pkcs12(Path(path).read_bytes(), b"hunter2x")
    assert loaded.cert is not None
    assert (loaded.cert.friendly_name, len(loaded.additional_certs)) == (b"a", 1)
    assert execute("tls.create_pkcs12", ctx, "ours", "a", **about) == 'Certificate "a" already exists'
    assert execute("tls.create_pkcs12", ctx, "ours", "b", **about) == (
        'There is no certificate that matches the CN "b"'
    )
    assert execute("tls.create_pkcs12", ctx, "theirs", "b", **about) == 'There is no CA named "theirs"'
    key = execute("tls.get_ca_signed_key", ctx, "ours", "a", as_text=True, **about)
    assert ctx.masker.text("hunter2x") == "(sensitive)"
    assert key.splitlines()[1] not in ctx.masker.text(key)
