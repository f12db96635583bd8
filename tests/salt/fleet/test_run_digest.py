"""What a run over minions keeps of each: counts and failures as values, and all returns packed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.masking import Masker
from ensue.core.model.events import (
    NodeFinished,
    NodeStarted,
    RunFinished,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
)
from ensue.core.model.fleet import MOST_FAILURES, MOST_MINIONS, FleetReport, MinionReport, MinionRun
from ensue.core.model.returns import Return, ScopeReturn
from ensue.output.colours import PLAIN
from ensue.output.fleet import fleet_text
from ensue.salt.fleet.exchange_party import ExchangeParty
from ensue.salt.fleet.kept_reports import KeptReports
from ensue.salt.fleet.packed_run import PackedRun
from ensue.salt.fleet.run_digest import RunDigest
from ensue.store.runs import journal_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.model.events import RunEvent

STARTED = RunStarted(run_id="r", test=False, total=1, started_at="2026-01-01T00:00:00+00:00")
FAILED = RunFinished(run_id="r", status="failed", exit_code=2, ended_at="2026-01-01T00:00:01+00:00")


def returned(number: int, **fields: Any) -> Return:
    """Return the return of a state."""
    id_ = f"s{number}"
    given: dict[str, Any] = {"scope": "", "result": True, "changes": {}, "comment": "", **fields}
    return Return(
        tag=tag(number), id=id_, name=id_, sls="x", module="test", function="present", target="minion:m",
        run_num=number, **given,
    )  # fmt: skip


def tag(number: int) -> str:
    """Return the tag of a state."""
    return f"test_|-s{number}_|-s{number}_|-present"


def began(number: int, scope: str = "") -> NodeStarted:
    """Return the event that a state begins."""
    return NodeStarted(
        tag_=tag(number), id=f"s{number}", function="test.present", scope=scope, target="minion:m",
        run_num=number,
    )  # fmt: skip


def finished(number: int, **fields: Any) -> NodeFinished:
    """Return the event that a state has returned."""
    return NodeFinished(returned(number, **fields))


def packed(*messages: Sequence[RunEvent]) -> PackedRun:
    """Return events as they are packed, one part per message."""
    run = PackedRun("m")
    for events in messages:
        run.add([journal_form.encode(event, Masker()).decode().rstrip("\n") for event in events])
    return run


def digest(*events: RunEvent) -> MinionRun:
    """Return the digest of events."""
    made = RunDigest()
    for event in events:
        made.add(event)
    return made.run(packed(events))


def counts(run: MinionRun) -> dict[str, int]:
    """Return the counts that are not 0."""
    return {name: count for name, count in run.counts.items() if count}


def ids(run: MinionRun) -> list[str]:
    """Return the IDs of the failures that are kept."""
    return [failure.id for failure in run.failures]


def text_of(*reports: MinionReport) -> str:
    """Return the summary of a run."""
    report = FleetReport(run_id="r", test=False, status="failed", exit_code=2, minions=reports)
    return fleet_text(report, Masker(), PLAIN)


def test_returns_that_say_nothing_of_a_failure_are_counted_and_not_kept() -> None:
    """A run without failures has counts, and no return as a value."""
    run = digest(STARTED, began(0), finished(0, changes={"a": 1}), began(1), finished(1))
    assert (counts(run), run.failures, run.more_failures) == ({"changed": 1, "unchanged": 1}, (), 0)


def test_the_counts_of_a_run_that_has_ended_are_its_own() -> None:
    """A run that ends counts its states itself, and these counts are used."""
    end = RunFinished(
        run_id="r", status="succeeded", exit_code=0, ended_at=FAILED.ended_at, counts={"changed": 7}
    )
    assert (counts(digest(STARTED, finished(0), end)), digest(STARTED, end).exit_code) == ({"changed": 7}, 0)


def test_a_run_without_an_end_is_counted_as_far_as_it_got() -> None:
    """A state whose end was not reported counts as failed, and the run as interrupted."""
    run = digest(STARTED, began(0), finished(0), began(1))
    assert (counts(run), ids(run), run.exit_code) == ({"unchanged": 1, "failed": 1}, ["s1"], 130)


def test_failures_are_kept_without_data_in_order_of_their_start() -> None:
    """A failure has what its line shows: how a command failed, and not its state."""
    changes = {"retcode": 3, "stderr": "no", "diff": "x" * 1000}
    late = finished(2, result=False, changes=changes, new_state={"a": 1}, comment="bad")
    run = digest(STARTED, late, finished(1, result=False, comment="worse"), FAILED)
    assert ids(run) == ["s1", "s2"]
    assert (run.failures[1].changes, run.failures[1].new_state) == ({"retcode": 3, "stderr": "no"}, None)


def test_more_failures_than_are_listed_are_counted() -> None:
    """The text says how many there are beyond those that it lists."""
    run = digest(STARTED, *(finished(number, result=False) for number in range(MOST_FAILURES + 3)), FAILED)
    assert (len(run.failures), run.more_failures) == (MOST_FAILURES, 3)
    text = text_of(MinionReport(id="m", run=run, ok=False))
    assert "    and 3 more\n" in text
    assert f"{MOST_FAILURES + 3} failed" in text


def test_states_that_were_not_called_are_listed_only_without_a_cause() -> None:
    """What was not called because something failed is not repeated beside that failure."""
    skipped = finished(1, result=False, ran=False, comment="not called")
    assert ids(digest(STARTED, skipped, FAILED)) == ["s1"]
    both = digest(STARTED, skipped, finished(0, result=False), FAILED)
    assert (ids(both), both.more_failures, counts(both)) == (["s0"], 0, {"failed": 1, "not_run": 1})


@pytest.mark.parametrize(("own", "expected"), [({}, ["s1"]), ({"x": 1}, ["s0", "s1"])])
def test_a_state_that_only_applied_others_does_not_count_itself(
    own: dict[str, Any], expected: list[str]
) -> None:
    """Its applied states count instead, unless it has changed something itself."""
    scope = ScopeReturn(kind="apply", name="web", scope="s0/web", status="done")
    run = digest(
        STARTED,
        began(0),
        ScopeOpened(caller=tag(0), kind="apply", name="web", scope="s0/web", target="minion:m", total=1),
        finished(1, scope="s0/web", result=False),
        ScopeClosed(caller=tag(0), returned=scope),
        finished(0, result=False, changes={tag(1): {}, **own}, applied=(scope,)),
    )
    assert ids(run) == expected
    assert counts(run) == {"failed": len(expected)}


def test_failures_of_an_attempt_that_was_tried_again_are_forgotten() -> None:
    """Another attempt counts instead."""
    retried = ScopeReturn(kind="apply", name="web", scope="s0/web", status="retried")
    run = digest(
        STARTED,
        began(0),
        ScopeOpened(caller=tag(0), kind="apply", name="web", scope="s0/web", target="", total=1),
        finished(1, scope="s0/web", result=False),
        ScopeClosed(caller=tag(0), returned=retried),
        finished(0, applied=(retried,)),
    )
    assert (ids(run), run.more_failures) == ([], 0)


def test_a_delayed_rendering_that_failed_is_listed_once() -> None:
    """It is named with the state that it belongs to, whether the state's return has it, its end, or both."""
    scope = ScopeReturn(kind="block", name="b", scope="s0/b", status="failed", comment="no such variable")
    run = digest(STARTED, finished(0, delayed=(scope,)), ScopeClosed(caller=tag(0), returned=scope), FAILED)
    assert "    block b of s0: no such variable\n" in text_of(MinionReport(id="m", run=run, ok=False))
    assert (len(run.failures), run.more_failures, counts(run)) == (1, 0, {"unchanged": 1, "failed": 1})


def test_all_returns_are_read_from_what_is_packed() -> None:
    """The report has every return with its data; the last return of a state counts."""
    run = packed([STARTED, finished(0, new_state={"a": 1})], [finished(1), finished(0, new_state={"a": 2})])
    assert {kept.id: kept.new_state for kept in run.report().returns.values()} == {"s0": {"a": 2}, "s1": None}
    newest = run.returned(tag(0))
    assert newest is not None
    assert newest.new_state == {"a": 2}
    assert run.returned(tag(2)) is None


def test_packed_events_take_a_fraction_of_their_size() -> None:
    """Similar states take some tens of bytes each."""
    events: list[RunEvent] = [
        STARTED,
        *(finished(number, comment="The file is there") for number in range(1000)),
    ]
    assert packed(events).size_bytes < 60 * len(events)


def test_failures_of_minions_that_are_not_listed_are_forgotten() -> None:
    """Failures are kept of those minions that the summary lists, in whatever order they end."""
    run = digest(STARTED, finished(0, result=False), FAILED)
    names = [f"m{number:03}" for number in range(MOST_MINIONS + 5)]
    kept = KeptReports()
    kept.add(*(MinionReport(id=name, run=run, ok=False) for name in reversed(names)), MinionReport(id="z"))
    with_failures = [report.id for report in kept.by_id if report.run is not None and report.run.failures]
    assert (with_failures, kept.failed) == (names[:MOST_MINIONS], len(names))
    assert kept.lack(["m000", "m999"]) == ("m999",)
    assert "and 5 more minions" in text_of(*kept.by_id)


def test_what_others_refer_to_is_read_from_what_is_packed() -> None:
    """A return is known at once, when it is packed, and after the end; one without an end has failed."""
    party = ExchangeParty("m")
    assert party.returned(tag(0)) is None
    for number in (0, 1):
        party.take(returned(number, new_state={"n": number}))
    before = [party.returned(tag(number)) for number in (0, 1)]
    party.pack(packed([finished(number, new_state={"n": number}) for number in (0, 1, 2)]))
    party.end("", {tag(3): returned(3, result=False)})
    after = [party.returned(tag(number)) for number in (0, 1, 2, 3, 4)]
    assert [kept and kept.new_state for kept in before] == [{"n": 0}, {"n": 1}]
    assert [kept and (kept.new_state, kept.result) for kept in after] == [
        ({"n": 0}, True),
        ({"n": 1}, True),
        ({"n": 2}, True),
        (None, False),
        None,
    ]


def test_a_run_that_begins_anew_has_its_own_returns() -> None:
    """A minion that was killed and goes on reports all returns again; the earlier ones do not count."""
    party = ExchangeParty("m")
    party.pack(packed([finished(0, new_state={"n": 1})]))
    assert party.returned(tag(0)) is not None
    party.pack(packed([STARTED]))
    assert party.returned(tag(0)) is None
