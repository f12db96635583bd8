"""Errors of a disk that cannot be written are recognized by their number, never by their text."""

from __future__ import annotations

import errno
import os
import sqlite3
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import DiskError, not_written
from ensue.store.registry.sqlite_remedies import sqlite_error

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG])
def test_a_disk_that_takes_no_more(number: int) -> None:
    """Full, over the quota, read-only, broken, or a file beyond the limit of the process."""
    error = not_written("the journal cannot be written", OSError(number, os.strerror(number)))
    assert isinstance(error, DiskError)
    assert error.errno == number
    assert str(error) == f"the journal cannot be written: {os.strerror(number)}"
    assert not isinstance(error, OSError)


def test_another_error_of_a_file() -> None:
    """A file of another user does not stop a run as a full disk does."""
    error = not_written("the journal cannot be written", PermissionError(errno.EACCES, "Permission denied"))
    assert not isinstance(error, DiskError)


def test_a_database_that_is_full(tmp_path: Path) -> None:
    """SQLite has an error number of its own for it."""
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("CREATE TABLE a (b)")
        database.execute("PRAGMA max_page_count=2")
        with pytest.raises(sqlite3.Error) as caught:
            database.execute("INSERT INTO a VALUES (zeroblob(100000))")
    database.close()
    error = sqlite_error("a.db", caught.value)
    assert isinstance(error, DiskError)
    assert (error.errno, str(error)) == (errno.ENOSPC, "a.db: the disk is full (nothing was changed)")


def test_another_error_of_a_database() -> None:
    """An error in a statement is no error of the disk."""
    database = sqlite3.connect(":memory:")
    with pytest.raises(sqlite3.Error) as caught:
        database.execute("SELECT nothing")
    database.close()
    assert not isinstance(sqlite_error("a.db", caught.value), DiskError)
