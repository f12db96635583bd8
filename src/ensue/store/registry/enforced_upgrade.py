"""The tables of the file of enforced states, and the upgrade from an earlier version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.store.registry.enforced_form import EnforcedEntry, EnforcedRow, encode_states, encoded_rows

if TYPE_CHECKING:
    import sqlite3

VERSION: Final = 2
"""Version 1 had a row per state."""

_TABLE: Final = "CREATE TABLE segment (number INTEGER PRIMARY KEY AUTOINCREMENT, states BLOB NOT NULL)"
_ROWS_OF_VERSION_1: Final = """
SELECT target, scope, tag, module, function, id, name, sls, sensitive, shown, sealed, run_id FROM enforced
"""


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Create the tables in the caller's transaction, and take over the rows of an earlier version."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == VERSION:  # another process was faster
        return
    # A number is never reused: a reader that has read up to a number has read all before it.
    connection.execute(_TABLE)
    if version == 1:
        rows = map(_row, connection.execute(_ROWS_OF_VERSION_1))
        connection.execute("INSERT INTO segment (states) VALUES (?)", (encode_states(encoded_rows(rows)),))
        connection.execute("DROP TABLE enforced")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _row(
    values: tuple[str, str, str, str, str, str, str, str, bytes, bytes, bytes | None, str],
) -> EnforcedRow:
    target, scope, tag, module, function, id_, name, sls, sensitive, shown, sealed, run_id = values
    paths = msgspec.msgpack.decode(sensitive, type=tuple[str, ...])
    return EnforcedRow(
        target, scope, tag, run_id, EnforcedEntry(module, function, id_, name, sls, shown, paths, sealed)
    )
