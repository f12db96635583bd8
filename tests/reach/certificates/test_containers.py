"""PKCS#12 containers that the target's openssl makes and opens, checked with `cryptography` and openssl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key, pkcs12
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
from ensue.reach.certificates.containers import Packing, Pkcs12Container, opened, pack, packed
from ensue.reach.certificates.encodings import Held
from ensue.reach.certificates.openssl import TargetKey

if TYPE_CHECKING:
    from pathlib import Path

    from tests.reach.certificates.conftest import Authority

pytestmark = needs_openssl


@pytest.mark.parametrize("is_compatible", [False, True])
@pytest.mark.parametrize("passphrase", [None, SECRET])
def test_a_container_comes_back(
    tmp_path: Path, authority: Authority, passphrase: str | None, is_compatible: bool
) -> None:
    """In a file, which keeps its mode, and returned: key, certificate, chain and name."""
    own, _ = authority.issued("own")
    key = TargetKey(path=str(authority.folder / "own.key"))
    path = tmp_path / "a.p12"
    path.touch(mode=0o640)
    packing = Packing(passphrase=passphrase, friendly_name="Ä name", is_compatible=is_compatible)
    done(pack(target(), str(path), [own, authority.certificate], key, packing))
    assert path.stat().st_mode & 0o777 == 0o640
    private = load_pem_private_key((authority.folder / "own.key").read_bytes(), None)
    returned = done(packed(target(), [own, authority.certificate], key, packing))
    for data in (path.read_bytes(), returned):
        loaded = pkcs12.load_pkcs12(data, passphrase.encode() if passphrase else None)
        assert loaded.cert is not None
        assert loaded.key is not None
        assert (loaded.cert.certificate, loaded.cert.friendly_name) == (own, "Ä name".encode())
        assert [each.certificate for each in loaded.additional_certs] == [authority.certificate]
        assert loaded.key.private_numbers() == private.private_numbers()  # type: ignore[union-attr] # a curve's
    for given in (passphrase, "not needed") if passphrase is None else (passphrase,):
        container = done(opened(target(), str(path), given))
        assert container is not None
        assert container.held == Held(encoding="pkcs12", certificate=own, chain=(authority.certificate,))
        assert (container.is_called("Ä name"), container.is_called("a name"), container.is_called(None)) == (
            True, False, False,
        )  # fmt: skip
        assert container.is_encrypted is (passphrase is not None)


def test_the_certificate_of_the_key_is_the_first(tmp_path: Path, authority: Authority) -> None:
    """Wherever it is in the file; without a name it is called nothing."""
    own, path = authority.issued("own")
    both = tmp_path / "both.pem"
    both.write_bytes(authority.path.read_bytes() + path.read_bytes())
    openssl("pkcs12", "-export", "-inkey", authority.folder / "own.key", "-in", both, "-out", tmp_path / "a",
            "-passout", "pass:")  # fmt: skip
    container = done(opened(target(), str(tmp_path / "a"), None))
    assert container is not None
    assert (container.held.certificate, container.held.chain) == (own, (authority.certificate,))
    assert container.is_called(None)
    assert not container.is_called("own")


def test_a_name_is_compared_as_openssl_shows_it(authority: Authority) -> None:
    """Some versions show the second byte of each character alone."""
    held = Held(encoding="pkcs12", certificate=authority.certificate)
    shown = Pkcs12Container(held=held, shown_name=b"\xc4 name", is_encrypted=False)
    assert shown.is_called("Ä name")
    assert not shown.is_called("name")
    assert Pkcs12Container(held=held, shown_name=b"ab", is_encrypted=False).is_called("ab\u0400cd")


@pytest.mark.parametrize("passphrase", [None, "wrong"])
def test_a_wrong_passphrase_opens_nothing(
    tmp_path: Path, authority: Authority, passphrase: str | None
) -> None:
    """It is None; so are a key alone, content of another kind, and no file."""
    path = tmp_path / "a.p12"
    path.touch()
    packing = Packing(passphrase=SECRET)
    done(pack(target(), str(path), [authority.certificate], authority.key, packing))
    assert done(opened(target(), str(path), passphrase)) is None
    key_at(tmp_path / "key.p12", encoding="pkcs12")
    (tmp_path / "noise").write_bytes(b"\xff\x00")
    for name in ("key.p12", "noise", "absent"):
        assert done(opened(target(), str(tmp_path / name), passphrase)) is None


def test_a_key_that_does_not_belong_is_an_error(tmp_path: Path, authority: Authority) -> None:
    """As is one that the passphrase does not open; the file stays as it was."""
    path = tmp_path / "a.p12"
    path.write_text("before")
    other = key_at(tmp_path / "other.key")
    for key in (
        other,
        TargetKey(path=authority.key.path, passphrase="wrong"),
        TargetKey(path="/nonexistent/a.key"),
    ):
        with pytest.raises(StateFailedError, match=f"cannot pack the private key {key.path} with its cert"):
            done(pack(target(), str(path), [authority.certificate], key, Packing()))
        with pytest.raises(StateFailedError, match="cannot pack the private key"):
            done(packed(target(), [authority.certificate], key, Packing()))
    assert path.read_text() == "before"
    assert {each.name for each in tmp_path.iterdir()} == {"a.p12", "other.key", "authority"}


def test_a_certificate_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a target's openssl prints between the lines of a certificate."""
    entry = "-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----\\n"
    monkeypatch.setenv("PATH", path_with_openssl(tmp_path / "bin", f"printf -- '{entry}'"))
    with pytest.raises(StateFailedError, match=r"certificate .*/a\.p12 "):
        done(opened(target(), "/a.p12", None))


def test_a_target_without_openssl_is_named(
    tmp_path: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By each of the functions."""
    monkeypatch.setenv("PATH", programs_without_openssl(tmp_path / "bin"))
    with pytest.raises(StateFailedError, match="has no program `openssl`"):
        done(opened(target(), str(authority.path), None))
    with pytest.raises(StateFailedError, match="has no program `openssl`"):
        done(packed(target(), [authority.certificate], authority.key, Packing()))
