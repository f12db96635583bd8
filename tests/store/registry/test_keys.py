"""Keys: from the environment, from a file, from the OS keyring."""

from __future__ import annotations

import base64
import stat
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import KeyFileError, StoreError
from ensue.store.registry.keys import EnvironmentKeys, KeyFile, KeyRing, KeyringKeys, key_source
from ensue.store.registry.lock_waits import LockWaits

if TYPE_CHECKING:
    from pathlib import Path

ONE = base64.b64encode(b"1" * 32).decode()
TWO = base64.b64encode(b"2" * 32).decode()


def test_the_environment_outranks_the_key_file(tmp_path: Path) -> None:
    """With ENSUE_KEY set neither the option nor a key file counts."""
    assert isinstance(key_source(tmp_path, environment={"ENSUE_KEY": ONE}), EnvironmentKeys)
    assert isinstance(key_source(tmp_path, kind="keyring", environment={"ENSUE_KEY": ONE}), EnvironmentKeys)
    assert isinstance(key_source(tmp_path, environment={"ENSUE_KEY": " "}), KeyFile)


def test_an_unknown_source_is_refused(tmp_path: Path) -> None:
    """A key_source that does not exist is refused with the ones that do."""
    with pytest.raises(StoreError, match="file or keyring"):
        key_source(tmp_path, kind="vault", environment={})


def test_the_environment_holds_several_keys_newest_first() -> None:
    """NEW,OLD encrypts with the first; URL-safe base64 is read as well."""
    safe = base64.urlsafe_b64encode(b"\xff" * 32).decode()
    assert EnvironmentKeys(f"{ONE}, {TWO}").load().keys == (b"1" * 32, b"2" * 32)
    assert EnvironmentKeys(safe).load().keys == (b"\xff" * 32,)


@pytest.mark.parametrize("text", ["hunter2", "!!!!", base64.b64encode(b"short").decode(), "#"])
def test_a_malformed_key_is_refused_unseen(text: str) -> None:
    """A key that is not 32 bytes long is refused; the message does not repeat it."""
    with pytest.raises(KeyFileError, match="ENSUE_KEY") as caught:
        EnvironmentKeys(text).load()
    assert text == "#" or text not in str(caught.value)


def test_the_environment_rotates_only_with_a_second_key() -> None:
    """With one key there is no other to change to; with two the first is the new one."""
    with pytest.raises(KeyFileError, match="NEW,OLD"):
        EnvironmentKeys(ONE).rotate(LockWaits())
    assert EnvironmentKeys(f"{TWO},{ONE}").rotate(LockWaits()).keys[0] == b"2" * 32


def test_a_key_file_is_made_on_first_use(tmp_path: Path) -> None:
    """Reading makes no file; the first use does, with mode 0600, and later ones find it."""
    source = KeyFile(tmp_path / ".ensue" / "key")
    assert source.load() is None
    assert not (tmp_path / ".ensue").exists()
    made = source.create()
    assert stat.S_IMODE((tmp_path / ".ensue" / "key").stat().st_mode) == 0o600
    assert source.create() == source.load() == made


def test_all_who_make_the_key_file_at_once_get_one_key(tmp_path: Path) -> None:
    """Forty first uses at once end with the same key."""
    with ThreadPoolExecutor(8) as pool:
        rings = set(pool.map(lambda _: KeyFile(tmp_path / "key").create(), range(40)))
    assert len(rings) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    """The message names the file and the command that mends it; the file is left as it is."""
    source = KeyFile(tmp_path / "key")
    source.create()
    (tmp_path / "key").chmod(mode)
    for use in (source.load, source.create, lambda: source.rotate(LockWaits())):
        with pytest.raises(KeyFileError, match=f"chmod 600 {tmp_path / 'key'}"):
            use()
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == mode


@pytest.mark.parametrize("content", ["", "# nothing but remarks\n", "not a key\n", "\x00\xff"])
def test_a_key_file_without_a_key_is_refused_and_kept(tmp_path: Path, content: str) -> None:
    """A malformed key file is never replaced by a new one, since its content may still be restored."""
    (tmp_path / "key").write_text(content)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(KeyFileError, match="key"):
        KeyFile(tmp_path / "key").create()
    assert (tmp_path / "key").read_text() == content


def test_a_folder_in_the_place_of_the_key_file_is_refused(tmp_path: Path) -> None:
    """A key file that cannot be read is reported as such."""
    (tmp_path / "key").mkdir(mode=0o700)
    with pytest.raises(KeyFileError, match="key"):
        KeyFile(tmp_path / "key").load()


def test_rotation_keeps_the_old_keys(tmp_path: Path) -> None:
    """After three rotations the file holds four keys, the newest first."""
    source = KeyFile(tmp_path / "key")
    first = source.create().keys[0]
    rings = [source.rotate(LockWaits()) for _ in range(3)]
    assert len(rings[-1].keys) == 4
    assert rings[-1].keys[-1] == first
    assert source.load() == rings[-1]


def test_rotations_at_once_lose_no_key(tmp_path: Path) -> None:
    """Of twenty rotations at once none drops the key of another."""
    source = KeyFile(tmp_path / "key")
    source.create()
    with ThreadPoolExecutor(8) as pool:
        rings = pool.map(lambda _: KeyFile(tmp_path / "key").rotate(LockWaits()), range(20))
        new = {ring.keys[0] for ring in rings}
    ring = source.load()
    assert ring is not None
    assert len(ring.keys) == 21
    assert new < set(ring.keys)


def test_a_ring_does_not_show_its_keys() -> None:
    """The text form of a ring names ids only."""
    assert ONE not in repr(KeyRing((b"1" * 32,)))
    assert "111" not in repr(KeyRing((b"1" * 32,)))


def test_the_keyring_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package `keyring` the message names it."""
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(KeyFileError, match="pip install keyring"):
        KeyringKeys(tmp_path).load()


def test_the_keyring_keeps_a_ring_for_each_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are made, found again and rotated in the keyring, and projects do not share them."""
    kept: dict[tuple[str, str], str] = {}
    fake = types.ModuleType("keyring")
    vars(fake).update(
        get_password=lambda service, account: kept.get((service, account)),
        set_password=lambda service, account, text: kept.__setitem__((service, account), text),
    )
    monkeypatch.setitem(sys.modules, "keyring", fake)
    source = KeyringKeys(tmp_path / "a")
    assert source.load() is None
    made = source.create()
    assert source.create() == made
    assert source.rotate(LockWaits()).keys[1:] == made.keys
    assert KeyringKeys(tmp_path / "b").create().keys != made.keys
