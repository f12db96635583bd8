"""Certificates that are put together here and signed by the target's openssl."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
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
from ensue.reach.certificates.encodings import encoded
from ensue.reach.certificates.keys import ALGORITHMS, public_key
from ensue.reach.certificates.making import DIGESTS
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.public import loaded_public
from ensue.reach.certificates.signing import signed_certificate

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_openssl
UNSUPPORTED = ("sha1", "sha512_224", "sha512_256")
"""The digests with which the library signs nothing."""
NAME = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a")])


def builder(key: TargetKey) -> x509.CertificateBuilder:
    """Return a certificate that signs itself, except for the signature."""
    now = dt.datetime.now(tz=dt.UTC)
    return (
        x509.CertificateBuilder(NAME, NAME, loaded_public(done(public_key(target(), key))), 5)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    )


def verified(path: Path, made: x509.Certificate) -> bool:
    """Return whether the library and openssl accept the signature."""
    made.verify_directly_issued_by(made)
    path.write_bytes(encoded(made, (), "pem"))
    return openssl("verify", "-CAfile", path, path).endswith(": OK\n")


@pytest.mark.parametrize("passphrase", [None, SECRET])
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_every_kind_of_key_signs(tmp_path: Path, algo: str, passphrase: str | None) -> None:
    """With and without a passphrase; what was put together is signed as it is."""
    key = key_at(tmp_path / "a.key", algo, passphrase)
    made = done(signed_certificate(target(), builder(key), key, "sha256"))
    assert verified(tmp_path / "a.crt", made)
    assert (made.serial_number, made.subject) == (5, NAME)


@pytest.mark.parametrize("algo", ["rsa", "ec"])
@pytest.mark.parametrize("digest", [digest for digest in DIGESTS if digest not in UNSUPPORTED])
def test_every_digest_signs(tmp_path: Path, digest: str, algo: str) -> None:
    """Under its own name. Some versions of openssl make a signature of SHA-3 by a curve, and verify none."""
    key = key_at(tmp_path / "a.key", algo)
    made = done(signed_certificate(target(), builder(key), key, digest))
    assert made.signature_hash_algorithm is not None
    assert made.signature_hash_algorithm.name.replace("-", "_") == digest
    made.verify_directly_issued_by(made)
    assert (algo == "ec" and digest.startswith("sha3_")) or verified(tmp_path / "a.crt", made)


@pytest.mark.parametrize("digest", ["md5", "", "hashalgorithm", *UNSUPPORTED])
def test_a_digest_without_a_signature_is_refused(tmp_path: Path, digest: str) -> None:
    """One that is unknown, or that has no algorithm with such a key."""
    key = key_at(tmp_path / "a.key")
    with pytest.raises(StateFailedError, match=f"unknown digest {digest}|the digest {digest} cannot"):
        done(signed_certificate(target(), builder(key), key, digest))


def test_a_key_that_cannot_sign_is_refused(tmp_path: Path) -> None:
    """One of another kind, one that the passphrase does not open, and none at all."""
    openssl("genpkey", "-algorithm", "X25519", "-out", tmp_path / "x.key")
    key = key_at(tmp_path / "a.key", passphrase=SECRET)
    for other, why in (
        (TargetKey(path=str(tmp_path / "x.key")), "the signing key must be rsa, ec, ed25519 or ed448"),
        (TargetKey(path=key.path, passphrase="wrong"), "cannot be read with this passphrase"),
        (TargetKey(path=str(tmp_path / "absent")), "does not exist"),
    ):
        with pytest.raises(StateFailedError, match=why):
            done(signed_certificate(target(), builder(key), other, "sha256"))


def test_a_signature_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate is not returned unless the key has signed it, whatever the target's openssl prints."""
    key = key_at(tmp_path / "a.key")
    public = done(public_key(target(), key))
    draft = builder(key)
    for number, signature in enumerate(("", "noise", "\\377")):
        script = f'test "$1" = pkey && cat <<END\n{public}END\ntest "$1" = pkey || printf -- \'{signature}\''
        monkeypatch.setenv("PATH", path_with_openssl(tmp_path / f"bin{number}", script))
        with pytest.raises(StateFailedError, match=r"a\.key"):
            done(signed_certificate(target(), draft, key, "sha256"))
        monkeypatch.undo()


def test_a_target_without_openssl_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is signed."""
    key = key_at(tmp_path / "a.key")
    draft = builder(key)
    monkeypatch.setenv("PATH", programs_without_openssl(tmp_path / "bin"))
    with pytest.raises(StateFailedError, match="has no program `openssl`"):
        done(signed_certificate(target(), draft, key, "sha256"))
