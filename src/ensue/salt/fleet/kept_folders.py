"""Folders that are made once and used by several processes: unpacked archives, and copies of file roots.

`relay` loads this file on the minion as a part of its program, so that nothing here imports ensue or anything
beside the standard library.

Who uses a folder holds a lease: a shared lock on the folder itself, which the kernel takes back when the last
process that has the descriptor ends, however it ends. Only a folder without a lease is removed. Everything
else happens under an exclusive lock on the parent, so that what is half made while somebody has that lock was
left by a process that was killed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Self

_SCRATCH = ".new-"


class FolderLease:
    """A folder that is not removed before `release`. A context manager.

    Args:
        path: the folder.
        descriptor: has the lock; a child process that inherits it holds the lease, too.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *failure: object) -> None:
        """Release the folder."""
        self.release()

    def release(self) -> None:
        """Let the folder be removed."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


class KeptFolders:
    """The folders below a parent, each of which is complete or not there.

    Args:
        parent: the folder that they are in; created when it is needed.
        keep: how many are kept that nobody uses, those that were used last.
    """

    def __init__(self, parent: Path, keep: int) -> None:
        self._parent = parent
        self._keep = keep

    def lease(self, name: str) -> FolderLease | None:
        """Return a lease of a folder; None if it is not there.

        Args:
            name: the name of the folder.
        """
        with self._locked():
            return self._lease(name)

    def make(self, name: str, fill: Callable[[Path], None]) -> FolderLease:
        """Make a folder unless it is there, and return a lease of it; remove others that nobody uses.

        Args:
            name: the name of the folder.
            fill: puts the content into a folder; the folder is removed if this raises anything.

        Raises:
            OSError: the folder cannot be made.
        """
        with self._locked():
            lease = self._lease(name)
            if lease is not None:
                return lease
            scratch = Path(tempfile.mkdtemp(dir=self._parent, prefix=_SCRATCH))
            try:
                fill(scratch)
                scratch.rename(self._parent / name)
            except BaseException:
                shutil.rmtree(scratch, ignore_errors=True)
                raise
            lease = self._lease(name)
            if lease is None:
                msg = f"{self._parent / name} was removed while it was made"
                raise FileNotFoundError(msg)
            self._forget()
            return lease

    @contextmanager
    def _locked(self) -> Generator[None]:
        self._parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = _opened(self._parent)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _lease(self, name: str) -> FolderLease | None:
        path = self._parent / name
        try:
            descriptor = _opened(path)
        except FileNotFoundError:
            return None
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        os.utime(path)
        return FolderLease(path, descriptor)

    def _forget(self) -> None:
        """Remove what a killed process left, and the folders that were used longest ago."""
        entries = [(path.stat().st_mtime_ns, path) for path in self._parent.iterdir() if path.is_dir()]
        kept = self._keep
        for _, path in sorted(entries, reverse=True):
            if path.name.startswith(_SCRATCH):
                shutil.rmtree(path, ignore_errors=True)
            elif kept > 0:
                kept -= 1
            else:
                _remove_unused(path)


def _opened(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _remove_unused(folder: Path) -> None:
    descriptor = _opened(folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Renamed first: what is left of it if this process is killed is not taken for a complete folder.
        gone = Path(tempfile.mkdtemp(dir=folder.parent, prefix=_SCRATCH))
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    except BlockingIOError:
        pass  # Somebody uses it.
    finally:
        os.close(descriptor)
