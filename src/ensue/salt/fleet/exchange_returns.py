"""The returns of states in the form in which other minions get them, and why there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.minion_state import ANY_PATH, MinionReturn
from ensue.language.collector import near_names
from ensue.language.references.producers import is_below
from ensue.salt.fleet.value_messages import MOST_VALUE_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.minion_state import MinionState
    from ensue.core.model.returns import Return
    from ensue.salt.fleet.exchange_party import ExchangeParty

MOST_SHOWN: Final = 10
"""How many names a message has at most."""


def combined_return(state: MinionState, parts: Mapping[str, MinionReturn]) -> MinionReturn:
    """Return what a state with a `tgt` has returned: in one place, if one is named, or in all.

    Args:
        state: the state, as it was asked for.
        parts: its returns, by resource.
    """
    if state.selector is not None:
        selected = [part for srn, part in parts.items() if state.selector in _names(srn, state.id)]
        if len(selected) == 1:
            return selected[0]
        return missing_return(
            f"it was not run on {state.selector!r}, but on {', '.join([*parts][:MOST_SHOWN])}"
        )
    results = {part.result for part in parts.values()}
    whole = MinionReturn(
        result=False if False in results else None if None in results else True,
        comment="; ".join(f"{srn}: {part.comment}" for srn, part in parts.items() if part.comment),
        has_changes=any(part.has_changes for part in parts.values()),
        ran=any(part.ran for part in parts.values()),
        unknown=any(part.unknown for part in parts.values()),
        parts=dict(parts),
    )
    if len(msgspec.json.encode(whole)) > MOST_VALUE_BYTES:
        return failed_return(
            f"its new_state has more than {MOST_VALUE_BYTES >> 10} KiB on all resources together"
        )
    return whole


def _names(srn: str, name: str) -> tuple[str, ...]:
    """Return what may select an instance: its id, its whole name, or its id with the name of the state."""
    id_ = srn.partition(":")[2]
    return (id_, srn, f"{id_} {name}")


def shown_return(returned: Return) -> MinionReturn:
    """Return the return of a state in the form in which other minions get it."""
    return MinionReturn(
        result=returned.result,
        comment=returned.comment if returned.result is False else "",
        has_changes=bool(returned.changes),
        new_state=returned.new_state,
        sensitive=returned.sensitive,
        ran=returned.ran,
        unknown=returned.unknown,
    )


def why_not_one(producer: ExchangeParty, state: MinionState) -> str:
    """Return why a need does not mean exactly one state."""
    if states := producer.find(state):
        names = [
            f"{state_name.id!r} ({state_name.module}, name {state_name.name!r})"
            for _, state_name in states[:MOST_SHOWN]
        ]
        return f"it means several states of {state.minion}: {', '.join(names)}"
    ids = {
        state_name.id
        for state_name in producer.states()
        if state.path == ANY_PATH or is_below(state_name.module, state.path)
    }
    near = near_names(state.id, ids)
    return f"{state.minion} has no such state in this run{f': {near}' if near else ''}"


def missing_return(comment: str) -> MinionReturn:
    """Return what fails all that names a state, whatever it requires: there is no such state."""
    return MinionReturn(result=False, comment=comment, missing=True)


def failed_return(comment: str) -> MinionReturn:
    """Return the return of a state that has failed, or never will return."""
    return MinionReturn(result=False, comment=comment)
