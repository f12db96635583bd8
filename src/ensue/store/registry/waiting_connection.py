"""Connections to SQLite files whose waits for other processes can be ended.

This module imports `sqlite3`; it is itself imported when a store is opened, never before.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Final

from ensue.store.registry.lock_waits import MOMENT_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ensue.store.registry.lock_waits import LockWaits

_WORTH_WAITING: Final = frozenset({"SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_BUSY_TIMEOUT"})
"""Not `SQLITE_BUSY_SNAPSHOT`: that transaction can only be begun again."""


def connect(
    path: Path, waits: LockWaits, *, isolation_level: Any = None, mode: str = "rwc"
) -> WaitingConnection:
    """Open a SQLite file, for use by any thread.

    Args:
        path: the file.
        waits: ends the waits of the connection.
        isolation_level: as `sqlite3.connect` takes it; None: the caller begins its transactions.
        mode: that of a URI of SQLite: `rwc` creates a file that is missing, `rw` does not.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=MOMENT_S,
        isolation_level=isolation_level,
        check_same_thread=False,
        factory=WaitingConnection,
    )
    connection.path, connection.waits = path, waits
    return connection


def connect_existing(path: Path, waits: LockWaits) -> WaitingConnection:
    """Open a SQLite file that exists; one that is damaged is refused, and left as it is.

    SQLite alone opens the file. Its locks belong to the process, and the kernel drops them when the process
    closes any descriptor of the file: another process would then remove the log that this one still writes.

    Args:
        path: the file.
        waits: ends the waits of the connection.

    Raises:
        OSError: it was removed meanwhile.
        sqlite3.Error: it cannot be opened, is not a database, or was cut off.
    """
    connection = connect(path, waits, mode="rw")
    try:
        _refuse_cut_off(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_cut_off(connection: WaitingConnection, path: Path) -> None:
    """Refuse a file of which nothing is left, or only a part of the last page: SQLite minds neither."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    log = path.with_name(f"{path.name}-wal")
    # Pages of the log may not be in the file yet. It is looked at first: it is emptied when they are.
    has_log = log.exists() and log.stat().st_size > 0
    if not pages or (not has_log and path.stat().st_size < pages * page_bytes):
        error = sqlite3.DatabaseError(f"{path} was cut off")
        error.sqlite_errorname = "SQLITE_CORRUPT"
        raise error


class WaitingCursor(sqlite3.Cursor):
    """A cursor that repeats a statement while another process has the file locked."""

    def execute(self, *arguments: Any) -> WaitingCursor:
        """Execute a statement; see `sqlite3.Cursor.execute`.

        Raises:
            StoreError: waits were ended.
        """
        return self._patiently(super().execute, arguments)

    def executemany(self, statement: str, rows: Iterable[Any]) -> WaitingCursor:
        """Execute a statement for many rows; see `sqlite3.Cursor.executemany`.

        Raises:
            StoreError: waits were ended.
        """
        # A list, because the first attempt would use up an iterator.
        return self._patiently(super().executemany, (statement, list(rows)))

    def _patiently(self, execute: Callable[..., sqlite3.Cursor], arguments: tuple[Any, ...]) -> WaitingCursor:
        wait = None
        while True:
            try:
                execute(*arguments)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname not in _WORTH_WAITING:
                    raise
                connection = self.connection
                if not isinstance(connection, WaitingConnection):
                    raise
                wait = wait or connection.waits.begin(connection.path)
                if not wait.goes_on():
                    raise
            else:
                return self


class WaitingConnection(sqlite3.Connection):
    """A connection whose statements wait as `LockWaits` says. Made by `connect`.

    Attributes:
        path: the file.
        waits: ends the waits.
    """

    path: Path
    waits: LockWaits

    def cursor(self, factory: Any = WaitingCursor) -> Any:
        """Return a cursor that waits."""
        return super().cursor(factory)

    def execute(self, *arguments: Any) -> WaitingCursor:
        """Execute a statement; see `sqlite3.Connection.execute`.

        Raises:
            StoreError: waits were ended.
        """
        return WaitingCursor(self).execute(*arguments)

    def executemany(self, statement: str, rows: Iterable[Any]) -> WaitingCursor:
        """Execute a statement for many rows; see `sqlite3.Connection.executemany`.

        Raises:
            StoreError: waits were ended.
        """
        return WaitingCursor(self).executemany(statement, rows)
