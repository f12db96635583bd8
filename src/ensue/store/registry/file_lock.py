"""A lock that is a file, locked by the kernel (`flock`); its lines name the holders for messages.

The kernel releases it when its holder ends. On a network file system the lock counts for all machines.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import StoreError, not_written
from ensue.core.files import private_files
from ensue.store.registry.lock import Lock
from ensue.store.registry.lock_holder import LockHolder, read_holder

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST_NOTES_BYTES: Final = 65_536


class FileLock(Lock):
    """A locked file.

    Args:
        path: the file; it and its folder are created.
        activity: what its holder does, as messages say it.
        shared: whether others that share it may hold it at the same time.
    """

    def __init__(self, path: Path, activity: str, *, shared: bool = False) -> None:
        super().__init__(activity)
        self._path = path
        self._mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        self._descriptor = -1
        self._own: LockHolder | None = None
        """The holder that is noted in the file, once the lock is held."""

    def holders(self) -> list[LockHolder]:
        """Return who has noted that it holds the lock, the latest first, without taking it or waiting."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return []
        try:
            return _noted(descriptor)
        except OSError:
            return []
        finally:
            os.close(descriptor)

    def confirm(self) -> None:
        """Do nothing: only the end of the process releases the lock."""

    def release(self) -> None:
        """Release the lock; releasing it again does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor < 0:
            return
        with suppress(OSError):
            if self._own is not None:
                _write(descriptor, [holder for holder in _noted(descriptor) if holder != self._own])
        self._own = None
        os.close(descriptor)

    def _try(self) -> bool:
        try:
            private_files.make_private_directory(self._path.parent)
            self._descriptor = private_files.open_private_file(self._path, os.O_RDWR | os.O_CREAT)
            fcntl.flock(self._descriptor, self._mode | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise not_written(f"{self._path}: the lock cannot be used", error) from error
        return True

    def _wait(self) -> None:
        try:
            fcntl.flock(self._descriptor, self._mode)
        except OSError as error:
            raise StoreError(f"{self._path}: ensue cannot wait for the lock: {error.strerror}") from error

    def _holder(self) -> LockHolder:
        with suppress(OSError):
            return next(iter(_noted(self._descriptor)), LockHolder())
        return LockHolder()

    def _note(self, holder: LockHolder) -> None:
        # The content is informative only: a full disk must not prevent taking the lock.
        self._own = holder
        with suppress(OSError):
            others = _noted(self._descriptor) if self._mode == fcntl.LOCK_SH else []
            _write(self._descriptor, [holder, *others])


def _noted(descriptor: int) -> list[LockHolder]:
    """Return the holders that are noted, the latest first; a killed one that shared the lock is left out."""
    notes = os.pread(descriptor, _LARGEST_NOTES_BYTES, 0).splitlines()
    return [holder for holder in map(read_holder, notes) if holder.pid and not holder.is_gone]


def _write(descriptor: int, holders: list[LockHolder]) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, b"\n".join(map(msgspec.json.encode, holders)), 0)
