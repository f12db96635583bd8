"""What is at a path where a file is expected, without ever waiting for it: opening a FIFO would.

Here is only the looking and the reading; what a user is told of it is said by those who read.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_BYTES: Final = 64 * 1024 * 1024
"""The size of the largest file that is read as an SLS, pillar, a template or options."""

_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_NOTHING: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})


class NotRegularError(OSError):
    """What is at a path is no regular file; the text says what it is."""


class TooLargeFileError(OSError):
    """A file is larger than `LARGEST_BYTES`."""


def is_regular(path: Path) -> bool:
    """Return whether a regular file, or a link to one, is at a path, as far as that can be seen."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Return whether a folder, or a link to one, is at a path, as far as that can be seen."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def obstacle(path: Path) -> str:
    """Return what is at a path in place of a regular file, in words; empty for such a file, or for nothing.

    What cannot be looked at is named by the reason.
    """
    try:
        return _kind(path.stat().st_mode)
    except ValueError:
        # No path has a NUL in it.
        return ""
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "a link that leads back to itself"
        if error.errno in _NOTHING:
            return _dangling(path)
        return f"out of reach: {error.strerror}"


def read_regular(path: Path) -> bytes:
    """Return the content of a regular file.

    Raises:
        NotRegularError: something else is there.
        TooLargeFileError: it is larger than `LARGEST_BYTES`.
        OSError: it is not there, or cannot be read.
    """
    # A FIFO without a writer is open at once, instead of never; the kind is asked of what was opened.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        # A socket cannot be opened, nor can a link that leads nowhere.
        if error.errno not in (errno.EACCES, errno.EPERM) and (found := obstacle(path)):
            raise NotRegularError(found) from None
        raise
    try:
        if kind := _kind(os.fstat(descriptor).st_mode):
            raise NotRegularError(kind)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return bounded(file.read(LARGEST_BYTES + 1))
    finally:
        os.close(descriptor)


def bounded(content: bytes) -> bytes:
    """Return the same content.

    Raises:
        TooLargeFileError: it is longer than `LARGEST_BYTES`.
    """
    if len(content) > LARGEST_BYTES:
        msg = f"it is larger than {LARGEST_BYTES // 1024 // 1024} MiB"
        raise TooLargeFileError(msg)
    return content


def _kind(mode: int) -> str:
    return next((words for is_one, words in _KINDS if is_one(mode)), "")


def _dangling(path: Path) -> str:
    try:
        return f"a link to {path.readlink()}, which is not there"
    except (OSError, ValueError):
        return ""
