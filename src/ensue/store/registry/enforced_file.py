"""The file of enforced states: a SQLite file of entries, whose meaning it does not know.

Entries are appended in batches, each as one blob: a row per entry would take a large apply longer than its
states do. The latest entry of a state counts. A large run first reads what exists and appends only the
differences; after many small runs, the blobs are merged.

It uses `sqlite3` directly: every apply opens this file, and SQLAlchemy would take longer than everything
that is done here.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import StoreError, not_written
from ensue.core.files import private_files
from ensue.store.registry.enforced_form import (
    EnforcedRow,
    States,
    decode_entry,
    decode_states,
    differing,
    encode_states,
    encoded_rows,
    merge,
)
from ensue.store.registry.enforced_upgrade import VERSION, bring_up_to_date
from ensue.store.registry.loaded_states import LoadedStates
from ensue.store.registry.lock_waits import LockWaits
from ensue.store.registry.sqlite_remedies import sqlite_error

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Generator, Sequence
    from pathlib import Path

    from ensue.store.registry.enforced_form import EntryKey, Place

FILE: Final = "enforced.db"
"""Name of the file below the cachedir."""

MANY: Final = 1000
"""A write of at least this many entries first reads what exists."""

MOST_SEGMENTS: Final = 200
"""The most appended blobs before they are merged."""

_LOST: Final = "the enforced state is lost; the next apply records it again"
_APPEND: Final = "INSERT INTO segment (states) VALUES (?)"


class EnforcedFile:
    """The file, opened on first use; any thread may call.

    Args:
        cachedir: the project's cachedir.
        waits: ends its waits for other processes.
    """

    def __init__(self, cachedir: Path, waits: LockWaits | None = None) -> None:
        self.path = cachedir / FILE
        self._waits = waits or LockWaits()
        self._connection: sqlite3.Connection | None = None
        self._turn = threading.RLock()
        self._loaded = LoadedStates({})
        self._read_up_to = 0

    def one(self, key: EntryKey) -> EnforcedRow | None:
        """Return a row; None when there is none.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._turn:
            self._refresh()
            return self._loaded.one(key)

    def elsewhere(self, key: EntryKey) -> list[EnforcedRow]:
        """Return the rows of a state in other environments.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._turn:
            self._refresh()
            return self._loaded.elsewhere(key)

    def named(self, place: Place, scope: str, word: str) -> list[EnforcedRow]:
        """Return the rows of a scope that have a word as ID or name, by tag.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._turn:
            self._refresh()
            return self._loaded.named(place, scope, word)

    def alike(self, place: Place, scope: str, word: str) -> list[EnforcedRow]:
        """Return the rows that have a word as ID or name, of all scopes that differ in their callers only.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._turn:
            self._refresh()
            return self._loaded.alike(place, scope, word)

    def owing(self) -> list[EnforcedRow]:
        """Return the rows of the states that owe a reaction.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._turn:
            self._refresh()
            return self._loaded.owing()

    def on(self, is_chosen: Callable[[str], bool]) -> list[EnforcedRow]:
        """Return the rows of the targets that are chosen by their names.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._turn:
            self._refresh()
            return self._loaded.on(is_chosen)

    def all(self, besides: Collection[EntryKey] = ()) -> list[EnforcedRow]:
        """Return every row but some, by target, environment, scope and tag.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._turn:
            self._refresh()
            return self._loaded.all(besides)

    def copy(self) -> LoadedStates:
        """Return every entry, for lookups without I/O.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._turn:
            self._refresh()
            return self._loaded.copy()

    def write(self, rows: Sequence[EnforcedRow]) -> States:
        """Add or replace rows: all of them, or none. No plain text of an entry that is encrypted now is left.

        Returns:
            The rows as they are kept.

        Raises:
            StoreError: they cannot be written.
        """
        later = encoded_rows(rows)
        with self._turn:
            encrypted = [row for row in rows if row.entry.sealed is not None]
            if len(rows) >= MANY or self._read_up_to or encrypted:
                self._refresh()
            changed = differing(later, self._loaded.states)
            if any(map(self._was_open, encrypted)):
                self._write_over(changed, ())
            elif changed and self._append(changed) > MOST_SEGMENTS:
                self._write_together({})
        return later

    def replace(self, rows: Sequence[EnforcedRow]) -> None:
        """Replace rows, and overwrite their former content in the file.

        Raises:
            StoreError: they cannot be written; nothing was changed.
        """
        self._write_over(differing(encoded_rows(rows), self._loaded.states), ())

    def remove(self, rows: Sequence[EnforcedRow]) -> None:
        """Remove rows, and overwrite their content in the file.

        Raises:
            StoreError: that cannot be written; nothing was changed.
        """
        with self._turn:
            self._write_over({}, rows)

    def _write_over(self, changed: States, removed: Sequence[EnforcedRow]) -> None:
        with self._opened(create=True) as connection:
            connection.execute("PRAGMA secure_delete=ON")
            self._write_together(changed, removed)
            # Deleted content is overwritten in the file, and the log that still has it is emptied.
            wait = self._waits.begin(self.path)
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] and wait.goes_on():
                pass  # Another process reads or writes. After the limit, its next checkpoint empties the log.

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._turn:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _was_open(self, row: EnforcedRow) -> bool:
        kept = self._loaded.states.get(row.key.place, {}).get(row.scope, {}).get(row.tag)
        return kept is not None and decode_entry(kept[1]).sealed is None

    def _append(self, changed: States) -> int:
        """Append a blob; return how many there are now."""
        with self._opened(create=True) as connection, _transaction(connection):
            appended = connection.execute(_APPEND, (encode_states(changed),)).lastrowid
            (segments,) = connection.execute("SELECT count(*) FROM segment").fetchone()
        if appended == self._read_up_to + 1:
            merge(self._loaded.states, changed)
            self._loaded.forget_words()
            self._read_up_to += 1
        return int(segments)

    def _write_together(self, changed: States, removed: Sequence[EnforcedRow] = ()) -> None:
        try:
            with self._opened(create=True) as connection, _transaction(connection):
                self._take_in(connection)
                merge(self._loaded.states, changed)
                for row in removed:
                    self._loaded.states.get(row.key.place, {}).get(row.scope, {}).pop(row.tag, None)
                connection.execute("DELETE FROM segment")
                # One blob per place: the size of a blob is limited.
                blobs = [(encode_states({place: scopes}),) for place, scopes in self._loaded.states.items()]
                connection.executemany(_APPEND, blobs)
        except BaseException:
            self._loaded.states, self._read_up_to = {}, 0
            raise
        finally:
            self._loaded.forget_words()

    def _refresh(self) -> None:
        """Read the blobs that this process or another has appended since the last read."""
        if self._connection is None and not self.path.exists():
            return
        with self._opened(create=False) as connection:
            self._take_in(connection)

    def _take_in(self, connection: sqlite3.Connection) -> None:
        last_read = "SELECT count(*) FROM segment WHERE number = ?"
        if self._read_up_to and not connection.execute(last_read, (self._read_up_to,)).fetchone()[0]:
            # Everything has been written together since, perhaps without entries that were removed.
            self._loaded.states, self._read_up_to = {}, 0
            self._loaded.forget_words()
        statement = "SELECT number, states FROM segment WHERE number > ? ORDER BY number"
        for number, states in connection.execute(statement, (self._read_up_to,)):
            merge(self._loaded.states, _decoded(states, self.path))
            self._read_up_to = number
            self._loaded.forget_words()

    @contextmanager
    def _opened(self, *, create: bool) -> Generator[sqlite3.Connection]:
        import sqlite3

        with self._turn:
            try:
                if self._connection is None:
                    self._connection = self._open(create=create)
                yield self._connection
            except sqlite3.Error as error:
                raise sqlite_error(str(self.path), error, _LOST) from error
            except OSError as error:
                raise not_written(f"{self.path}: it cannot be created", error) from error

    def _open(self, *, create: bool) -> sqlite3.Connection:
        from ensue.store.registry.waiting_connection import connect_existing

        if create and not self.path.exists():
            private_files.make_private_directory(self.path.parent)
            self._create()
        connection = connect_existing(self.path, self._waits)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _create(self) -> None:
        from ensue.store.registry.waiting_connection import connect

        # Created under another name and linked into place, so an empty file is always a truncated one.
        temporary = private_files.beside(self.path)
        try:
            os.close(private_files.open_private_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            connection = connect(temporary, self._waits)
            try:
                self._prepare(connection)
                # Closing would do that as well, but not say that there was no room for it.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                connection.close()
            with suppress(FileExistsError):
                os.link(temporary, self.path)
        finally:
            for suffix in ("", "-wal", "-shm"):
                temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            msg = f"{self.path}: it is of version {version}, this ensue knows {VERSION} (use a newer ensue)"
            raise StoreError(msg)
        if version < VERSION:
            # Enough against kill -9, and a file in WAL mode is not corrupted by a power cut either.
            connection.execute("PRAGMA journal_mode=WAL")
            with _transaction(connection):
                bring_up_to_date(connection)
        connection.execute("PRAGMA synchronous=NORMAL")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Generator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # After some errors (a full disk), SQLite has rolled back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _decoded(states: bytes, path: Path) -> States:
    try:
        return decode_states(states)
    except msgspec.MsgspecError as error:
        msg = f"{path}: its content cannot be read: {error} (move it away, and apply again)"
        raise StoreError(msg) from error
