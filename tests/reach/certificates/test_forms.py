"""The format of a file, by its first bytes, for each kind of file that openssl itself writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.reach.certificates.target import SECRET, done, needs_openssl, openssl, target

from ensue.reach.certificates.forms import Form, form_of, form_of_head

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_openssl


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a file of each kind."""
    folder = tmp_path_factory.mktemp("forms")

    def made(*words: str) -> None:
        openssl(*(word.replace("@", f"{folder}/") for word in words))

    made("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "@rsa.pem", "-out", "@own.pem", "-subj",
         "/CN=a")  # fmt: skip
    made("genpkey", "-algorithm", "ed25519", "-out", "@ed25519.pem")
    made("ecparam", "-name", "prime256v1", "-genkey", "-out", "@ec.pem")
    for algo in ("rsa", "ed25519", "ec"):
        made("pkey", "-in", f"@{algo}.pem", "-outform", "DER", "-out", f"@{algo}.der")
        made("pkey", "-in", f"@{algo}.pem", "-pubout", "-outform", "DER", "-out", f"@{algo}.public")
        made("pkcs8", "-topk8", "-in", f"@{algo}.pem", "-outform", "DER", "-out", f"@{algo}.encrypted",
             "-passout", f"pass:{SECRET}")  # fmt: skip
        made("pkcs12", "-export", "-nocerts", "-inkey", f"@{algo}.pem", "-out", f"@{algo}.p12", "-passout",
             "pass:x")  # fmt: skip
    made("pkey", "-in", "@rsa.pem", "-traditional", "-outform", "DER", "-out", "@rsa.traditional")
    made("pkey", "-in", "@ec.pem", "-traditional", "-outform", "DER", "-out", "@ec.traditional")
    made("x509", "-in", "@own.pem", "-outform", "DER", "-out", "@own.der")
    made("req", "-new", "-key", "@rsa.pem", "-subj", "/CN=a", "-outform", "DER", "-out", "@request.der")
    made(
        "pkcs12", "-export", "-in", "@own.pem", "-inkey", "@rsa.pem", "-out", "@own.p12", "-passout", "pass:"
    )
    for form in ("PEM", "DER"):
        made("crl2pkcs7", "-nocrl", "-certfile", "@own.pem", "-outform", form, "-out", f"@own.{form}.p7")
    made("x509", "-in", "@own.pem", "-text", "-out", "@text")
    (folder / "empty").touch()
    (folder / "short").write_bytes(b"0\x03\x02")
    (folder / "blank").write_bytes(b"\n\n\n\n\n\n\n\n")
    (folder / "noise").write_bytes(b"\xff\x00noise")
    return folder


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((f"{algo}.pem", Form.PEM) for algo in ("rsa", "ed25519", "ec")),
        *((f"{algo}.der", Form.KEY) for algo in ("rsa", "ed25519", "ec")),
        *((f"{algo}.public", Form.DER) for algo in ("rsa", "ed25519", "ec")),
        *((f"{algo}.encrypted", Form.DER) for algo in ("rsa", "ed25519", "ec")),
        *((f"{algo}.p12", Form.PKCS12) for algo in ("rsa", "ed25519", "ec")),
        ("rsa.traditional", Form.KEY),
        ("ec.traditional", Form.KEY),
        ("own.pem", Form.PEM),
        ("own.der", Form.DER),
        ("request.der", Form.DER),
        ("own.p12", Form.PKCS12),
        ("own.PEM.p7", Form.PEM),
        ("own.DER.p7", Form.PKCS7),
        ("text", Form.PEM),
        ("empty", Form.OTHER),
        ("short", Form.PEM),
        ("blank", Form.OTHER),
        ("noise", Form.OTHER),
        ("absent", Form.OTHER),
    ],
)
def test_the_first_bytes_tell_the_format(folder: Path, name: str, expected: Form) -> None:
    """Seven of them are as good as the whole content, and all that leaves the target."""
    path = folder / name
    assert done(form_of(target(), str(path))) is expected
    assert form_of_head(path.read_bytes() if path.exists() else b"") is expected
