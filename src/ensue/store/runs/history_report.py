"""The report of a run, rebuilt from the events of its journal."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, cast

import msgspec

from ensue.core.model.events import (
    NodeFinished,
    NodeStarted,
    RunFinished,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
    StateExcluded,
)
from ensue.core.model.report import RunReport, RunStatus
from ensue.core.model.returns import Return, ScopeReturn
from ensue.store.runs.callers import caller_of
from ensue.store.runs.own_minion import own_minion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.core.model.events import RunEvent

_NO_END = "It began, and the journal does not have its end: the run was killed, or is still running"


def report_from_events(events: Sequence[RunEvent], minion_id: str) -> RunReport:
    """Return the report of a run; for a run that was killed, as far as it got.

    Args:
        events: all events of one run, in order.
        minion_id: the id that results are printed under, unless the run had another one.
    """
    started = next((event for event in events if isinstance(event, RunStarted)), None)
    ended = next((event for event in events if isinstance(event, RunFinished)), None)
    return RunReport(
        run_id=started.run_id if started else "",
        minion_id=own_minion(events, minion_id),
        test=started.test if started else False,
        status=cast("RunStatus", ended.status) if ended else "interrupted",
        exit_code=ended.exit_code if ended else 130,
        returns=_returns(events),
        not_run=ended.not_run if ended else (),
        hosts_not_run=ended.hosts_not_run if ended else {},
        owed_not_run=ended.owed_not_run if ended else (),
        not_run_on=(ended.not_run_on or ended.hosts_not_run) if ended else {},
        stopped=ended.stopped if ended else "",
        resumes=started.resumes if started else "",
        part=str(started.part) if started else "",
        excluded=tuple(event for event in events if isinstance(event, StateExcluded)),
        duration_s=_seconds(started.started_at, ended.ended_at) if started and ended else 0.0,
    )


def _seconds(start: str, end: str) -> float:
    try:
        return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError):  # No times, or one with an offset and one without.
        return 0.0


def _returns(events: Iterable[RunEvent]) -> dict[str, Return]:
    """Return the top scope's returns in order of start, each with what it caused."""
    by_scope: dict[str, dict[str, Return]] = {}
    scopes: dict[str, tuple[str, ScopeReturn]] = {}
    for event in events:
        match event:
            case NodeStarted(run_num=number) if number >= 0:
                by_scope.setdefault(event.scope, {})[event.tag_] = unended(event)
            case NodeFinished(returned=returned):
                # What it caused is rebuilt from the events, whether or not the return has it already.
                bare = msgspec.structs.replace(returned, delayed=(), applied=())
                siblings = by_scope.setdefault(bare.scope, {})
                siblings[bare.tag] = bare
                for tag in bare.handles:
                    if (handled := siblings.get(tag)) is not None:
                        handled.handled_by = handled.handled_by or bare.id
            case ScopeOpened():
                scopes[event.scope] = (event.caller, _unclosed(event))
            case ScopeClosed(caller=caller, returned=scope):
                scopes[scope.scope] = (caller, scope)
            case _:
                pass
    for caller, scope in scopes.values():
        _attach(caller, scope, by_scope)
    _attach_unopened(events, by_scope)
    return _in_order(by_scope.get("", {}))


def unended(event: NodeStarted) -> Return:
    """Return a placeholder for a state whose end is not in the journal: killed, or still running.

    Args:
        event: its beginning.
    """
    module, _, function = event.function.rpartition(".")
    name = event.tag_.removeprefix(f"{module}_|-{event.id}_|-").removesuffix(f"_|-{function}")
    return Return(
        tag=event.tag_,
        id=event.id,
        name=name,
        sls="",
        module=module,
        function=function,
        scope=event.scope,
        target=event.target,
        result=False,
        changes={},
        comment=_NO_END,
        run_num=event.run_num,
    )


def _unclosed(event: ScopeOpened) -> ScopeReturn:
    return ScopeReturn(
        kind=event.kind,
        name=event.name,
        scope=event.scope,
        status="failed",
        comment=_NO_END,
        target=event.target,
    )


def _attach(caller_tag: str, scope: ScopeReturn, by_scope: dict[str, dict[str, Return]]) -> None:
    caller = caller_of(scope.scope, scope.name, lambda path: by_scope.get(path, {}).get(caller_tag))
    if caller is None:
        return
    inner = msgspec.structs.replace(scope, returns=_in_order(by_scope.get(scope.scope, {})))
    if scope.is_delayed:
        caller.delayed = (*caller.delayed, inner)
    else:
        caller.applied = (*caller.applied, inner)


def _attach_unopened(events: Iterable[RunEvent], by_scope: dict[str, dict[str, Return]]) -> None:
    """Add the scopes that were never opened (deferred, not rendered), which only the return names."""
    for event in events:
        if isinstance(event, NodeFinished):
            for scope in event.returned.delayed:
                _add_missing(by_scope[event.returned.scope][event.returned.tag], scope)


def _add_missing(caller: Return, scope: ScopeReturn) -> None:
    if all(scope_return.scope != scope.scope for scope_return in caller.delayed):
        caller.delayed = (*caller.delayed, scope)


def _in_order(returns: dict[str, Return]) -> dict[str, Return]:
    return dict(sorted(returns.items(), key=lambda item: item[1].run_num))
