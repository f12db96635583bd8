"""Records temporary files on targets while they exist, so that those of a killed process can be removed.

Each process has its own file of notes below the cachedir, which is locked while the process lives and removed
when nothing is left. The next apply takes over the notes of processes that no longer exist: it removes their
files on this machine at once, and those on another host when it next works on files there.

Only noted paths are removed, and only if they have a name that ensue gives to temporary files and are files
or symlinks. Temporary files below the cachedir itself are not noted (see `model/private_files`).
"""

from __future__ import annotations

import fcntl
import logging
import os
import stat
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from pathlib import Path

TEMPORARY_PREFIX: Final = ".ensue-"
"""Prefix of the names of temporary files."""

HERE: Final = ""
"""The target of paths on this machine."""

FOLDER: Final = "leftovers"
"""Name of the folder below the cachedir that the notes are in."""

_LONGEST_S: Final = 30 * 86_400
_log = logging.getLogger(__name__)


class _LeftoverNote(msgspec.Struct, frozen=True):
    """One note: a temporary file was created or removed."""

    target: str
    path: str
    at_s: float
    is_there: bool = True


def is_temporary(path: str) -> bool:
    """Return whether a path has a name that ensue gives only to temporary files."""
    return path.rpartition("/")[2].startswith(TEMPORARY_PREFIX)


class Leftovers:
    """The notes of this process.

    Args:
        folder: the folder of the notes, which is created with the first one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn = threading.Lock()
        self._descriptor = -1
        self._file: Path | None = None
        self._there: dict[tuple[str, str], float] = {}
        self._left: dict[str, list[str]] = {}

    def take_over_all(self, cachedir: Path) -> None:
        """Remove what killed processes left, below the cachedir too; this blocks, call it in a thread."""
        if not cachedir.is_dir():
            return
        from ensue.core.files.private_files import remove_left

        with suppress(OSError):  # They do no harm, and the next apply tries again.
            remove_left(cachedir)
            self.take_over()

    @contextmanager
    def noted(self, target: str, *paths: str) -> Generator[None]:
        """Note temporary files while they exist (context manager).

        Args:
            target: the resource as text, `HERE` for this machine.
            paths: absolute paths there.
        """
        self.begin(target, *paths)
        try:
            yield
        finally:
            self.end(target, *paths)

    def begin(self, target: str, *paths: str) -> None:
        """Note temporary files before they are created; a failure is only logged."""
        with self._turn:
            try:
                self._begin(target, paths, time.time())
            except OSError as error:
                _log.debug("%s cannot be noted below %s: %s", paths[0], self._folder, error.strerror)

    def end(self, target: str, *paths: str) -> None:
        """Note that temporary files were removed; those that were never noted are ignored."""
        with self._turn:
            removed = [
                _LeftoverNote(target, path, at_s, is_there=False)
                for path in paths
                if (at_s := self._there.pop((target, path), None)) is not None
            ]
            if not removed or self._descriptor < 0:
                return
            with suppress(OSError):  # The next apply then tries to remove it again, which does no harm.
                if self._there:
                    self._write(removed)
                else:
                    os.ftruncate(self._descriptor, 0)

    def take_over(self) -> None:
        """Remove the files that killed processes left on this machine. It blocks, so call it in a thread.

        Afterwards, `left` returns what they left on other hosts.

        Raises:
            OSError: notes cannot be read or written.
        """
        for file in _notes(self._folder):
            with suppress(FileNotFoundError, BlockingIOError), file.open("rb") as notes:
                fcntl.flock(notes, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for (target, path), at_s in _open_notes(notes).items():
                    if target == HERE:
                        _remove(path)
                    elif time.time() - at_s < _LONGEST_S:
                        self._keep(target, path, at_s)
                file.unlink(missing_ok=True)

    def left(self, target: str) -> list[str]:
        """Return, once, what killed processes left on a host; the caller removes it and calls `end`."""
        with self._turn:
            return self._left.pop(target, [])

    def close(self) -> None:
        """Remove the file of notes, unless something is still noted."""
        with self._turn:
            if self._descriptor < 0:
                return
            if not self._there and self._file is not None:
                self._file.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor, self._file = -1, None

    def _keep(self, target: str, path: str, at_s: float) -> None:
        with self._turn:
            self._begin(target, (path,), at_s)
            self._left.setdefault(target, []).append(path)

    def _begin(self, target: str, paths: Sequence[str], at_s: float) -> None:
        if self._descriptor < 0:
            self._open()
        self._write([_LeftoverNote(target, path, at_s) for path in paths])
        self._there.update(((target, path), at_s) for path in paths)

    def _open(self) -> None:
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        while True:
            file = self._folder / f"{os.getpid()}-{os.urandom(4).hex()}.jsonl"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
            descriptor = os.open(file, flags, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if file.exists():
                self._file, self._descriptor = file, descriptor
                return
            os.close(descriptor)  # Another process mistook it for one of a process that is gone.

    def _write(self, notes: Iterable[_LeftoverNote]) -> None:
        os.write(self._descriptor, b"".join(map(_line, notes)))


def _line(note: _LeftoverNote) -> bytes:
    path = note.path.encode("utf-8", "surrogateescape").decode("latin-1")
    return msgspec.json.encode(msgspec.structs.replace(note, path=path)) + b"\n"


def _notes(folder: Path) -> list[Path]:
    try:
        return [file for file in folder.iterdir() if file.suffix == ".jsonl"]
    except FileNotFoundError:
        return []


def _open_notes(lines: Iterable[bytes]) -> dict[tuple[str, str], float]:
    """Return the files that are noted and not removed; the file of a truncated line was never created."""
    there: dict[tuple[str, str], float] = {}
    for content in lines:
        with suppress(msgspec.MsgspecError):
            line = msgspec.json.decode(content, type=_LeftoverNote)
            key = (line.target, line.path.encode("latin-1").decode("utf-8", "surrogateescape"))
            if line.is_there:
                there[key] = line.at_s
            else:
                there.pop(key, None)
    return there


def _remove(path: str) -> None:
    """Remove a leftover of this machine."""
    if not is_temporary(path):
        return
    try:
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
            os.unlink(path)  # noqa: PTH108 (a string)
            _log.info("removed %s, which a killed run had left", path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        _log.warning("cannot remove %s, which a killed run has left: %s", path, error.strerror)
