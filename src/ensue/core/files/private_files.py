"""Files and folders that only their owner can read, from their creation on.

Everything that ensue stores below the cachedir is created here, so that no file is ever readable by others,
not even between its creation and a later chmod. This module does not know the content of the files.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE_FILE_MODE: Final = 0o600
"""The mode of every file."""

PRIVATE_DIRECTORY_MODE: Final = 0o700
"""The mode of every folder."""

OTHERS: Final = 0o077
"""The permission bits of group and others."""


def make_private_directory(path: Path) -> None:
    """Create a folder with mode 0700, and its parents with the usual mode.

    An existing folder of this user becomes private, except a sticky one: that is a shared folder (`/tmp`),
    which a mistaken `cachedir` must not break.

    Args:
        path: the folder.

    Raises:
        OSError: the folder cannot be created.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.mkdir(mode=PRIVATE_DIRECTORY_MODE)
        return
    ours = status.st_uid == os.geteuid()
    if ours and status.st_mode & OTHERS and not status.st_mode & stat.S_ISVTX:
        path.chmod(PRIVATE_DIRECTORY_MODE)


def open_private_file(path: Path, flags: int) -> int:
    """Open a file and return the descriptor; if `flags` create it, its mode is 0600.

    Args:
        path: the file.
        flags: as for `os.open`; close-on-exec is added.

    Raises:
        OSError: the file cannot be opened.
    """
    return os.open(path, flags | os.O_CLOEXEC, PRIVATE_FILE_MODE)


def beside(path: Path) -> Path:
    """Return an unused path in the same folder, for a temporary file that will replace `path`.

    Temporary files that killed processes left under such names are removed.
    """
    remove_left(path.parent, path.name)
    return path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")


def remove_left(folder: Path, name: str = "") -> None:
    """Remove the temporary files that killed processes left in one of ensue's folders.

    Args:
        folder: the folder.
        name: the file that they should have replaced; empty for any.
    """
    for left in folder.glob(f".{name}.*.*" if name else ".*.*.*"):
        match = re.fullmatch(r"\..+\.([0-9]+)\.[0-9a-f]+(-wal|-shm)?", left.name)
        if match and not _lives(int(match[1])):
            left.unlink(missing_ok=True)


def create_whole(path: Path, content: bytes) -> bool:
    """Create a file with its whole content, unless it exists.

    Of several processes that do this at once exactly one succeeds, and none ever sees partial content.

    Args:
        path: the file.
        content: its content.

    Returns:
        Whether this call created it.

    Raises:
        OSError: the file cannot be created.
    """
    temporary = _written_beside(path, content)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        temporary.unlink()
    _sync_directory(path.parent)
    return True


def replace_whole(path: Path, content: bytes) -> None:
    """Replace a file's content atomically and durably, so that it survives a power failure.

    Args:
        path: the file.
        content: its new content.

    Raises:
        OSError: the file cannot be replaced; the old content is unchanged.
    """
    temporary = _written_beside(path, content)
    try:
        temporary.replace(path)
    except OSError:
        temporary.unlink()
        raise
    _sync_directory(path.parent)


def _written_beside(path: Path, content: bytes) -> Path:
    temporary = beside(path)
    descriptor = open_private_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
    except OSError:
        temporary.unlink()
        raise
    return temporary


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
