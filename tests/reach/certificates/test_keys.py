"""Private keys that the target's openssl makes, reads and re-encodes, as `cryptography` sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
    load_pem_private_key,
    pkcs12,
)
from tests.reach.certificates.target import (
    SECRET,
    done,
    key_at,
    needs_openssl,
    openssl,
    path_with_openssl,
    programs_without_openssl,
    target,
)

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.keys import (
    ALGORITHMS,
    ENCODINGS,
    KeyKind,
    Storage,
    encode,
    encoded,
    generate,
    generated,
    kind_of,
    look,
    pkcs12_options,
    public_key,
)
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.public import public_pem

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_openssl
SIZES = {"rsa": 2048, "ec": 256, "ed25519": None, "ed448": None}


def loaded(data: bytes, encoding: str, passphrase: str | None) -> Any:
    """Return a key as the library `cryptography` reads it."""
    password = passphrase.encode() if passphrase else None
    match encoding:
        case "pem":
            return load_pem_private_key(data, password)
        case "der":
            return load_der_private_key(data, password)
        case _:
            return pkcs12.load_pkcs12(data, password).key


def numbers(key: Any) -> bytes:
    return bytes(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))


@pytest.mark.parametrize("passphrase", [None, SECRET])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_a_key_is_what_is_asked_for(tmp_path: Path, algo: str, encoding: str, passphrase: str | None) -> None:
    """Of each algorithm, in each encoding, with and without a passphrase; it is recognised as that."""
    path = tmp_path / "a.key"
    path.touch(mode=0o640)
    storage = Storage(encoding=encoding, passphrase=passphrase)
    done(generate(target(), str(path), KeyKind.wanted(algo, None), storage))
    key = loaded(path.read_bytes(), encoding, passphrase)
    description = done(look(target(), TargetKey(path=str(path), passphrase=passphrase)))
    assert description.kind == KeyKind(algo=algo, keysize=SIZES[algo])
    assert (description.encoding, description.is_encrypted) == (encoding, passphrase is not None)
    assert description.public == public_pem(key.public_key())
    assert path.stat().st_mode & 0o777 == 0o640
    if encoding != "pkcs12":
        words = ["-inform", encoding.upper(), "-passin", f"pass:{passphrase or ''}"]
        assert "Key is valid" in openssl("pkey", "-check", "-noout", "-in", path, *words)


@pytest.mark.parametrize("keysize", [256, 384, 521])
def test_a_curve_has_the_size_that_is_asked_for(tmp_path: Path, keysize: int) -> None:
    """It is named in the key, not spelled out."""
    path = tmp_path / "a.key"
    path.touch()
    done(generate(target(), str(path), KeyKind.wanted("ec", keysize), Storage()))
    assert kind_of(openssl("pkey", "-in", path, "-pubout").encode()).keysize == keysize
    assert f"NIST CURVE: P-{keysize}" in openssl("pkey", "-in", path, "-noout", "-text")


def test_the_kinds_that_are_refused() -> None:
    """Before anything is asked of the target."""
    assert KeyKind.wanted("rsa", 3072) == KeyKind(algo="rsa", keysize=3072)
    for algo, keysize, why in (
        ("dsa", None, "unknown algo dsa; the algorithms are rsa, ec, ed25519, ed448"),
        ("ed25519", 256, "keysize is an invalid parameter for ed25519"),
        ("ec", 255, "keysize 255: for ec the sizes are 256, 384, 521"),
    ):
        with pytest.raises(StateFailedError) as refused:
            KeyKind.wanted(algo, keysize)
        assert str(refused.value) == why


@pytest.mark.parametrize("after", ENCODINGS)
@pytest.mark.parametrize("before", ENCODINGS)
def test_a_key_keeps_its_numbers(tmp_path: Path, before: str, after: str) -> None:
    """From each encoding to each, with another passphrase; returned, it is the same as in a file."""
    key = key_at(tmp_path / "a.key", passphrase=SECRET, encoding=before)
    was = numbers(loaded((tmp_path / "a.key").read_bytes(), before, SECRET))
    storage = Storage(encoding=after, passphrase="new one")
    returned = done(encoded(target(), key, storage))
    assert numbers(loaded(returned, after, "new one")) == was
    done(encode(target(), key.path, key, storage))
    assert numbers(loaded((tmp_path / "a.key").read_bytes(), after, "new one")) == was
    opened = TargetKey(path=key.path, passphrase="new one")
    done(encode(target(), key.path, opened, Storage(encoding=after)))
    assert numbers(loaded((tmp_path / "a.key").read_bytes(), after, None)) == was


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_returned_key_is_a_new_one(encoding: str) -> None:
    """Each time, encrypted when that is asked for."""
    storage = Storage(encoding=encoding, passphrase=SECRET)
    first, second = (done(generated(target(), KeyKind.wanted("ec", None), storage)) for _ in range(2))
    assert numbers(loaded(first, encoding, SECRET)) != numbers(loaded(second, encoding, SECRET))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("passphrase", [None, "wrong"])
def test_a_wrong_passphrase_opens_nothing(tmp_path: Path, encoding: str, passphrase: str | None) -> None:
    """The key stays as it is, and its description has only what the beginning of the file shows."""
    path = tmp_path / "a.key"
    key_at(path, passphrase=SECRET, encoding=encoding)
    before = path.read_bytes()
    wrong = TargetKey(path=str(path), passphrase=passphrase)
    description = done(look(target(), wrong))
    assert (description.kind, description.encoding, description.public) == (None, encoding, None)
    with pytest.raises(StateFailedError, match=r"private key .*a\.key cannot be read with this passphrase"):
        done(public_key(target(), wrong))
    with pytest.raises(StateFailedError, match=r"cannot create the private key .*a\.key: "):
        done(encode(target(), str(path), wrong, Storage()))
    with pytest.raises(StateFailedError, match=r"cannot read the private key .*a\.key: "):
        done(encoded(target(), wrong, Storage()))
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


def test_a_passphrase_that_is_not_needed_is_no_error(tmp_path: Path) -> None:
    """The key is described as not encrypted."""
    key = key_at(tmp_path / "a.key")
    description = done(look(target(), TargetKey(path=key.path, passphrase=SECRET)))
    assert (description.kind, description.is_encrypted) == (KeyKind(algo="ec", keysize=256), False)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\x00", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", b"0\x03\x02\x01"],
)
def test_what_is_no_key_is_an_error(tmp_path: Path, content: bytes) -> None:
    """Empty, binary, malformed and short files are no keys; a file that is absent is called that."""
    path = tmp_path / "a.key"
    path.write_bytes(content)
    with pytest.raises(StateFailedError, match="cannot be read with this passphrase"):
        done(public_key(target(), TargetKey(path=str(path))))
    path.unlink()
    with pytest.raises(StateFailedError, match=r"private key .*a\.key does not exist"):
        done(public_key(target(), TargetKey(path=str(path))))


@pytest.mark.parametrize(
    "words",
    [
        ("genpkey", "-algorithm", "X25519"),
        ("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"),
        ("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:wap-wsg-idm-ecid-wtls8"),
        ("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt",
         "ec_param_enc:explicit"),
        ("genpkey", "-algorithm", "SM2"),
        ("genpkey", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"),
    ],
)  # fmt: skip
def test_a_key_of_another_kind_is_a_key(tmp_path: Path, words: tuple[str, ...]) -> None:
    """One that is not offered here, and perhaps not known to the library, is no error."""
    path = tmp_path / "a.key"
    openssl(*words, "-out", path)
    description = done(look(target(), TargetKey(path=str(path))))
    assert description.kind is not None
    assert description.public is not None
    assert description.public.strip() == openssl("pkey", "-in", path, "-pubout").strip()


def test_a_public_key_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a target's openssl prints; the answer of a host is data."""
    (tmp_path / "a.key").write_text("-----BEGIN PRIVATE KEY-----\n")
    for number, printed in enumerate(
        ("", "no PEM", "-----BEGIN PUBLIC KEY-----\\nAAAA\\n-----END PUBLIC KEY-----", "\\377")
    ):
        monkeypatch.setenv("PATH", path_with_openssl(tmp_path / f"bin{number}", f"printf -- '{printed}'"))
        with pytest.raises(StateFailedError, match="public key"):
            done(look(target(), TargetKey(path=str(tmp_path / "a.key"))))
        monkeypatch.undo()


def test_a_target_without_openssl_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key is not made, and the file that is there stays."""
    path = tmp_path / "a.key"
    path.write_text("before")
    monkeypatch.setenv("PATH", programs_without_openssl(tmp_path / "bin"))
    for work in (
        generate(target(), str(path), KeyKind.wanted("ec", None), Storage()),
        generated(target(), KeyKind.wanted("ec", None), Storage()),
        look(target(), TargetKey(path=str(path))),
    ):
        with pytest.raises(StateFailedError, match="has no program `openssl`"):
            done(work)  # type: ignore[arg-type] # one result or another
    assert path.read_text() == "before"


def test_a_key_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """By openssl's own words; nothing is left of it."""
    path = tmp_path / "a.key"
    path.write_text("before")
    with pytest.raises(StateFailedError, match=r"cannot create the private key .*a\.key: "):
        done(generate(target(), str(path), KeyKind(algo="rsa", keysize=1), Storage()))
    with pytest.raises(StateFailedError, match="cannot create a private key: "):
        done(generated(target(), KeyKind(algo="rsa", keysize=1), Storage()))
    assert [(each, each.read_text()) for each in tmp_path.iterdir()] == [(path, "before")]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"is_encrypted": True, "is_compatible": False}, "AES-256-CBC, Iteration 20000"),
        ({"is_encrypted": True, "is_compatible": True}, "pbeWithSHA1And3-KeyTripleDES-CBC, Iteration 50000"),
        ({"is_encrypted": False, "is_compatible": True}, "Key bag"),
    ],
)
def test_a_container_is_encrypted_as_its_options_say(
    tmp_path: Path, options: dict[str, bool], expected: str
) -> None:
    """With what every version knows: strongly, for old programs, or not at all."""
    key = key_at(tmp_path / "a.key")
    openssl("pkcs12", "-export", "-nocerts", "-inkey", key.path, "-out", tmp_path / "a.p12", "-passout",
            "pass:x", *pkcs12_options(**options))  # fmt: skip
    printed = openssl("pkcs12", "-in", tmp_path / "a.p12", "-info", "-noout", "-passin", "pass:x")
    assert expected in printed
