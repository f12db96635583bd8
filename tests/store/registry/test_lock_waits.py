"""Waits for the locks of other processes: they are bounded, and can be ended."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import StoreError
from ensue.store.registry import lock_waits
from ensue.store.registry.lock_waits import LockWaits
from ensue.store.registry.store import CrossRunStore
from ensue.store.registry.waiting_connection import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from ensue.store.registry.lock_waits import Wait


class Observed(LockWaits):
    """Waits that call something when one begins.

    Args:
        began: what is called.
    """

    def __init__(self, began: Callable[[], object]) -> None:
        super().__init__()
        self._began = began

    def begin(self, path: Path) -> Wait:
        """Begin a wait; see `LockWaits`."""
        self._began()
        return super().begin(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with an empty table."""
    with closing(connect(tmp_path / "a.db", LockWaits())) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE t (x)")
    return tmp_path / "a.db"


@pytest.fixture
def holder(path: Path) -> Generator[sqlite3.Connection]:
    """A connection that has locked the database."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        yield holder


def test_what_waits_goes_on_when_the_lock_is_free(path: Path, holder: sqlite3.Connection) -> None:
    """All rows are written, although the first attempt has used up their iterator."""
    with closing(connect(path, Observed(lambda: holder.execute("COMMIT")))) as connection:
        connection.executemany("INSERT INTO t VALUES (?)", ((number,) for number in range(3)))
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (3,)


def test_a_wait_has_a_limit(path: Path, holder: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """After it, SQLite's own error is raised, which names the remedy."""
    assert holder.in_transaction
    monkeypatch.setattr(lock_waits, "LIMIT_S", 0.0)
    with closing(connect(path, LockWaits())) as connection, pytest.raises(sqlite3.OperationalError) as raised:
        connection.execute("BEGIN IMMEDIATE")
    assert raised.value.sqlite_errorname == "SQLITE_BUSY"


def test_waits_end_when_they_are_told_to(path: Path, holder: sqlite3.Connection) -> None:
    """A wait that goes on ends, later ones do not begin, and what needs no wait still succeeds."""
    assert holder.in_transaction
    waits = Observed(lambda: threading.Thread(target=waits.end).start())
    with closing(connect(path, waits)) as connection:
        for _ in range(2):
            with pytest.raises(StoreError, match="another process has it locked"):
                connection.execute("BEGIN IMMEDIATE")
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_a_user_is_told_what_is_waited_for(
    path: Path,
    holder: sqlite3.Connection,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The line names the file, once per wait."""
    assert holder.in_transaction
    monkeypatch.setattr(lock_waits, "NOTICE_S", 0.0)
    monkeypatch.setattr(lock_waits, "LIMIT_S", 0.5)
    with closing(connect(path, LockWaits())) as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("BEGIN IMMEDIATE")
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: waiting for another process, which has it locked"
    ]


def test_the_store_of_derived_resources_waits_in_the_same_way(tmp_path: Path) -> None:
    """A transaction through SQLAlchemy ends with the same error, and none of it is written."""
    waits = LockWaits()
    store = CrossRunStore(tmp_path, waits=waits)
    with store.transaction() as entries:
        entries.set_fact("a", "1")
    waits.end()
    with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="interrupted"), store.transaction() as entries:
            entries.set_fact("a", "2")
    with store.transaction() as entries:
        assert entries.fact("a") == "1"
    store.close()
