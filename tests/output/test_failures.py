"""The failures at the end of a run: whole reasons, one failure per host that cannot be reached."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.core.masking import Masker
from ensue.core.model.report import RunReport
from ensue.core.model.returns import Return
from ensue.output.colours import PLAIN
from ensue.output.failures import RepeatedFailures, UnreachableHosts, what_happened, without_way_out

LONG = "ssh_host:web shows the host key SHA256:" + "x" * 900


def failed(id_: str, comment: str, **more: Any) -> Return:
    given: dict[str, Any] = {"target": "minion:m", "changes": {}, "result": False, **more}
    return Return(
        tag=id_, id=id_, name=id_, sls="t", module="cmd", function="run", scope="", comment=comment, **given
    )


def end_of(*returns: Return, whole: bool = False) -> list[str]:
    report = RunReport(
        run_id="r",
        minion_id="m",
        test=False,
        status="failed",
        exit_code=2,
        returns={each.tag: each for each in returns},
    )
    return RepeatedFailures(report, Masker(), whole=whole).lines(PLAIN)


@pytest.mark.parametrize("end", ["", " (did you mean host?)", " (run it: `ensue call x test.ping (a)`)"])
def test_a_reason_is_never_cut(end: str) -> None:
    """However long it is; the lines of progress have all but the way out, if the results have it."""
    happened = what_happened(failed("a", f"{LONG}{end}"), Masker())
    assert happened == f"{LONG}{end}"
    assert without_way_out(happened) == LONG


def test_the_last_line_of_a_command_has_a_bound() -> None:
    """A program may write a line of any length."""
    happened = what_happened(failed("a", "run", changes={"retcode": 3, "stderr": "x" * 5000}), Masker())
    assert happened == f"exited 3: {'x' * 1000}…"


@pytest.mark.parametrize(("whole", "further"), [(False, []), (True, ["      one more"])])
def test_a_comment_has_all_lines_where_nothing_else_has_them(*, whole: bool, further: list[str]) -> None:
    """On a terminal, the end of the run is the only place."""
    lines = "\n".join(end_of(failed("a", "the plan failed:\n\n  one more\n"), whole=whole)).splitlines()
    assert lines == ["", "Failed:", "  a (cmd.run), t: the plan failed:", *further]


def test_a_host_that_cannot_be_reached_is_one_failure() -> None:
    """The first state that tried has the reason; the others, and those that require them, are counted."""
    web: dict[str, Any] = {"target": "ssh_host:web"}
    lines = end_of(
        failed("b", "not run: ssh_host:web is unreachable", unreachable=True, run_num=2, **web),
        failed("a", "nothing listens there", unreachable=True, run_num=1, **web),
        failed("c", "One or more requisite failed: t.b", ran=False, run_num=3, **web),
        failed("d", "it failed", run_num=4),
    )
    assert lines[2:] == [
        "  a (cmd.run) on ssh_host:web and 2 more states of it, t: nothing listens there",
        "  d (cmd.run), t: it failed",
    ]


def test_a_state_that_failed_on_a_host_before_is_a_failure_of_its_own() -> None:
    """Only what did not run is counted with the host."""
    hosts = UnreachableHosts()
    assert not hosts.counts_elsewhere(failed("a", "it failed"))
    assert not hosts.counts_elsewhere(failed("b", "gone", unreachable=True))
    assert not hosts.counts_elsewhere(failed("c", "it failed"))
    assert hosts.counts_elsewhere(failed("d", "requisite failed", ran=False))
    assert not hosts.counts_elsewhere(failed("e", "", result=True))
