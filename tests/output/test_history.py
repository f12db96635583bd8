"""A report that is put together from a journal is the one that the run had."""

from __future__ import annotations

from typing import Any

from ensue.core.model.events import (
    NodeFinished,
    NodeStarted,
    RunFinished,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
)
from ensue.core.model.returns import Return, ScopeReturn
from ensue.store.runs.history_report import report_from_events


def _return(id_: str, number: int, scope: str = "", **fields: Any) -> Return:
    return Return(
        tag=f"test_|-{id_}_|-{id_}_|-nop",
        id=id_,
        name=id_,
        sls="s",
        module="test",
        function="nop",
        scope=scope,
        target="minion:m",
        result=True,
        changes={},
        comment="",
        run_num=number,
        **fields,
    )


def _closed(caller: str, kind: str, name: str, scope: str) -> ScopeClosed:
    inner = ScopeReturn(kind=kind, name=name, scope=scope, status="done", target="ssh_host:x")
    return ScopeClosed(f"test_|-{caller}_|-{caller}_|-nop", inner)


STARTED = RunStarted("r1", False, 2, "2026-01-01T00:00:00+00:00", ("a",))
ENDED = RunFinished("r1", "failed", 2, "2026-01-01T00:00:02.500000+00:00", ("z (test.nop)",))


def test_scopes_stand_under_their_callers() -> None:
    """Two states of one ID in two scopes cause a scope each, and each gets its own."""
    outer, inner = _return("a", 0), _return("a", 1, "a/x")
    innermost, other = _return("deep", 2, "a/x/a/y"), _return("b", 3)
    events = [
        STARTED,
        NodeStarted(outer.tag, "a", "test.nop", "", "minion:m", 0),
        ScopeOpened(outer.tag, "apply", "x", "a/x", "ssh_host:x", 1),
        NodeFinished(inner),
        ScopeOpened(inner.tag, "block", "y", "a/x/a/y", "ssh_host:x", 1),
        NodeFinished(innermost),
        _closed("a", "block", "y", "a/x/a/y"),
        _closed("a", "apply", "x", "a/x"),
        NodeFinished(other),
        NodeFinished(outer),
        ENDED,
    ]
    report = report_from_events(events, "m")
    assert list(report.returns) == [outer.tag, other.tag], "in order of start"
    [applied] = report.returns[outer.tag].applied
    assert list(applied.returns) == [inner.tag]
    [delayed] = applied.returns[inner.tag].delayed
    assert list(delayed.returns) == [innermost.tag]
    assert (report.exit_code, report.status, report.not_run) == (2, "failed", ("z (test.nop)",))
    assert report.duration_s == 2.5


def test_what_the_journal_has_in_the_return_is_not_doubled() -> None:
    """A return that was written with its scopes has each of them once; unopened ones are kept."""
    applied = ScopeReturn(kind="apply", name="x", scope="a/x", status="done", target="ssh_host:x")
    deferred = ScopeReturn(kind="block", name="b", scope="a/b", status="deferred")
    outer = _return("a", 0, applied=(applied,), delayed=(deferred,))
    events = [STARTED, _closed("a", "apply", "x", "a/x"), NodeFinished(outer), ENDED]
    report = report_from_events(events, "m")
    shown = report.returns[outer.tag]
    assert [scope.status for scope in shown.applied] == ["done"]
    assert [scope.status for scope in shown.delayed] == ["deferred"]


def test_a_killed_run_is_shown_as_far_as_it_came() -> None:
    """States that began and scopes that opened are shown as unended, with what ended inside them."""
    outer, inner = _return("a", 0), _return("there", 1, "a/x")
    events = [
        STARTED,
        NodeStarted(outer.tag, "a", "test.nop", "", "minion:m", 0),
        ScopeOpened(outer.tag, "apply", "x", "a/x", "ssh_host:x", 2),
        NodeFinished(inner),
    ]
    report = report_from_events(events, "m")
    assert (report.status, report.exit_code) == ("interrupted", 130)
    shown = report.returns[outer.tag]
    assert (shown.result, shown.id, shown.name, shown.function) == (False, "a", "a", "nop")
    assert "the run was killed" in shown.comment
    [scope] = shown.applied
    assert (scope.status, scope.target, list(scope.returns)) == ("failed", "ssh_host:x", [inner.tag])


def test_an_empty_journal_is_an_empty_report() -> None:
    """A journal that was cut before its first event makes no exception."""
    assert report_from_events([], "m").returns == {}
