"""Checks and reads paths where a regular file is expected, without blocking, as opening a FIFO would.

The callers report errors to users.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_BYTES: Final = 64 * 1024 * 1024
"""The maximum size of an SLS, pillar, template or options file."""

_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_NOTHING: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})


class NotRegularError(OSError):
    """The path is not a regular file; the text says what it is."""


class TooLargeFileError(OSError):
    """A file is larger than `LARGEST_BYTES`."""


def is_regular(path: Path | str) -> bool:
    """Return whether a path is a regular file or a link to one; False if it cannot be examined."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 (a path or its text)
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder or a link to one; False if it cannot be examined."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def obstacle(path: Path) -> str:
    """Describe what is at a path instead of a regular file; empty for a regular file or for nothing.

    For a path that cannot be examined, it is the reason.
    """
    try:
        return _kind(path.stat().st_mode)
    except ValueError:
        # No path contains a NUL.
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
        NotRegularError: it is not a regular file.
        TooLargeFileError: it is larger than `LARGEST_BYTES`.
        OSError: it does not exist, or cannot be read.
    """
    # With O_NONBLOCK a FIFO without a writer opens at once; the type is that of the opened file.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        # Neither a socket nor a dangling link can be opened.
        if error.errno not in (errno.EACCES, errno.EPERM) and (obstruction := obstacle(path)):
            raise NotRegularError(obstruction) from None
        raise
    try:
        if kind := _kind(os.fstat(descriptor).st_mode):
            raise NotRegularError(kind)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return bounded(file.read(LARGEST_BYTES + 1))
    finally:
        os.close(descriptor)


def bounded(content: bytes) -> bytes:
    """Return the content, or fail if it is too long.

    Raises:
        TooLargeFileError: it is longer than `LARGEST_BYTES`.
    """
    if len(content) > LARGEST_BYTES:
        raise TooLargeFileError(f"it is larger than {LARGEST_BYTES // 1024 // 1024} MiB")
    return content


def _kind(mode: int) -> str:
    return next((words for is_one, words in _KINDS if is_one(mode)), "")


def _dangling(path: Path) -> str:
    try:
        return f"a link to {path.readlink()}, which is not there"
    except (OSError, ValueError):
        return ""
