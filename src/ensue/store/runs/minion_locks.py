"""The locks of runs over minions: two runs of a project never work on the same minion at once.

A run has one file below `<cachedir>/locks/minions`, which names its minions and is locked while it lives.
Files are compared and added while the folder is locked. A file that nobody has locked is of a run that has
ended.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import not_written
from ensue.core.files import private_files
from ensue.store.registry.lock import Lock
from ensue.store.registry.lock_holder import LockHolder

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator
    from pathlib import Path

_FOLDER: Final = "locks/minions"
_GUARD: Final = "guard"
_MOST_NAMED: Final = 5


class _Note(msgspec.Struct, frozen=True):
    """The content of a run's file.

    Args:
        minions: its minions.
        holder: its process.
    """

    minions: frozenset[str] = frozenset()
    holder: LockHolder = LockHolder()


class MinionLock(Lock):
    """The lock of the minions of one run.

    Args:
        cachedir: the project's cachedir.
        run_id: the run.
        minions: its minions.
    """

    def __init__(self, cachedir: Path, run_id: str, minions: Collection[str]) -> None:
        super().__init__("minions are in use")
        self._folder = cachedir / _FOLDER
        self._path = self._folder / run_id
        self._minions = frozenset(minions)
        self._descriptor = -1
        self._other: Path | None = None
        self._other_holder = LockHolder()

    def confirm(self) -> None:
        """Do nothing: only the end of the process releases the lock."""

    def release(self) -> None:
        """Release the lock; releasing it again does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            self._path.unlink(missing_ok=True)
            os.close(descriptor)

    def _try(self) -> bool:
        with self._guarded():
            return self._added()

    @contextmanager
    def _guarded(self) -> Generator[None]:
        """Lock the folder, for a moment.

        Raises:
            StoreError: the locks cannot be used.
        """
        try:
            private_files.make_private_directory(self._folder)
            guard = private_files.open_private_file(self._folder / _GUARD, os.O_RDWR | os.O_CREAT)
            try:
                fcntl.flock(guard, fcntl.LOCK_EX)
                yield
            finally:
                os.close(guard)
        except OSError as error:
            raise not_written(f"{self._folder}: the locks of minions cannot be used", error) from error

    def _added(self) -> bool:
        """Add this run unless a run that lives has one of its minions; the folder is locked."""
        for path, note in self._living():
            if shared := sorted(note.minions & self._minions):
                self._other, self._other_holder = path, note.holder
                more = f" and {len(shared) - _MOST_NAMED} more" if len(shared) > _MOST_NAMED else ""
                verb = "is" if len(shared) == 1 else "are"
                self.activity = f"{', '.join(shared[:_MOST_NAMED])}{more} {verb} in use"
                return False
        self._descriptor = private_files.open_private_file(self._path, os.O_RDWR | os.O_CREAT)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Complete before the folder is unlocked; `_note` adds the holder.
        self._write(_Note(self._minions))
        return True

    def _living(self) -> Iterator[tuple[Path, _Note]]:
        """Yield the files of runs that live, and remove those of others."""
        for path in sorted(self._folder.iterdir()):
            if path.name == _GUARD:
                continue
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink(missing_ok=True)
            except BlockingIOError:
                with suppress(msgspec.MsgspecError, OSError):
                    yield path, msgspec.json.decode(path.read_bytes(), type=_Note)
            finally:
                os.close(descriptor)

    def _wait(self) -> None:
        """Wait for the runs that have these minions, one after the other."""
        while True:
            if self._other is not None:
                with suppress(FileNotFoundError):
                    self._wait_for(self._other)
            if self._try():
                return
            self._last_holder = self._other_holder

    def _wait_for(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        finally:
            os.close(descriptor)

    def _holder(self) -> LockHolder:
        return self._other_holder

    def _note(self, holder: LockHolder) -> None:
        with self._guarded():
            self._write(_Note(self._minions, holder))

    def _write(self, note: _Note) -> None:
        content = msgspec.json.encode(note)
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, content, 0)
