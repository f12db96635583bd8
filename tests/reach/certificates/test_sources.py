"""Certificates, requests, lists and keys from a path of the target, PEM, hexadecimal and base64."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from tests.reach.certificates.target import (
    SECRET,
    done,
    key_at,
    needs_openssl,
    openssl,
    programs_without_openssl,
    target,
)

from ensue.core.errors import RemoteFileError, StateFailedError
from ensue.reach.certificates.containers import Packing, packed
from ensue.reach.certificates.encodings import encoded
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.public import loaded_public
from ensue.reach.certificates.sources import (
    bytes_of,
    certificate_of,
    public_key_of,
    request_of,
    revocations_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.reach.certificates.conftest import Authority

pytestmark = needs_openssl


def texts(data: bytes) -> list[str]:
    """Return the forms in which bytes may be given in place of a path."""
    return [
        data.hex(),
        data.hex(" "),
        base64.b64encode(data).decode(),
        f"b64:{base64.b64encode(data).decode()}",
    ]


def test_a_source_has_its_bytes(tmp_path: Path) -> None:
    """Those of a file, of PEM as it is, of hexadecimal and of base64."""
    (tmp_path / "a").write_bytes(b"\xff\x00")
    assert done(bytes_of(target(), str(tmp_path / "a"))) == b"\xff\x00"
    assert done(bytes_of(target(), "text\n-----BEGIN X")) == b"text\n-----BEGIN X"
    for text in ("ff00", "FF 00", "/wA=", "b64:/wA="):
        if not text.startswith("/"):
            assert done(bytes_of(target(), text)) == b"\xff\x00"


@pytest.mark.parametrize("source", ["a.crt", "abc", "b64:!", "Ä", "b64:Ä", "\x00"])
def test_a_source_that_is_none_is_refused(source: str) -> None:
    """A path that is not absolute, and text that is no encoding of bytes, whatever is in it."""
    with pytest.raises(
        StateFailedError, match="Could not load provided source: it is not a path of the target"
    ):
        done(bytes_of(target(), source))


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """The connection names it."""
    with pytest.raises(RemoteFileError, match=r"absent"):
        done(bytes_of(target(), str(tmp_path / "absent")))


def test_a_private_key_that_is_read_is_masked(tmp_path: Path) -> None:
    """Whatever else the file has."""
    key = key_at(tmp_path / "a.key")
    ctx = target()
    text = done(bytes_of(ctx, key.path)).decode()
    assert ctx.masker.text(text) == "(sensitive)"


def test_a_certificate_from_each_source(tmp_path: Path, authority: Authority) -> None:
    """In each encoding, in a file and, except for a container, as text; of a chain it is the first."""
    own, _ = authority.issued("own")
    for encoding, chain in (
        ("pem", [authority.certificate]),
        ("der", []),
        ("pkcs7_pem", []),
        ("pkcs7_der", []),
    ):
        data = encoded(own, chain, encoding)
        (tmp_path / "a").write_bytes(data)
        sources = [data.decode()] if encoding.endswith("pem") else texts(data)
        for source in (str(tmp_path / "a"), *sources):
            assert done(certificate_of(target(), source)) == own
    key = TargetKey(path=str(authority.folder / "own.key"))
    (tmp_path / "a").write_bytes(done(packed(target(), [own], key, Packing(passphrase=SECRET))))
    assert done(certificate_of(target(), str(tmp_path / "a"), SECRET)) == own
    with pytest.raises(StateFailedError, match=r"/a cannot be opened with this passphrase"):
        done(certificate_of(target(), str(tmp_path / "a"), "wrong"))


def test_a_request_from_each_source(tmp_path: Path) -> None:
    """PEM and DER, in a file and as text."""
    key = key_at(tmp_path / "a.key")
    openssl("req", "-new", "-key", key.path, "-subj", "/CN=a", "-out", tmp_path / "pem")
    openssl("req", "-in", tmp_path / "pem", "-outform", "DER", "-out", tmp_path / "der")
    sources = [str(tmp_path / "pem"), str(tmp_path / "der"), (tmp_path / "pem").read_text()]
    for source in sources + texts((tmp_path / "der").read_bytes()):
        assert done(request_of(target(), source)).subject.rfc4514_string() == "CN=a"
        assert done(public_key_of(target(), source)) == openssl("pkey", "-in", key.path, "-pubout")


def test_a_revocation_list_from_each_source(tmp_path: Path, authority: Authority) -> None:
    """PEM and DER, in a file and as text."""
    (tmp_path / "index").touch()
    (tmp_path / "config").write_text(f"[ca]\ndefault_ca=a\n[a]\ndatabase={tmp_path}/index\n")
    signing = ("-cert", authority.path, "-keyfile", authority.key.path, "-passin", "stdin", "-md", "sha256")
    openssl("ca", "-gencrl", "-config", tmp_path / "config", *signing, "-crldays", "1", "-out",
            tmp_path / "pem", stdin=SECRET.encode())  # fmt: skip
    openssl("crl", "-in", tmp_path / "pem", "-outform", "DER", "-out", tmp_path / "der")
    sources = [str(tmp_path / "pem"), str(tmp_path / "der"), (tmp_path / "pem").read_text()]
    for source in sources + texts((tmp_path / "der").read_bytes()):
        assert done(revocations_of(target(), source)).issuer.rfc4514_string() == "CN=ca"


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"text", b"-----BEGIN X-----\nAAAA\n"])
def test_content_of_another_kind_is_an_error(tmp_path: Path, content: bytes) -> None:
    """Each function names the file, or that it was given as text."""
    path = tmp_path / "a"
    path.write_bytes(content)
    for function in (certificate_of, request_of, revocations_of):
        with pytest.raises(StateFailedError, match=r"/a cannot be read: "):
            done(function(target(), str(path)))  # type: ignore[operator] # one result or another
        with pytest.raises(StateFailedError, match=r"the given text cannot be read: "):
            done(function(target(), content.hex()))  # type: ignore[operator] # one result or another
    with pytest.raises(StateFailedError, match=r"/a (cannot be read|contains no readable key)"):
        done(public_key_of(target(), str(path)))


@pytest.mark.parametrize("passphrase", [None, SECRET])
@pytest.mark.parametrize("encoding", ["pem", "der", "pkcs12"])
def test_the_public_part_of_a_private_key(tmp_path: Path, encoding: str, passphrase: str | None) -> None:
    """The key stays on the target: nothing of it is read."""
    key = key_at(tmp_path / "a.key", passphrase=passphrase, encoding=encoding)
    ctx = target()
    read: list[str] = []
    ctx.connection.read = read.append  # type: ignore[assignment, method-assign] # it must not be called
    public = done(public_key_of(ctx, key.path, passphrase))
    assert openssl("pkey", "-pubin", "-noout", stdin=public.encode()) == ""
    assert read == []


def test_a_private_key_after_something_else_stays_on_the_target(tmp_path: Path, authority: Authority) -> None:
    """After the parameters of its curve, as openssl writes it, and after its certificate."""
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-out", tmp_path / "a.key")
    assert (tmp_path / "a.key").read_text().startswith("-----BEGIN EC PARAMETERS-----")
    _, path = authority.issued("own")
    both = tmp_path / "both.pem"
    both.write_bytes(path.read_bytes() + (authority.folder / "own.key").read_bytes())
    for each in (tmp_path / "a.key", both):
        ctx = target()
        read: list[str] = []
        ctx.connection.read = read.append  # type: ignore[assignment, method-assign] # it must not be called
        assert done(public_key_of(ctx, str(each))) == openssl("pkey", "-in", each, "-pubout")
        assert read == []


def test_the_key_of_each_other_source(tmp_path: Path, authority: Authority) -> None:
    """A public key, a certificate and a private key that is given as text, which is masked."""
    public = openssl("pkey", "-in", authority.key.path, "-pubout", "-passin", "stdin", stdin=SECRET.encode())
    (tmp_path / "pem").write_text(public)
    der = tmp_path / "der"
    openssl("pkey", "-pubin", "-in", tmp_path / "pem", "-outform", "DER", "-out", der)
    certificate = encoded(authority.certificate, (), "der")
    for source in (
        public, str(tmp_path / "pem"), str(der), *texts(der.read_bytes()), str(authority.path),
        authority.path.read_text(), *texts(certificate),
    ):  # fmt: skip
        assert done(public_key_of(target(), source)) == public
    (tmp_path / "certificate.der").write_bytes(certificate)
    assert done(public_key_of(target(), str(tmp_path / "certificate.der"))) == public
    ctx = target()
    private = (authority.folder / "ca.key").read_text()
    assert done(public_key_of(ctx, private, SECRET)) == public
    assert ctx.masker.text(f"{private}{SECRET}") == "(sensitive)(sensitive)"
    plain = openssl("pkey", "-in", authority.key.path, "-passin", "stdin", stdin=SECRET.encode())
    assert done(public_key_of(target(), plain)) == public


def test_a_key_that_cannot_be_read_is_an_error(tmp_path: Path, authority: Authority) -> None:
    """A wrong or missing passphrase, in a file and as text; malformed PEM of a public key."""
    private = (authority.folder / "ca.key").read_text()
    for passphrase in ("wrong", None):
        with pytest.raises(StateFailedError, match=r"/ca\.key cannot be read with this passphrase"):
            done(public_key_of(target(), authority.key.path, passphrase))
        with pytest.raises(StateFailedError, match="the private key cannot be read: "):
            done(public_key_of(target(), private, passphrase))
    bad = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
    with pytest.raises(StateFailedError, match="the public key cannot be read: "):
        loaded_public(bad)
    (tmp_path / "a").write_text(bad)
    for source in (bad, str(tmp_path / "a")):
        with pytest.raises(StateFailedError, match="the public key cannot be read: "):
            done(public_key_of(target(), source))


def test_a_public_key_that_the_library_does_not_know_is_an_error(tmp_path: Path) -> None:
    """One on a curve that only openssl has, alone, in a request and in a certificate."""
    key, request, certificate = tmp_path / "a.key", tmp_path / "a.csr", tmp_path / "a.crt"
    openssl(
        "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:wap-wsg-idm-ecid-wtls8", "-out", key
    )
    openssl("pkey", "-in", key, "-pubout", "-out", tmp_path / "a.pub")
    openssl("req", "-new", "-key", key, "-subj", "/CN=a", "-out", request)
    openssl("req", "-x509", "-new", "-key", key, "-subj", "/CN=a", "-out", certificate)
    openssl("x509", "-in", certificate, "-outform", "DER", "-out", tmp_path / "a.der")
    for path in (tmp_path / "a.pub", request, certificate, tmp_path / "a.der"):
        with pytest.raises(StateFailedError, match="key"):
            done(public_key_of(target(), str(path)))
    with pytest.raises(StateFailedError, match="key"):
        done(public_key_of(target(), key.read_text()))


def test_a_target_without_openssl_is_named(
    tmp_path: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where openssl is needed; a certificate is read without it."""
    monkeypatch.setenv("PATH", programs_without_openssl(tmp_path / "bin"))
    with pytest.raises(StateFailedError, match="has no program `openssl`"):
        done(public_key_of(target(), authority.key.path, SECRET))
    assert isinstance(done(certificate_of(target(), str(authority.path))), x509.Certificate)
