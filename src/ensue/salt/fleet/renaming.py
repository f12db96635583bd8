"""Turns the events of a minion's run into events of the whole run, with names that are unique there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.events import (
    FannedOut,
    NodeFinished,
    NodeStarted,
    ScopeClosed,
    ScopeOpened,
    ScopePlanned,
)

if TYPE_CHECKING:
    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import Return, ScopeReturn


class Numbers:
    """The run-wide numbers of states, given in order of their start."""

    def __init__(self) -> None:
        self._next = 0
        self._known: dict[str, dict[int, int]] = {}

    def restart(self, minion: str) -> None:
        """Number the states of a minion anew: a run of it begins, the first one or one that resumes it."""
        self._known[minion] = {}

    def forget(self, minion: str) -> None:
        """Forget the numbers of a minion that has ended."""
        self._known.pop(minion, None)

    def of(self, minion: str, number: int) -> int:
        """Return the number of a state that has another one in its minion's run."""
        if number < 0:
            return number
        known = self._known.setdefault(minion, {})
        if number not in known:
            known[number] = self._next
            self._next += 1
        return known[number]


def event_of_run(event: RunEvent, minion: str, numbers: Numbers) -> RunEvent | None:  # noqa: PLR0911  # one for each kind of event
    """Return a minion's event as one of the whole run; None for what concerns the minion alone.

    Args:
        event: an event of the minion's run.
        minion: the minion.
        numbers: the numbers of this run.
    """
    replace = msgspec.structs.replace
    match event:
        case NodeStarted():
            return replace(
                event,
                tag_=_tag(event.tag_, minion),
                id=f"{minion} {event.id}",
                scope=_scope(event.scope, minion),
                run_num=numbers.of(minion, event.run_num),
            )
        case NodeFinished():
            return replace(event, returned=_return(event.returned, minion, numbers))
        case ScopeOpened():
            return replace(event, caller=_tag(event.caller, minion), scope=_scope(event.scope, minion))
        case ScopePlanned():
            tags = tuple(_tag(tag, minion) for tag in event.tags)
            return replace(event, scope=_scope(event.scope, minion), tags=tags)
        case FannedOut():
            tags = tuple(_tag(tag, minion) for tag in event.tags)
            return replace(event, scope=_scope(event.scope, minion), tag_=_tag(event.tag_, minion), tags=tags)
        case ScopeClosed():
            return replace(
                event, caller=_tag(event.caller, minion), returned=_scope_return(event.returned, minion)
            )
        case _:
            return None


def _return(returned: Return, minion: str, numbers: Numbers) -> Return:
    return msgspec.structs.replace(
        returned,
        tag=_tag(returned.tag, minion),
        id=f"{minion} {returned.id}",
        scope=_scope(returned.scope, minion),
        run_num=numbers.of(minion, returned.run_num),
        delayed=tuple(_scope_return(scope_return, minion) for scope_return in returned.delayed),
        applied=tuple(_scope_return(scope_return, minion) for scope_return in returned.applied),
    )


def _scope_return(scope: ScopeReturn, minion: str) -> ScopeReturn:
    return msgspec.structs.replace(scope, scope=_scope(scope.scope, minion))


def _scope(scope: str, minion: str) -> str:
    return f"{minion} {scope}" if scope else ""


def _tag(tag: str, minion: str) -> str:
    """Prefix ID and name, as Salt tags the returns of several machines in one run."""
    return "_|-".join(
        f"{minion} {part}" if index in {1, 2} else part for index, part in enumerate(tag.split("_|-"))
    )
