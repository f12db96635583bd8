"""The file of cached grains: a SQLite file with one sealed row per resource.

It is only a cache: a damaged file, or one of another version, is replaced. It also holds the names of the
resources that the last refresh saw.

It uses `sqlite3` directly: importing SQLAlchemy takes longer than reading thousands of grains.
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.errors import not_written
from ensue.core.files import private_files
from ensue.store.registry.lock_waits import LockWaits
from ensue.store.registry.sqlite_remedies import sqlite_error

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Generator, Iterable, Sequence
    from pathlib import Path

FILE: Final = "grains.db"
"""Name of the file below the cachedir."""

_VERSION: Final = 1
_TABLES: Final = """
DROP TABLE IF EXISTS grains;
DROP TABLE IF EXISTS seen;
CREATE TABLE grains (srn TEXT PRIMARY KEY, gathered_at_s REAL NOT NULL, sealed BLOB NOT NULL);
CREATE TABLE seen (srn TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_READ: Final = (
    "SELECT srn, gathered_at_s, sealed FROM grains "
    "WHERE srn IN (SELECT value FROM json_each(?)) AND gathered_at_s > ?"
)
_DAMAGED: Final = ("SQLITE_NOTADB", "SQLITE_CORRUPT")


class SealedGrains(NamedTuple):
    """The grains of one resource as they are kept.

    Args:
        srn: the resource, as text.
        gathered_at_s: when they were gathered, seconds since the epoch.
        sealed: the grains, encrypted.
    """

    srn: str
    gathered_at_s: float
    sealed: bytes


class GrainsFile:
    """The file, opened on first use; any thread may call.

    Args:
        cachedir: the project's cachedir.
        waits: ends its waits for other processes.
    """

    def __init__(self, cachedir: Path, waits: LockWaits | None = None) -> None:
        self._waits = waits or LockWaits()
        self.path = cachedir / FILE
        self._connection: sqlite3.Connection | None = None
        self._turn = threading.RLock()

    def read(self, srns: Iterable[str], *, younger_than_s: float) -> list[SealedGrains]:
        """Return the rows of resources, with one query.

        Args:
            srns: the resources, as text.
            younger_than_s: only grains that were gathered after this moment, seconds since the epoch.

        Raises:
            StoreError: the file cannot be read.
        """
        if not self.path.exists():
            return []
        with self._opened() as connection:
            rows = connection.execute(_READ, (json.dumps(list(srns)), younger_than_s))
            return [SealedGrains(*row) for row in rows]

    def write(self, rows: Sequence[SealedGrains], *, older_than_s: float) -> None:
        """Add or replace rows, and remove those that are too old.

        Args:
            rows: all of them are written, or none.
            older_than_s: what was gathered before this moment is removed, seconds since the epoch.

        Raises:
            StoreError: they cannot be written.
        """
        with self._opened() as connection, connection:
            connection.execute("DELETE FROM grains WHERE gathered_at_s <= ?", (older_than_s,))
            connection.executemany("INSERT OR REPLACE INTO grains VALUES (?, ?, ?)", rows)

    def remove(self, srns: Iterable[str]) -> None:
        """Remove the rows of resources.

        Raises:
            StoreError: they cannot be removed.
        """
        if not self.path.exists():
            return
        with self._opened() as connection, connection:
            connection.executemany("DELETE FROM grains WHERE srn = ?", [(srn,) for srn in srns])

    def clear(self) -> None:
        """Remove all rows.

        Raises:
            StoreError: they cannot be removed.
        """
        if self.path.exists():
            with self._opened() as connection, connection:
                connection.execute("DELETE FROM grains")

    def replace_seen(self, srns: Iterable[str]) -> set[str]:
        """Record the resources that a refresh saw, and remove the grains of those that it did not see.

        Args:
            srns: the resources, as text.

        Returns:
            The resources of the previous refresh.

        Raises:
            StoreError: they cannot be written.
        """
        with self._opened() as connection, connection:
            before = {srn for (srn,) in connection.execute("SELECT srn FROM seen")}
            now = set(srns)
            gone = [(srn,) for srn in before - now]
            connection.executemany("DELETE FROM seen WHERE srn = ?", gone)
            connection.executemany("DELETE FROM grains WHERE srn = ?", gone)
            connection.executemany("INSERT INTO seen VALUES (?)", [(srn,) for srn in now - before])
        return before

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._turn:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        import sqlite3

        with self._turn:
            try:
                if self._connection is None:
                    self._connection = self._open()
                yield self._connection
            except sqlite3.Error as error:
                if _is_damage(error):
                    self._remove_file()
                raise sqlite_error(str(self.path), error) from error
            except OSError as error:
                raise not_written(f"{self.path}: it cannot be created", error) from error

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        private_files.make_private_directory(self.path.parent)
        try:
            return self._connected()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
        self._remove_file()
        return self._connected()

    def _remove_file(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def _connected(self) -> sqlite3.Connection:
        from ensue.store.registry.waiting_connection import connect

        # Created here, so that nobody else can ever read it. What exists is opened by SQLite alone, whose
        # locks the kernel drops when a descriptor of the file is closed (`connect_existing`).
        with suppress(FileExistsError):
            os.close(private_files.open_private_file(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        connection = connect(self.path, self._waits, isolation_level="DEFERRED")
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            _bring_up_to_date(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _is_damage(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorname", "").startswith(_DAMAGED)


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    if _version(connection) == _VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        # Another process may have been faster.
        if _version(connection) != _VERSION:
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
