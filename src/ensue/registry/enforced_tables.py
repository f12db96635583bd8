"""The table of enforced states: rows of one SQLite file, and nothing of what they mean.

Spoken to through `sqlite3` itself: every apply opens this file, and SQLAlchemy would cost it more time than
all that is done here.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.errors import StoreError
from ensue.registry import private_files
from ensue.registry.sqlite_remedies import sqlite_remedy

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Generator, Iterable, Sequence
    from pathlib import Path

    from ensue.model.srn import Srn

FILE: Final = "enforced.db"
"""Name of the file below the cachedir."""

_VERSION: Final = 1
_BUSY_TIMEOUT_S: Final = 60.0
_SCHEMA: Final = """
CREATE TABLE enforced (
    target TEXT NOT NULL, scope TEXT NOT NULL, tag TEXT NOT NULL,
    module TEXT NOT NULL, function TEXT NOT NULL,
    id TEXT NOT NULL, name TEXT NOT NULL, sls TEXT NOT NULL, sensitive BLOB NOT NULL, shown BLOB NOT NULL,
    sealed BLOB, run_id TEXT NOT NULL, PRIMARY KEY (target, scope, tag)
);
CREATE INDEX enforced_id ON enforced (target, id);
CREATE INDEX enforced_name ON enforced (target, name);
PRAGMA user_version = 1;
"""
_UPSERT: Final = "INSERT OR REPLACE INTO enforced VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ALL: Final = "SELECT * FROM enforced ORDER BY target, scope, tag"
_ONE: Final = "SELECT * FROM enforced WHERE target = ? AND scope = ? AND tag = ?"
_NAMED: Final = """
SELECT * FROM enforced WHERE target = ? AND id = ? AND scope = ''
UNION SELECT * FROM enforced WHERE target = ? AND name = ? AND scope = '' ORDER BY 3
"""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One enforced state as it is stored.

    Args:
        target: SRN, as text.
        scope: the path of its scope; empty at the top.
        tag: the chunk's tag.
        module: module path.
        function: the function in it.
        id: the declaration's ID.
        name: the state's name.
        sls: its SLS.
        sensitive: MessagePack of the sensitive paths.
        shown: MessagePack of the new state, secrets masked.
        sealed: the same in the clear, encrypted; None where there is no secret in it.
        run_id: the run that last changed it.
    """

    target: str
    scope: str
    tag: str
    module: str
    function: str
    id: str
    name: str
    sls: str
    sensitive: bytes
    shown: bytes
    sealed: bytes | None
    run_id: str


class EnforcedTable:
    """The file, opened on first use; any thread may call.

    Args:
        cachedir: the project's cachedir.
    """

    def __init__(self, cachedir: Path) -> None:
        self.path = cachedir / FILE
        self._connection: sqlite3.Connection | None = None
        self._turn = threading.Lock()

    def one(self, target: Srn, scope: str, tag: str) -> Row | None:
        """Return a row; None when there is none.

        Raises:
            StoreError: the file cannot be read.
        """
        found = self._rows(_ONE, (str(target), scope, tag))
        return found[0] if found else None

    def named(self, target: Srn, word: str) -> list[Row]:
        """Return the rows of the top scope that have a word as ID or name, by tag.

        Raises:
            StoreError: the file cannot be read.
        """
        return self._rows(_NAMED, (str(target), word) * 2)

    def all(self) -> list[Row]:
        """Return every row, by target, scope and tag.

        Raises:
            StoreError: the file cannot be read.
        """
        return self._rows(_ALL, ())

    def write(self, rows: Iterable[Row]) -> None:
        """Add or replace rows: all of them, or none.

        Raises:
            StoreError: they cannot be written.
        """
        with self._opened(create=True) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(_UPSERT, map(msgspec.structs.astuple, rows))
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file; it is opened again when it is used again."""
        with self._turn:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _rows(self, statement: str, values: Sequence[str]) -> list[Row]:
        if self._connection is None and not self.path.exists():
            return []
        with self._opened(create=False) as connection:
            return [_row(values) for values in connection.execute(statement, values)]

    @contextmanager
    def _opened(self, *, create: bool) -> Generator[sqlite3.Connection]:
        import sqlite3

        with self._turn:
            try:
                if self._connection is None:
                    self._connection = self._open(create=create)
                yield self._connection
            except sqlite3.Error as error:
                raise StoreError(f"{self.path}: {sqlite_remedy(error)}") from error
            except OSError as error:
                raise StoreError(f"{self.path}: it cannot be made: {error.strerror}") from error

    def _open(self, *, create: bool) -> sqlite3.Connection:
        if create and not self.path.exists():
            private_files.make_private_directory(self.path.parent)
            os.close(private_files.open_private_file(self.path, os.O_WRONLY | os.O_CREAT))
        import sqlite3

        connection = sqlite3.connect(
            self.path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        # Enough against kill -9, and a file in WAL mode is not corrupted by a power cut either.
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
    elif version != _VERSION:
        msg = f"{path}: it is of version {version}, this ensue knows {_VERSION} (use a newer ensue)"
        raise StoreError(msg)
    connection.execute("PRAGMA synchronous=NORMAL")


def _row(values: Sequence[object]) -> Row:
    return msgspec.convert(dict(zip(Row.__struct_fields__, values, strict=True)), Row)
