"""The entries of states that another one has replaced: the declaration of that ID has another name by now.

An entry is replaced once an apply enforces a state of the same declaration, that is of its ID, function, SLS,
environments, scope and target, and declares none of the entry's own name. So the states of `names`, which one
declaration has side by side, do not replace each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

from ensue.core.masking import MASK
from ensue.core.model.fan_out import every_part

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from ensue.core.model.enforced import EnforcedBy
    from ensue.core.model.returns import Return
    from ensue.store.registry.enforced_form import EnforcedRow, EntryKey
    from ensue.store.runs.declarations import RunDeclarations

_Declaration: TypeAlias = "tuple[str, str, str, str, str, str, str, str]"


def replaced_states(
    entries: Callable[[Collection[EntryKey]], Iterable[EnforcedRow]],
    declarations: RunDeclarations,
    returns: Mapping[str, Return],
    masked: Callable[[str], str],
) -> list[EnforcedRow]:
    """Return the entries that states of this run have replaced, as former ones; this blocks.

    Args:
        entries: returns what applies enforced, without the entries of the states that it is given.
        declarations: those of this run.
        returns: what the states of this run returned, by tag.
        masked: returns an ID or a scope as entries have it.

    Raises:
        StoreError: the enforced states cannot be read.
    """
    enforced = [
        each for each in every_part(returns.values()) if each.result is True and each.new_state is not None
    ]
    rows = [
        row
        for row in entries({declarations.key_of(each.identity) for each in enforced})
        if row.is_readable and MASK not in row.tag and declarations.has_left_target(row)
    ]
    if not rows:
        return []
    declared = {
        _declaration(
            msgspec.structs.replace(declarations.key_of(each.identity), scope=masked(each.scope_identity)),
            (each.module, each.function, masked(each.id)),
            by,
        )
        for each in enforced
        if (by := declarations.of_return(each)) is not None
    }
    return [_as_former(row) for row in rows if _of_row(row) in declared]


def _of_row(row: EnforcedRow) -> _Declaration | None:
    entry = row.entry
    words = (entry.module, entry.function, entry.id)
    return None if entry.by is None else _declaration(row.key, words, entry.by)


def _declaration(key: EntryKey, words: tuple[str, str, str], by: EnforcedBy) -> _Declaration:
    return key.target, key.environment, key.scope, *words, by.sls, by.on


def _as_former(row: EnforcedRow) -> EnforcedRow:
    return msgspec.structs.replace(row, entry=msgspec.structs.replace(row.entry, sealed=None, is_former=True))
