"""The tables of the file of enforced states, and the upgrade from an earlier version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.enforced import environment_of_values
from ensue.store.registry.enforced_form import (
    NO_STATE,
    EnforcedEntry,
    EnforcedRow,
    encode_states,
    encoded_rows,
    row_of,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from ensue.core.model.enforced import EnforcedBy

VERSION: Final = 3
"""Version 1 had a row per state, version 2 entries by target, scope and tag alone."""

_decode_version_2: Final = msgspec.msgpack.Decoder(dict[str, dict[str, dict[str, tuple[str, bytes]]]]).decode

_TABLE: Final = "CREATE TABLE segment (number INTEGER PRIMARY KEY AUTOINCREMENT, states BLOB NOT NULL)"
_ROWS_OF_VERSION_1: Final = """
SELECT target, scope, tag, module, function, id, name, sls, sensitive, shown, sealed, run_id FROM enforced
"""


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Create the tables in the caller's transaction, and take over the rows of an earlier version."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == VERSION:  # another process was faster
        return
    if version < 2:  # noqa: PLR2004 - the version that has the table
        # A number is never reused: a reader that has read up to a number has read all before it.
        connection.execute(_TABLE)
    else:
        segments = connection.execute("SELECT states, number FROM segment").fetchall()
        connection.executemany(
            "UPDATE segment SET states = ? WHERE number = ?",
            [(encode_states(encoded_rows(_of_version_2(states))), number) for states, number in segments],
        )
    if version == 1:
        rows = map(_row, connection.execute(_ROWS_OF_VERSION_1))
        connection.execute("INSERT INTO segment (states) VALUES (?)", (encode_states(encoded_rows(rows)),))
        connection.execute("DROP TABLE enforced")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _of_version_2(states: bytes) -> Iterator[EnforcedRow]:
    for target, scopes in _decode_version_2(states).items():
        for scope, entries in scopes.items():
            for tag, kept in entries.items():
                row = row_of((target, ""), scope, tag, kept)
                yield row if row.entry.by is None else _in_environment(row, row.entry.by)


def _in_environment(row: EnforcedRow, by: EnforcedBy) -> EnforcedRow:
    """Return a row in the environment of its declaration."""
    environment, entry = environment_of_values(by.environment), row.entry
    if environment and entry.sealed is not None:
        # It was encrypted for the state in any environment: the next apply records it again.
        entry = msgspec.structs.replace(entry, shown=NO_STATE, sealed=None)
    return msgspec.structs.replace(row, environment=environment, entry=entry)


def _row(
    values: tuple[str, str, str, str, str, str, str, str, bytes, bytes, bytes | None, str],
) -> EnforcedRow:
    target, scope, tag, module, function, id_, name, sls, sensitive, shown, sealed, run_id = values
    paths = msgspec.msgpack.decode(sensitive, type=tuple[str, ...])
    return EnforcedRow(
        target, scope, tag, run_id, EnforcedEntry(module, function, id_, name, sls, shown, paths, sealed)
    )
