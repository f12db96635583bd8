"""The project's vault."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import KeyFileError, TamperedError, WrongKeyError
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.vault import Vault

OTHER = base64.b64encode(b"o" * 32).decode()


def _vault(cachedir: Path, key: str = "") -> ProjectVault:
    return ProjectVault.of_project(cachedir, environment={"ENSUE_KEY": key})


def test_it_is_a_vault(tmp_path: Path) -> None:
    """What one vault of a project seals, another vault of it opens; the contract is met."""
    vault: Vault = _vault(tmp_path)
    sealed = vault.seal(b"secret", context="sandbox:env-01")
    assert _vault(tmp_path).open(sealed, context="sandbox:env-01") == b"secret"
    with pytest.raises(TamperedError, match="sandbox:env-02"):
        vault.open(sealed, context="sandbox:env-02")


def test_making_a_vault_touches_nothing(tmp_path: Path) -> None:
    """No key file appears before something is sealed."""
    _vault(tmp_path / ".ensue")
    assert not (tmp_path / ".ensue").exists()


def test_a_wrong_key_is_named_as_such(tmp_path: Path) -> None:
    """With another key in ENSUE_KEY nothing opens, and the message speaks of the key."""
    sealed = _vault(tmp_path).seal(b"secret", context="a")
    with pytest.raises(WrongKeyError, match="ENSUE_KEY"):
        _vault(tmp_path, OTHER).open(sealed, context="a")


def test_opening_never_makes_a_key(tmp_path: Path) -> None:
    """When the key file is gone the message says so, and no new one takes its place."""
    sealed = _vault(tmp_path).seal(b"secret", context="a")
    (tmp_path / "key").unlink()
    with pytest.raises(KeyFileError, match="missing"):
        _vault(tmp_path).open(sealed, context="a")
    assert not (tmp_path / "key").exists()


def test_old_envelopes_open_after_a_rotation(tmp_path: Path) -> None:
    """Old keys still open them, in this vault and in those made later."""
    vault = _vault(tmp_path)
    old = vault.seal(b"old", context="a")
    vault.rotate()
    assert vault.open(old, context="a") == b"old"
    assert _vault(tmp_path).open(old, context="a") == b"old"


def test_a_rotation_elsewhere_is_noticed(tmp_path: Path) -> None:
    """A vault that loaded its keys before another process rotated them opens what that one seals."""
    early, other = _vault(tmp_path), _vault(tmp_path)
    early.seal(b"x", context="a")
    other.rotate()
    assert early.open(other.seal(b"new", context="a"), context="a") == b"new"


def test_a_fingerprint_tells_contents_and_contexts_apart(tmp_path: Path) -> None:
    """Equal content in an equal context has one fingerprint, in later vaults too; all else has another."""
    made = _vault(tmp_path).fingerprint(b"content", context="a")
    assert _vault(tmp_path).fingerprint(b"content", context="a") == made
    assert _vault(tmp_path).fingerprint(b"content", context="b") != made
    assert _vault(tmp_path).fingerprint(b"other", context="a") != made
    assert _vault(tmp_path / "other").fingerprint(b"content", context="a") != made


def test_a_fingerprint_is_compared_after_a_rotation(tmp_path: Path) -> None:
    """One that is to be compared is made with the key of the former; where that is lost, with the current."""
    vault = _vault(tmp_path)
    before = vault.fingerprint(b"content", context="a")
    vault.rotate()
    now = vault.fingerprint(b"content", context="a")
    assert now != before
    assert vault.fingerprint(b"content", context="a", like=before) == before
    assert vault.fingerprint(b"content", context="a", like="0123456789abcdef:00") == now


def test_a_fingerprint_of_the_first_release_is_compared(tmp_path: Path) -> None:
    """A fingerprint that an earlier release stored matches the content it was made of, and no other."""
    vault = _vault(tmp_path, base64.b64encode(bytes(range(32))).decode())
    stored = "2168aea077bc6b48:f270f5f7bba1c23b08ba8fd474f81a8e"
    assert vault.fingerprint(b"content", context="a", like=stored) == stored
    assert vault.fingerprint(b"other", context="a", like=stored) != stored
    assert vault.fingerprint(b"content", context="a") != stored


def test_keys_that_are_at_hand_are_not_read_again(tmp_path: Path) -> None:
    """A vault that has loaded its keys opens what was sealed with them without looking at the file."""
    vault = _vault(tmp_path)
    sealed = vault.seal(b"secret", context="a")
    (tmp_path / "key").write_text("no key")
    assert vault.open(sealed, context="a") == b"secret"
