"""The events of several minions share one journal, and each keeps its states apart."""

from __future__ import annotations

from ensue.core.model.events import (
    CommandStarted,
    NodeFinished,
    NodeStarted,
    ResourceRegistered,
    ScopeClosed,
    ScopeOpened,
)
from ensue.core.model.returns import Return, ScopeReturn
from ensue.salt.fleet.renaming import Numbers, event_of_run
from ensue.store.runs.history_report import report_from_events


def _return(id_: str, scope: str, number: int) -> Return:
    return Return(
        tag=f"test_|-{id_}_|-name_|-nop",
        id=id_,
        name="name",
        sls="s",
        module="test",
        function="nop",
        scope=scope,
        target="minion:web",
        result=True,
        changes={},
        comment="",
        run_num=number,
    )


def test_states_of_two_minions_are_shown_apart() -> None:
    """Two minions run the same states; the report of the journal has both, each with its scopes."""
    inner = ScopeReturn(kind="block", name="later", scope="one/later", status="done")
    tag = "test_|-one_|-name_|-nop"
    run = [
        NodeStarted(tag, "one", "test.nop", "", "minion:web", 0),
        NodeFinished(_return("one", "", 0)),
        ScopeOpened(tag, "block", "later", "one/later", "minion:web", 1),
        NodeFinished(_return("two", "one/later", 1)),
        ScopeClosed(tag, inner),
    ]
    numbers = Numbers()
    events = [event_of_run(event, minion, numbers) for event in run for minion in ("web1", "web2")]
    report = report_from_events([event for event in events if event is not None], "master")
    tags = [f"test_|-{minion} one_|-{minion} name_|-nop" for minion in ("web1", "web2")]
    assert list(report.returns) == tags
    for minion, tag in zip(("web1", "web2"), tags, strict=True):
        (scope,) = report.returns[tag].delayed
        assert [returned.id for returned in scope.returns.values()] == [f"{minion} two"]
    assert sorted(returned.run_num for returned in report.returns.values()) == [0, 1]


def test_what_concerns_one_machine_stays_there() -> None:
    """Processes and registrations of a minion are not in the journal, which would look for them here."""
    for event in (CommandStarted("", "t", 1, "x", "true"), ResourceRegistered("dummy:x", None, changed=True)):
        assert event_of_run(event, "web1", Numbers()) is None


def test_numbers_stay_dense_when_a_minion_is_forgotten() -> None:
    """A state keeps its number, and no number is given twice."""
    numbers = Numbers()
    assert [numbers.of("web1", 0), numbers.of("web2", 0), numbers.of("web1", 0)] == [0, 1, 0]
    numbers.forget("web1")
    numbers.forget("web3")
    numbers.restart("web2")
    assert [numbers.of("web2", 0), numbers.of("web1", 5), numbers.of("web1", -1)] == [2, 3, -1]
