"""Whether a chunk's function is called, depending on the returns of the chunks that it names.

Pure: a function from returns to a verdict. All named chunks have settled by then; the scheduler waits for
them.

Source: Salt 3008, measured; the facts are in tests/engine/salt_facts.json.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from ensue.core.model.fan_out import FannedReturn, parts_of
from ensue.core.model.requisite import RequisiteKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ensue.core.model.requisite import Requisite
    from ensue.core.model.returns import Return

Lookup: TypeAlias = "Callable[[int], Return | None]"


class Verdict(enum.Enum):
    """The verdict of a chunk's requisites."""

    CALL = "call"
    CALL_AND_WATCH = "call; and mod_watch when that changes nothing"
    CALL_AND_MAY_WATCH = "call; only an apply shows whether something watched changes"
    FAILED = "something required failed"
    NOTHING_TO_PREPARE = "no prereq partner would change"
    NOTHING_FAILED = "onfail, and nothing failed"
    NOTHING_CHANGED = "onchanges, and nothing changed"
    CHANGES_UNKNOWN = "onchanges, and only an apply shows whether something changes"
    PREPARES_UNKNOWN = "prereq, and only an apply shows whether its partner would change something"
    FAILURE_UNKNOWN = "onfail, and only an apply shows whether something fails"


COMMENTS: Final = {
    Verdict.NOTHING_TO_PREPARE: "No changes detected",
    Verdict.NOTHING_FAILED: "State was not run because onfail req did not change",
    Verdict.NOTHING_CHANGED: "State was not run because none of the onchanges reqs changed",
}
"""Salt's comments for chunks that are skipped with result True."""

_OK = 1
_CHANGED = 2
_FAILED = 4
_ONFAIL_HELD = 8
_CHANGES_THERE = 16
_CHANGES_MISSING = 32
_WOULD_CHANGE = 64
_WOULD_NOT_CHANGE = 128
_CHANGES_UNKNOWN = 256
_FAILURE_UNKNOWN = 512
_MAY_CHANGE = 1024
_WATCH_UNKNOWN = 2048
_CHANGES: Final = {RequisiteKind.WATCH: _CHANGED, RequisiteKind.ONCHANGES: _CHANGES_THERE}
"""What a change is for the kinds of requisites that react to it."""


def judge(
    requisites: Sequence[Requisite],
    result_of: Lookup,
    check_result_of: Lookup,
    *,
    prepared_by: Sequence[int] = (),
    can_watch: bool = True,
    is_plan: bool = False,
    is_owed: bool = False,
) -> Verdict:
    """Return the verdict of a chunk's requisites.

    Args:
        requisites: the chunk's requisites, one per keyword and entry.
        result_of: returns the return of a chunk of the same plan.
        check_result_of: returns the return of the check of a chunk under `prereq`.
        prepared_by: the chunks that have this one as `prereq`; it does not run if they failed.
        can_watch: whether the chunk's module has a `mod_watch`; if not, `watch` is `require`.
        is_plan: whether a result of None is that of a plan, so that only an apply shows whether it fails.
        is_owed: whether an earlier run owes a reaction to changes: what has not failed counts as changed.
    """
    if not requisites and not prepared_by:
        return Verdict.CALL
    facts = 0
    for kind, any_of, targets in _groups(requisites, prepared_by):
        plain_kind = RequisiteKind.REQUIRE if kind is RequisiteKind.WATCH and not can_watch else kind
        lookup = check_result_of if kind is RequisiteKind.PREREQ else result_of
        group = 0 if targets else _untriggered(plain_kind, is_owed=is_owed)
        for index in targets:
            returned = lookup(index)
            if is_owed and plain_kind in _CHANGES and returned is not None and returned.result is not False:
                group |= _CHANGES[plain_kind]
            elif isinstance(returned, FannedReturn):
                group |= _facts(plain_kind, returned)
            elif returned is not None:
                group |= _fact(plain_kind, returned)
        if group & _FAILURE_UNKNOWN and not is_plan:
            group = (group & ~_FAILURE_UNKNOWN) | _OK
        if group & _MAY_CHANGE and not is_plan:
            group = (group & ~_MAY_CHANGE) | _WOULD_CHANGE
        if not is_plan:
            group &= ~_WATCH_UNKNOWN
        facts |= _outweighed(group) if any_of else group
    return _verdict(facts)


def _untriggered(kind: RequisiteKind, *, is_owed: bool) -> int:
    """Return the facts about a requisite of which a part of a run leaves out everything."""
    if kind is not RequisiteKind.ONCHANGES:
        return 0
    return _CHANGES_THERE if is_owed else _CHANGES_MISSING


def may_change(returned: Return) -> bool:
    """Return whether, in a plan, only an apply shows whether a state changes something."""
    return returned.unknown or (returned.result is None and not returned.changes)


def failed_requisites(
    requisites: Sequence[Requisite],
    result_of: Lookup,
    check_result_of: Lookup,
    prepared_by: Sequence[int] = (),
) -> Iterator[Return]:
    """Yield the returns of all named chunks that failed, in the order of naming."""
    for _, _, targets in _groups(requisites, prepared_by):
        for index in targets:
            for returned in (result_of(index), check_result_of(index)):
                for part in parts_of(returned) if returned is not None else ():
                    if part.result is False:
                        yield part


def _groups(
    requisites: Sequence[Requisite], prepared_by: Sequence[int]
) -> Iterator[tuple[RequisiteKind, bool, Sequence[int]]]:
    """Return the requisites that are judged together: all of one keyword (`require`, `require_any`)."""
    for requisite in requisites:
        if requisite.kind not in (RequisiteKind.LISTEN, RequisiteKind.LISTEN_IN):
            yield requisite.kind, requisite.any, requisite.chunks
    if prepared_by:
        yield RequisiteKind.REQUIRE, False, prepared_by


def _facts(kind: RequisiteKind, returned: FannedReturn) -> int:
    """Return the facts about a requisite; an ID that was fanned out names all its chunks."""
    facts = 0
    for part in returned.parts.values():
        facts |= _fact(kind, part)
    return facts


def _fact(kind: RequisiteKind, returned: Return) -> int:  # noqa: PLR0911 - one line a kind
    failed = returned.result is False
    ran = _OK if returned.ran else 0
    match kind:
        case RequisiteKind.REQUIRE | RequisiteKind.ARG_BIND:
            return _FAILED if failed else ran
        case RequisiteKind.WATCH:
            open_or_ran = ran | _WATCH_UNKNOWN if may_change(returned) else ran
            return _FAILED if failed else _CHANGED if returned.changes else open_or_ran
        case RequisiteKind.ONCHANGES:
            if may_change(returned):
                return _CHANGES_UNKNOWN
            return _CHANGES_THERE if returned.changes and not failed else _CHANGES_MISSING
        case RequisiteKind.ONFAIL:
            if returned.result is None:
                return _FAILURE_UNKNOWN
            return _ONFAIL_HELD if returned.result is True else ran
        case RequisiteKind.PREREQ:
            if failed:
                return _FAILED
            would_change = _MAY_CHANGE if returned.unknown else _WOULD_CHANGE
            return would_change if returned.result is None else _WOULD_NOT_CHANGE
        case RequisiteKind.LISTEN | RequisiteKind.LISTEN_IN:
            return 0
        case _ as never:
            assert_never(never)


def _outweighed(group: int) -> int:
    """Return whether a requisite of an `_any` group holds, so that the others do not count."""
    if group & (_OK | _CHANGED):
        group &= ~_FAILED
    if group & _OK:
        return group & ~(_ONFAIL_HELD | _FAILURE_UNKNOWN)
    return group & ~_ONFAIL_HELD if group & _FAILURE_UNKNOWN else group


def _verdict(facts: int) -> Verdict:  # noqa: PLR0911 - one line a verdict, in Salt's order of precedence
    if facts & _FAILED:
        return Verdict.FAILED
    if facts & _MAY_CHANGE and not facts & _WOULD_CHANGE:
        return Verdict.PREPARES_UNKNOWN
    if facts & _WOULD_NOT_CHANGE:
        return Verdict.CALL if facts & _WOULD_CHANGE else Verdict.NOTHING_TO_PREPARE
    if facts & _ONFAIL_HELD and not facts & _CHANGES_THERE:
        return Verdict.NOTHING_FAILED
    if facts & _FAILURE_UNKNOWN and not facts & _CHANGES_THERE:
        return Verdict.FAILURE_UNKNOWN
    if facts & (_CHANGES_MISSING | _CHANGES_UNKNOWN) and not facts & _CHANGES_THERE:
        return Verdict.CHANGES_UNKNOWN if facts & _CHANGES_UNKNOWN else Verdict.NOTHING_CHANGED
    if facts & _CHANGED:
        return Verdict.CALL_AND_WATCH
    if facts & _ONFAIL_HELD:
        return Verdict.NOTHING_FAILED
    if facts & _FAILURE_UNKNOWN:
        return Verdict.FAILURE_UNKNOWN
    return Verdict.CALL_AND_MAY_WATCH if facts & _WATCH_UNKNOWN else Verdict.CALL
