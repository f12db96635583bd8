"""What an error of a SQLite file means for the user, and how to fix it."""

from __future__ import annotations

import errno
from typing import Any, Final

from ensue.core.errors import DiskError, StoreError

_REMEDIES: Final = {
    "SQLITE_NOTADB": "it is not an ensue store, or was overwritten (restore it from a copy, or move it away)",
    "SQLITE_CORRUPT": "it is damaged, or was cut off (restore it from a copy, or move it away)",
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
