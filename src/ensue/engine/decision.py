"""What to do with a ready node: answer without a call, or call its function.

It only decides; the scheduler acts.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from ensue.core.model.fan_out import FannedChunk, FannedReturn, parts_of
from ensue.core.model.requisite import RequisiteKind
from ensue.core.model.returns import PreventedReturn, Return, SkippedReturn, StateReturn, UnknownReturn
from ensue.engine.answer import DecidedReturn
from ensue.engine.block_waits import answer_of_wait
from ensue.engine.node import Role
from ensue.engine.requisites import COMMENTS, Verdict, failed_requisites, judge, may_change
from ensue.engine.returns import failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ensue.core.model.requisite import Requisite
    from ensue.engine.node import Node
    from ensue.engine.reactions import Reactions

_WAITING: Final = frozenset({Verdict.CHANGES_UNKNOWN, Verdict.PREPARES_UNKNOWN, Verdict.FAILURE_UNKNOWN})
"""What only an apply decides."""


class Adopt(msgspec.Struct, frozen=True):
    """Take over an existing return.

    Args:
        returned: the return.
        earlier: it is from an earlier run, and this run has not reported it yet.
    """

    returned: Return
    earlier: bool = False


class Call(msgspec.Struct, frozen=True):
    """Call the function, as the verdict says."""

    verdict: Verdict


Decision: TypeAlias = Adopt | DecidedReturn | Call

_REACTING: Final = frozenset({RequisiteKind.WATCH, RequisiteKind.ONCHANGES})
_MOST_CAUSES: Final = 3
"""The most states that are named as the cause why another is not called."""
_JUST_CALL: Final = Call(Verdict.CALL)
_CHECK: Final = Role.CHECK
_REQUIRE: Final = RequisiteKind.REQUIRE
_ARG_BIND: Final = RequisiteKind.ARG_BIND


def decide(node: Node, before: Return | None, reactions: Reactions) -> Decision:
    """Decide about a node.

    Args:
        node: the node; everything that its requisites name is over.
        before: its return in the run that this one resumes, if it is taken over.
        reactions: the reactions that are owed.
    """
    scope, chunk = node.scope, node.chunk
    if node.refused:
        return node.instead or DecidedReturn(failure(chunk.name, node.refused), ran=False)
    if chunk.options.producers:
        return answer_of_wait(node)
    if before is not None:
        return Adopt(msgspec.structs.replace(before, delayed=()), earlier=True)
    if not scope.check_of and _went_well(chunk.requisites, scope.nodes):
        return _JUST_CALL
    return _decide_by_requisites(node, reactions)


def _went_well(requisites: Sequence[Requisite], nodes: Sequence[Node]) -> bool:
    """Return whether a node only requires that others have not failed, and none has: nearly always."""
    for requisite in requisites:
        kind = requisite.kind
        if requisite.any or (kind is not _REQUIRE and kind is not _ARG_BIND):
            return False
        for index in requisite.chunks:
            returned = nodes[index].returned
            if returned is not None and returned.result is False:
                return False
    return True


def _decide_by_requisites(node: Node, reactions: Reactions) -> Decision:
    scope, chunk = node.scope, node.chunk
    check = _own_check(node) if node.role is Role.STATE else None
    if check is not None and not check.ran:
        return Adopt(check)
    prepared_by = scope.prerequired_by.get(node.index, ()) if node.role is Role.STATE else ()
    verdict = _verdict(node, prepared_by, reactions)
    if verdict is Verdict.FAILED:
        return _failed(node, check, prepared_by)
    if verdict in _WAITING:
        return DecidedReturn(_waiting(node, verdict), ran=False)
    if verdict in COMMENTS:
        causes = _causes(_failed_partners(node)) if verdict is Verdict.NOTHING_CHANGED else ()
        skipped = PreventedReturn(chunk.name, True, comment=COMMENTS[verdict], causes=causes)
        return DecidedReturn(skipped, ran=False)
    return Call(verdict)


def _own_check(node: Node) -> Return | None:
    """Return the return of a node's check; for a chunk that was fanned out, on the same resource."""
    check = node.scope.check_result_of(node.index)
    if isinstance(check, FannedReturn):
        return check.on(node.target) if isinstance(node.chunk, FannedChunk) else None
    return None if isinstance(node.chunk, FannedChunk) else check


def _verdict(node: Node, prepared_by: Sequence[int], reactions: Reactions) -> Verdict:
    requisites = node.chunk.requisites
    kinds = {requisite.kind for requisite in requisites}
    return judge(
        requisites,
        node.scope.result_of,
        node.scope.check_result_of,
        prepared_by=prepared_by,
        can_watch=RequisiteKind.WATCH in kinds and node.role is not Role.CHECK and reactions.can_watch(node),
        is_owed=not kinds.isdisjoint(_REACTING) and reactions.is_owed(node),
        is_plan=node.scope.test,
    )


def _waiting(node: Node, verdict: Verdict) -> UnknownReturn:
    """Return the return of a state in a plan that an apply runs only if certain states change or fail."""
    if verdict is Verdict.FAILURE_UNKNOWN:
        event = f"only if {_failing(node)}"
    elif verdict is Verdict.PREPARES_UNKNOWN:
        names = _named(node, RequisiteKind.PREREQ, lambda part: part.unknown)
        event = f"if {' or '.join(names)} would change something"
    else:
        names = _named(node, RequisiteKind.ONCHANGES, may_change)
        event = f"if {' or '.join(names)} changes something"
    return UnknownReturn(name=node.chunk.name, result=None, comment=f"runs {event} (known after apply)")


def unless_watched(node: Node, function_return: StateReturn) -> StateReturn:
    """Return what a state of a plan returned; as unknown if it reacts to what only an apply decides.

    Args:
        node: the state; its verdict says that it may react.
        function_return: its return.
    """
    if (
        function_return.result is not True
        or function_return.changes
        or isinstance(function_return, SkippedReturn)
    ):
        return function_return
    names = _named(node, RequisiteKind.WATCH, may_change)
    comment = f"reacts if {' or '.join(names)} changes something (known after apply)"
    return UnknownReturn(name=function_return.name, result=None, comment=comment)


def _failing(node: Node) -> str:
    names = _named(node, RequisiteKind.ONFAIL, lambda part: part.result is None)
    any_is_enough = any(
        requisite.any for requisite in node.chunk.requisites if requisite.kind is RequisiteKind.ONFAIL
    )
    if any_is_enough or len(names) == 1:
        return f"{' or '.join(names)} fails"
    return f"{' and '.join(names)} fail"


def _named(node: Node, kind: RequisiteKind, is_open: Callable[[Return], bool]) -> list[str]:
    """Return the IDs that a node names in one kind of requisite and that a plan knows too little of."""
    scope = node.scope
    lookup = scope.check_result_of if kind is RequisiteKind.PREREQ else scope.result_of
    names = dict.fromkeys(
        part.id
        for requisite in node.chunk.requisites
        if requisite.kind is kind
        for index in requisite.chunks
        if (returned := lookup(index)) is not None
        for part in parts_of(returned)
        if is_open(part)
    )
    return list(names)


def _failed(node: Node, check: Return | None, prepared_by: Sequence[int]) -> DecidedReturn:
    """Return the check's return without changes, as Salt reports a state whose `prereq` partner failed."""
    if check is not None:
        return DecidedReturn(
            StateReturn(name=check.name, result=check.result, comment=check.comment), ran=True
        )
    scope = node.scope
    failed = [*failed_requisites(node.chunk.requisites, scope.result_of, scope.check_result_of, prepared_by)]
    names = dict.fromkeys(f"{part.sls}.{part.id}" if part.sls else part.id for part in failed)
    comment = f"One or more requisite failed: {', '.join(names)}"
    if elsewhere := list(_of_other_minions(node)):
        return DecidedReturn(failure(node.chunk.name, "\n".join([comment, *elsewhere])), ran=False)
    prevented = PreventedReturn(node.chunk.name, False, comment=comment, causes=_causes(failed))
    return DecidedReturn(prevented, ran=False)


def _causes(parts: Iterable[Return]) -> tuple[str, ...]:
    """Return the IDs of the states that failed first, which the returns of others name."""
    causes = dict.fromkeys(cause for part in parts for cause in part.causes or (part.id,))
    return tuple(islice(causes, _MOST_CAUSES))


def _failed_partners(node: Node) -> Iterator[Return]:
    """Yield what has failed of the states that a node reacts to, or has not run because others failed."""
    for requisite in node.chunk.requisites:
        if requisite.kind is RequisiteKind.ONCHANGES:
            for index in requisite.chunks:
                returned = node.scope.result_of(index)
                yield from (
                    part
                    for part in (parts_of(returned) if returned is not None else ())
                    if part.result is False or part.causes
                )


def _of_other_minions(node: Node) -> Iterator[str]:
    """Yield why states of other minions have failed that a node requires; nobody reports them here."""
    nodes = node.scope.nodes
    for index in dict.fromkeys(index for requisite in node.chunk.requisites for index in requisite.chunks):
        required = nodes[index]
        if required.chunk.options.minion_state is None or required.returned is None:
            continue
        if required.returned.result is False:
            yield f"{required.returned.id}: {required.returned.comment}"
