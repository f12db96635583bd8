"""What a fault of SQLite means to the owner of the file, and how to mend it."""

from __future__ import annotations

from typing import Any, Final

_REMEDIES: Final = {
    "SQLITE_NOTADB": "it is no store of ensue, or was overwritten (restore it from a copy, or move it away)",
    "SQLITE_CORRUPT": "it is damaged (restore it from a copy, or move it away)",
    "SQLITE_BUSY": "another process has been writing to it for a minute (see who has it open: fuser FILE)",
    "SQLITE_FULL": "the disk is full (nothing was changed)",
    "SQLITE_READONLY": "it cannot be written (check the owner and mode of the file and its folder)",
    "SQLITE_CANTOPEN": "it cannot be opened (check the owner and mode of the file and its folder)",
    "SQLITE_PERM": "it cannot be opened (check the owner and mode of the file and its folder)",
}


def sqlite_remedy(error: Exception) -> str:
    """Return what happened and what to do about it.

    Args:
        error: of `sqlite3`, or one of SQLAlchemy that has it in `orig`; of another database, its own text.
    """
    original: Any = getattr(error, "orig", None) or error
    name = getattr(original, "sqlite_errorname", "")
    # An extended name (`SQLITE_CANTOPEN_ISDIR`) begins with the plain one.
    for plain_name, remedy in _REMEDIES.items():
        if name.startswith(plain_name):
            return remedy
    return str(original).strip() or type(original).__name__
