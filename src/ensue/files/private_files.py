"""Files and folders that only their owner may read: made so from the first byte on.

Everything ensue keeps below the cachedir is made here, so that no file is ever readable by
others, not even between its creation and a later chmod. What stands in the files is not known here.
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
"""Mode of every file."""

PRIVATE_DIRECTORY_MODE: Final = 0o700
"""Mode of every folder."""

OTHERS: Final = 0o077
"""The permission bits that belong to anybody but the owner."""


def make_private_directory(path: Path) -> None:
    """Make a folder with mode 0700, its parents with the usual mode.

    A folder that is there already is closed to others when it is ours, except a sticky one:
    that is a folder meant for everybody (`/tmp`), which a mistaken `cachedir` must not break.

    Args:
        path: the folder.

    Raises:
        OSError: it cannot be made.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.mkdir(mode=PRIVATE_DIRECTORY_MODE)
        return
    ours = found.st_uid == os.geteuid()
    if ours and found.st_mode & OTHERS and not found.st_mode & stat.S_ISVTX:
        path.chmod(PRIVATE_DIRECTORY_MODE)


def open_private_file(path: Path, flags: int) -> int:
    """Open a file, made with mode 0600 when `flags` create it; return the descriptor.

    Args:
        path: the file.
        flags: as for `os.open`; close-on-exec is added.

    Raises:
        OSError: it cannot be opened.
    """
    return os.open(path, flags | os.O_CLOEXEC, PRIVATE_FILE_MODE)


def beside(path: Path) -> Path:
    """Return a name in the same folder that nobody else uses, for a file that will take `path`'s place.

    What killed processes left under such names is removed on this occasion.
    """
    remove_left(path.parent, path.name)
    return path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")


def remove_left(folder: Path, name: str = "") -> None:
    """Remove the temporary files that killed processes left in a folder of ensue's own.

    Args:
        folder: the folder.
        name: the file that they were to replace; empty for any.
    """
    for left in folder.glob(f".{name}.*.*" if name else ".*.*.*"):
        found = re.fullmatch(r"\..+\.([0-9]+)\.[0-9a-f]+(-wal|-shm)?", left.name)
        if found and not _lives(int(found[1])):
            left.unlink(missing_ok=True)


def create_whole(path: Path, content: bytes) -> bool:
    """Create a file with its whole content, or leave alone the one that is there.

    Of several processes that do this at once exactly one succeeds, and none ever sees a part.

    Args:
        path: the file.
        content: what it shall hold.

    Returns:
        Whether this call made it.

    Raises:
        OSError: it cannot be made.
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
    """Replace a file's content at one stroke and make sure that it outlives a power cut.

    Args:
        path: the file.
        content: what it shall hold.

    Raises:
        OSError: it cannot be replaced; the old file is untouched.
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
