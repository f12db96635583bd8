"""The cross-run store: a database opened on first use, its transactions and its failures.

By default `<cachedir>/store.db`; `store_url` names any database that SQLAlchemy knows. This module knows
neither keys nor what entries mean; SQLAlchemy is imported only when a store is really opened.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StoreError, not_written
from ensue.store.registry.lock_waits import LockWaits
from ensue.store.registry.sqlite_remedies import sqlite_error

if TYPE_CHECKING:
    from collections.abc import Generator

    import sqlalchemy as sa

    from ensue.store.registry.tables import StoredEntries

STORE_FILE: Final = "store.db"
"""Name of the default store below the cachedir."""

_LOST: Final = "the derived resources in it are lost; apply the states that register them again"

_KINDS: Final = "write sqlite:///PATH or postgresql+psycopg://USER@HOST/NAME"


class CrossRunStore:
    """The database of one project.

    Args:
        cachedir: the project's cachedir.
        url: the option `store_url`; None is the default file.
        waits: ends its waits for other processes, if it is a SQLite file.

    Attributes:
        path: its file; None: it is on a database server.
    """

    def __init__(self, cachedir: Path, *, url: str | None = None, waits: LockWaits | None = None) -> None:
        self._waits = waits or LockWaits()
        self._url = url
        self.path = _sqlite_path(cachedir, url)
        self._engine: sa.Engine | None = None
        self._engine_pid = 0
        self._opening = threading.Lock()

    @property
    def label(self) -> str:
        """What the store is called in messages: its file, or its URL without a password."""
        if self.path is not None:
            return str(self.path)
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            return make_url(self._url or "").render_as_string(hide_password=True)
        except ArgumentError:
            return "store_url"

    @property
    def is_postgresql(self) -> bool:
        """Whether it is on a PostgreSQL server."""
        return self.path is None and (self._url or "").startswith("postgresql")

    def refuse_damaged(self) -> None:
        """Refuse a store that was cut off or overwritten; one on a database server is not looked at.

        Raises:
            StoreError: it was, or it cannot be read.
        """
        if self.path is None or not self.path.exists():
            return
        import sqlite3

        from ensue.store.registry.waiting_connection import connect_existing

        try:
            connect_existing(self.path, self._waits).close()
        except sqlite3.Error as error:
            raise self._error(error) from error

    def exists(self) -> bool:
        """Return whether the store's file exists; always True for a database server."""
        return self.path is None or self.path.exists()

    @contextmanager
    def reading(self) -> Generator[StoredEntries]:
        """Yield the entries for reading, without waiting for writers.

        Raises:
            StoreError: the store cannot be read.
        """
        with self.guarded():
            from ensue.store.registry.tables import StoredEntries

            with self._opened().connect() as connection:
                yield StoredEntries(connection)

    @contextmanager
    def transaction(self) -> Generator[StoredEntries]:
        """Yield the entries for changes, which are written together or not at all.

        Transactions of all processes run one after another. An exception rolls everything back.

        Raises:
            StoreError: the store cannot be written.
        """
        with self.guarded():
            from ensue.store.registry.schema import take_turn
            from ensue.store.registry.tables import StoredEntries

            with self._opened().begin() as connection:
                take_turn(connection)
                yield StoredEntries(connection)

    def session(self) -> sa.Connection:
        """Return a connection of its own, on which every statement is a transaction; the caller closes it."""
        connection = self._opened().connect().execution_options(isolation_level="AUTOCOMMIT")
        connection.detach()
        return connection

    def close(self) -> None:
        """Close the database; the next use opens it again."""
        with self._opening:
            engine, self._engine = self._engine, None
            if engine is not None:
                engine.dispose(close=self._engine_pid == os.getpid())

    def _opened(self) -> sa.Engine:
        if self._engine is not None and self._engine_pid == os.getpid():
            return self._engine
        with self._opening:
            if self._engine is not None and self._engine_pid != os.getpid():
                # A forked child must not use, nor close, the connections of its parent.
                self._engine.dispose(close=False)
                self._engine = None
            if self._engine is None:
                self._engine, self._engine_pid = self._open(), os.getpid()
            return self._engine

    def _open(self) -> sa.Engine:
        from sqlalchemy.exc import NoSuchModuleError

        from ensue.store.registry import schema

        try:
            if self.path is not None:
                return schema.open_sqlite(self.path, self._waits)
            return schema.open_url(self._url or "")
        except ImportError as error:
            raise StoreError(f"{self.label}: {_not_installed(error.name or '')}") from error
        except NoSuchModuleError as error:
            raise StoreError(f"{self.label}: the store is of an unknown kind ({_KINDS})") from error
        except OSError as error:
            raise not_written(f"{self.label}: the store cannot be created", error) from error

    @contextmanager
    def guarded(self) -> Generator[None]:
        """Turn the errors of the database into a `StoreError` (context manager).

        Raises:
            StoreError: the database raised an error.
        """
        import sqlite3

        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, UnicodeDecodeError) as error:
            # SQLite reports damage in text that may be damaged itself: hence the last of these.
            raise self._error(error) from error

    def _error(self, error: Exception) -> StoreError:
        return sqlite_error(f"{self.label}: the store cannot be used", error, _LOST)


def _not_installed(package: str) -> str:
    """Return the message for a database whose package is not installed."""
    if package.startswith("psycopg"):
        return "the store's driver is not installed (pip install 'ensue[postgres]')"
    return f"the store's driver is not installed: {package} (pip install {package}, or {_KINDS})"


def _sqlite_path(cachedir: Path, url: str | None) -> Path | None:
    if url is None:
        return cachedir / STORE_FILE
    if not url.startswith("sqlite"):
        return None
    _, _, database = url.partition(":///")
    if not database or database == ":memory:":
        raise StoreError(f"store_url: {url} names no file (write sqlite:///FILE)")
    return Path(database)
