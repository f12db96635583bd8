"""How enforced states are written: one by one as entries, many together as a blob."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One enforced state as it is stored.

    Args:
        module: module path.
        function: the function in it.
        id: the declaration's ID.
        name: the state's name.
        sls: its SLS.
        shown: MessagePack of the new state, secrets masked.
        sensitive: paths into it.
        sealed: the new state in the clear, encrypted; None where there is no secret in it.
        cut: paths of the values that are not kept whole.
    """

    module: str
    function: str
    id: str
    name: str
    sls: str
    shown: bytes
    sensitive: tuple[str, ...] = ()
    sealed: bytes | None = None
    cut: tuple[tuple[str, ...], ...] = ()


class Row(msgspec.Struct, frozen=True):
    """An entry with what it is found by.

    Args:
        target: SRN, as text.
        scope: the path of its scope; empty at the top.
        tag: the chunk's tag.
        run_id: the run that last wrote it.
        entry: the entry.
    """

    target: str
    scope: str
    tag: str
    run_id: str
    entry: Entry


Kept: TypeAlias = "tuple[str, bytes]"
"""The run that last wrote an entry, and the entry, encoded: most are only ever compared."""

States: TypeAlias = "dict[str, dict[str, dict[str, Kept]]]"
"""By target, scope and tag."""

encode_entry: Final = msgspec.msgpack.Encoder().encode
decode_entry: Final = msgspec.msgpack.Decoder(Entry).decode
encode_states: Final = msgspec.msgpack.Encoder().encode
decode_states: Final = msgspec.msgpack.Decoder(dict[str, dict[str, dict[str, tuple[str, bytes]]]]).decode


def row_of(target: str, scope: str, tag: str, kept: Kept) -> Row:
    """Return what is kept under a tag."""
    return Row(target, scope, tag, kept[0], decode_entry(kept[1]))


def merge(states: States, later: States) -> None:
    """Put later entries into a collection; they replace those of the same state."""
    for target, scopes in later.items():
        mine = states.setdefault(target, {})
        for scope, entries in scopes.items():
            mine.setdefault(scope, {}).update(entries)


def differing(rows: Iterable[Row], states: States) -> States:
    """Return of some rows those that a collection does not have in this form; the last of a state counts."""
    changed: States = {}
    known: dict[str, Kept] = {}
    last: Row | None = None
    for row in rows:
        target, scope = row.target, row.scope
        if last is None or target is not last.target or scope is not last.scope:
            known = states.get(target, {}).get(scope, {})
            last = row
        encoded = encode_entry(row.entry)
        kept = known.get(row.tag)
        if kept is None or kept[1] != encoded:
            changed.setdefault(target, {}).setdefault(scope, {})[row.tag] = (row.run_id, encoded)
        elif changed:
            # States with a secret in their names may be called the same without it.
            changed.get(target, {}).get(scope, {}).pop(row.tag, None)
    return changed
