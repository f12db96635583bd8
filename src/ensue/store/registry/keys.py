"""Where the project's data keys come from: `ENSUE_KEY`, a key file, or the OS keyring.

A `KeyRing` holds the key that encrypts, and older ones that only decrypt. This module reads,
creates and rotates rings; it encrypts nothing.

Source: derived-resources document, "Secret storage".
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import importlib
import os
import secrets
import stat
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from ensue.core.errors import KeyFileError, StoreError
from ensue.core.files import private_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.store.registry.lock_waits import LockWaits

KEY_BYTES: Final = 32
"""Length of a key: AES-256."""

KEY_ID_BYTES: Final = 8
"""Length of a key's id."""

ENVIRONMENT_VARIABLE: Final = "ENSUE_KEY"
"""The variable that holds one key, or several separated by commas, the current one first; each in base64."""

_LARGEST_FILE_BYTES: Final = 1024 * 1024
_KEY_ID_LABEL: Final = b"ensue key id"
_FILE_HEADER: Final = (
    "# The keys of this project's store, newest first. Anyone who reads this file can read every secret.\n"
    "# If it is lost, so is what is stored: keep a copy in a safe place.\n"
)


class KeyRing(msgspec.Struct, frozen=True):
    """The keys of one project; the first one encrypts, all of them decrypt.

    Args:
        keys: 32 bytes each, newest first, at least one.
    """

    keys: tuple[bytes, ...]

    def __repr__(self) -> str:
        """Name the keys by their ids: a key itself is never shown."""
        return f"KeyRing({', '.join(key_id(key).hex() for key in self.keys)})"

    @property
    def current_id(self) -> bytes:
        """The id of the key that encrypts."""
        return key_id(self.keys[0])

    def by_id(self) -> dict[bytes, bytes]:
        """Return every key under its id, newest first."""
        return {key_id(key): key for key in self.keys}

    def text(self) -> str:
        """Return the ring as a key file holds it."""
        lines = (base64.b64encode(key).decode() for key in self.keys)
        return _FILE_HEADER + "".join(f"{line}\n" for line in lines)


class KeySource(Protocol):
    """A place where a ring is kept."""

    @property
    def label(self) -> str:
        """What the place is called in messages."""
        ...

    def load(self) -> KeyRing | None:
        """Return the ring, None if there is none yet.

        Raises:
            KeyFileError: it exists but cannot be used.
        """
        ...

    def create(self) -> KeyRing:
        """Return the ring, creating it if there is none; concurrent callers get the same ring."""
        ...

    def rotate(self, waits: LockWaits) -> KeyRing:
        """Return a ring with a new current key, followed by the former keys; `waits` ends its waits."""
        ...


def key_id(key: bytes) -> bytes:
    """Return the id under which envelopes name a key; it reveals nothing about the key."""
    return hmac.digest(key, _KEY_ID_LABEL, hashlib.sha256)[:KEY_ID_BYTES]


def key_source(
    cachedir: Path, *, kind: str = "file", environment: Mapping[str, str] | None = None
) -> KeySource:
    """Choose where the keys are: `ENSUE_KEY` when it is set, else what the option `key_source` says.

    Args:
        cachedir: the project's cachedir.
        kind: `file` or `keyring`.
        environment: the process's environment; None is the real one.

    Raises:
        StoreError: there is no such kind.
    """
    text = (os.environ if environment is None else environment).get(ENVIRONMENT_VARIABLE, "")
    if text.strip():
        return EnvironmentKeys(text)
    match kind:
        case "file":
            return KeyFile(cachedir / "key")
        case "keyring":
            return KeyringKeys(cachedir)
        case _:
            msg = f"key_source: {kind!r} is not known (write file or keyring, or set {ENVIRONMENT_VARIABLE})"
            raise StoreError(msg)


class EnvironmentKeys:
    """The keys of `ENSUE_KEY`; the user who sets the variable creates and rotates them."""

    label = ENVIRONMENT_VARIABLE

    def __init__(self, text: str) -> None:
        self._text = text

    def load(self) -> KeyRing:
        """Return the variable's keys."""
        return _parse(self._text.replace(",", "\n"), self.label)

    def create(self) -> KeyRing:
        """Return the variable's keys."""
        return self.load()

    def rotate(self, waits: LockWaits) -> KeyRing:
        """Return the variable's keys: its first one is the new one.

        Raises:
            KeyFileError: the variable holds a single key, so what is stored could no longer be read.
        """
        del waits
        ring = self.load()
        if len(ring.keys) == 1:
            raise KeyFileError(
                f"{self.label} holds one key, so there is none to change to"
                f" (set it to NEW,OLD, run `ensue keys rotate`, then to NEW)"
            )
        return ring


class KeyFile:
    """A file of keys that only its owner may read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.label = str(path)

    def load(self) -> KeyRing | None:
        """Return the file's keys, None when there is no file.

        Raises:
            KeyFileError: others may read it, it belongs to somebody else, or it holds no keys.
        """
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise KeyFileError(f"{self.label}: the key file cannot be read: {error.strerror}") from error
        try:
            self._check(os.fstat(descriptor))
            content = os.read(descriptor, _LARGEST_FILE_BYTES)
        finally:
            os.close(descriptor)
        return _parse(content.decode("utf-8", "replace"), self.label)

    def create(self) -> KeyRing:
        """Return the file's keys; make a file with one key when there is none.

        Raises:
            KeyFileError: the file cannot be used or created.
        """
        key_ring = self.load()
        if key_ring is not None:
            return key_ring
        ring = KeyRing((secrets.token_bytes(KEY_BYTES),))
        try:
            private_files.make_private_directory(self._path.parent)
            made = private_files.create_whole(self._path, ring.text().encode())
        except OSError as error:
            raise KeyFileError(f"{self.label}: the key file cannot be created: {error.strerror}") from error
        return ring if made else self.create()

    def rotate(self, waits: LockWaits) -> KeyRing:
        """Put a new key before those of the file.

        The folder is locked meanwhile, so that concurrent rotations do not drop each other's keys.

        Raises:
            KeyFileError: the file cannot be used or replaced.
        """
        self.create()
        try:
            folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                waits.lock(folder, self._path.parent)
                ring = KeyRing((secrets.token_bytes(KEY_BYTES), *self.create().keys))
                private_files.replace_whole(self._path, ring.text().encode())
            finally:
                os.close(folder)
        except OSError as error:
            if isinstance(error, KeyFileError):
                raise
            raise KeyFileError(f"{self.label}: the key file cannot be replaced: {error.strerror}") from error
        return ring

    def _check(self, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode):
            msg = f"{self.label}: this is not a file, so it cannot be the key file (move it away)"
            raise KeyFileError(msg)
        if status.st_uid not in (os.geteuid(), 0):
            raise KeyFileError(f"{self.label}: the key file belongs to another user (uid {status.st_uid})")
        if status.st_mode & private_files.OTHERS:
            raise KeyFileError(
                f"{self.label}: the key file can be read by others (mode {status.st_mode & 0o777:04o})"
                f" (run: chmod 600 {self.label})"
            )


class KeyringKeys:
    """Keys in the OS keyring, through the package `keyring`, under the service `ensue`."""

    def __init__(self, cachedir: Path) -> None:
        self._account = str(cachedir.resolve())
        self.label = "the OS keyring"

    def load(self) -> KeyRing | None:
        """Return the keyring's keys for this project, None when it has none."""
        text = _keyring().get_password("ensue", self._account)
        return None if text is None else _parse(text, self.label)

    def create(self) -> KeyRing:
        """Return the keys; make one when there is none."""
        return self.load() or self._store(())

    def rotate(self, waits: LockWaits) -> KeyRing:
        """Put a new key before the existing ones."""
        del waits
        key_ring = self.load()
        return self._store(() if key_ring is None else key_ring.keys)

    def _store(self, older: tuple[bytes, ...]) -> KeyRing:
        ring = KeyRing((secrets.token_bytes(KEY_BYTES), *older))
        _keyring().set_password("ensue", self._account, ring.text())
        # Another process may have stored a key at the same moment: the keyring's present content counts.
        return self.load() or ring


def _keyring() -> Any:
    try:
        return importlib.import_module("keyring")
    except ImportError as error:
        msg = "key_source: keyring needs the package `keyring`, which is not installed (pip install keyring)"
        raise KeyFileError(msg) from error


def _parse(text: str, label: str) -> KeyRing:
    lines = [line.strip() for line in text.splitlines()]
    encoded = [line for line in lines if line and not line.startswith("#")]
    keys = tuple(dict.fromkeys(_decoded(line, label) for line in encoded))
    if not keys:
        raise KeyFileError(f"{label}: there is no key in it (restore it from a copy)")
    return KeyRing(keys)


def _decoded(line: str, label: str) -> bytes:
    try:
        key = base64.b64decode(line.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        # The text is not shown: it may be most of a key.
        msg = f"{label}: this is not a key (write {KEY_BYTES} bytes as base64: openssl rand -base64 32)"
        raise KeyFileError(msg)
    return key
