"""What an error of a SQLite file means for the user, and how to fix it.

A truncated file is recognised by its header: SQLite would take an empty file for a new database.
"""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import DiskError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

_REMEDIES: Final = {
    "SQLITE_NOTADB": "it is not an ensue store, or was overwritten (restore it from a copy, or move it away)",
    "SQLITE_CORRUPT": "it is damaged (restore it from a copy, or move it away)",
    "SQLITE_BUSY": "another process has been writing to it for a minute (see who has it open: fuser FILE)",
    "SQLITE_FULL": "the disk is full (nothing was changed)",
    "SQLITE_IOERR": "the disk does not read or write it (see whether the disk is full or broken)",
    "SQLITE_READONLY": "it cannot be written (check the owner and mode of the file and its folder)",
    "SQLITE_CANTOPEN": "it cannot be opened (check the owner and mode of the file and its folder)",
    "SQLITE_PERM": "it cannot be opened (check the owner and mode of the file and its folder)",
}
_OF_THE_DISK: Final = {
    "SQLITE_FULL": errno.ENOSPC,
    "SQLITE_IOERR": errno.EIO,
    "SQLITE_READONLY": errno.EROFS,
}
_DAMAGED: Final = ("SQLITE_NOTADB", "SQLITE_CORRUPT")
_MAGIC: Final = b"SQLite format 3\0"
_HEADER_BYTES: Final = 100
_LARGEST_PAGE: Final = 65_536


def sqlite_error(what: str, error: Exception, lost: str = "") -> StoreError:
    """Return the error for the user: a `DiskError` if the disk of the file is the cause.

    Args:
        what: the file, and what cannot be done.
        error: see `sqlite_remedy`.
        lost: see `sqlite_remedy`.
    """
    message = f"{what}: {sqlite_remedy(error, lost)}"
    name = _name_of(error)
    numbers = [number for plain_name, number in _OF_THE_DISK.items() if name.startswith(plain_name)]
    return DiskError(message, numbers[0]) if numbers else StoreError(message)


def sqlite_remedy(error: Exception, lost: str = "") -> str:
    """Return what happened and what to do about it.

    Args:
        error: of `sqlite3`, or one of SQLAlchemy that has it in `orig`; of another database, its own text.
        lost: what is lost with a damaged file, and how to get it back.
    """
    name = _name_of(error)
    # An extended name (`SQLITE_CANTOPEN_ISDIR`) begins with the plain one.
    for plain_name, remedy in _REMEDIES.items():
        if name.startswith(plain_name):
            return f"{remedy}: {lost}" if lost and plain_name in _DAMAGED else remedy
    original = _original(error)
    return str(original).strip() or type(original).__name__


def _original(error: Exception) -> Any:
    return getattr(error, "orig", None) or error


def _name_of(error: Exception) -> str:
    name: str = getattr(_original(error), "sqlite_errorname", "")
    return name


def refuse_damaged(path: Path, lost: str) -> None:
    """Refuse a file whose header shows that it was cut off or overwritten; leave it as it is.

    Args:
        path: the file, which exists.
        lost: what is lost with it, and how to get it back.

    Raises:
        StoreError: it is empty, too short, or not a database.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
        size_bytes = file.seek(0, 2)
    if header[: len(_MAGIC)] != _MAGIC[: len(header)]:
        raise StoreError(f"{path}: {_REMEDIES['SQLITE_NOTADB']}: {lost}")
    if len(header) < _HEADER_BYTES:
        size = f"its size is {size_bytes}, less than that of a database's header"
    else:
        expected_bytes = _expected_bytes(header)
        log = path.with_name(f"{path.name}-wal")
        # SQLite copies what a killed writer left in its log when it opens the file.
        if size_bytes >= expected_bytes or (log.exists() and log.stat().st_size):
            return
        size = f"{size_bytes} of its {expected_bytes} bytes are there"
    raise StoreError(f"{path}: it was cut off: {size} (restore it from a copy, or move it away): {lost}")


def _expected_bytes(header: bytes) -> int:
    """Return a database's size according to its header; 0 if an old SQLite did not record it."""
    (page_bytes,) = struct.unpack_from(">H", header, 16)
    changed, page_count = struct.unpack_from(">II", header, 24)
    (valid_for,) = struct.unpack_from(">I", header, 92)
    # A page of 65,536 bytes is recorded as 1.
    return (_LARGEST_PAGE if page_bytes == 1 else page_bytes) * page_count if changed == valid_for else 0
