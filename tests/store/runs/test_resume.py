"""What is taken over from the journals of a run, and of those that it resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.engine.harness import Lab, Row, plan_of, run_virtually

from ensue.core.model.events import NodeFinished, NodeStarted, RunStarted
from ensue.core.model.returns import StateReturn
from ensue.store.runs.resume import resumed_run

if TYPE_CHECKING:
    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import Return


@pytest.fixture(scope="module")
def returned() -> Return:
    """The return of a state that succeeded."""
    return Lab().returns([Row("a")])["a"]


def _began(run_id: str, resumes: str = "") -> RunStarted:
    return RunStarted(run_id=run_id, test=False, total=1, started_at="", resumes=resumes)


def _called(back: Return) -> NodeStarted:
    return NodeStarted(
        tag_=back.tag, id=back.id, function=back.function, scope=back.scope, target=back.target, run_num=0
    )


def test_the_newest_journal_that_names_a_state_decides(returned: Return) -> None:
    """A state that a later run called again has the return of that run, or none if it did not end there."""
    key = returned.identity
    newer = msgspec.structs.replace(returned, comment="newer")
    failed = msgspec.structs.replace(returned, result=False)
    first: list[RunEvent] = [_began("1"), _called(returned), NodeFinished(returned=returned)]
    again: list[RunEvent] = [_began("2", "1"), _called(returned)]
    assert resumed_run([[_began("2", "1")], first]).done == {key: returned}
    assert resumed_run([again, first]).done == {}
    assert resumed_run([[*again, NodeFinished(returned=failed)], first]).done == {}
    assert resumed_run([[*again, NodeFinished(returned=newer)], first]).done == {key: newer}
    # The call of a state that touches nothing outside is not recorded.
    assert resumed_run([[_began("2", "1"), NodeFinished(returned=failed)], first]).done == {}


@pytest.mark.parametrize(
    ("change", "exact"),
    [({}, False), ({"sensitive": ("k",)}, True), ({"result": None}, True)],
    ids=["not as it was", "a secret", "no success"],
)
def test_what_a_journal_does_not_have_whole_is_called_again(
    returned: Return, change: dict[str, object], exact: bool
) -> None:
    """It is known to have succeeded; a return that is not recorded completely is not taken over."""
    back = msgspec.structs.replace(returned, **change)
    done = resumed_run([[_began("1"), NodeFinished(returned=back, exact=exact)]]).done
    assert done == ({back.identity: None} if back.result is True else {})


def test_the_chain_names_the_runs_newest_first(returned: Return) -> None:
    """The run that is resumed comes first, then those that it resumed."""
    run = resumed_run([[_began("2", "1")], [_began("1"), NodeFinished(returned=returned)]])
    assert (run.run_id, run.chain) == ("2", ("2", "1"))


@pytest.mark.parametrize(("target", "calls"), [("", 0), ("ssh_host:elsewhere", 1)])
def test_what_was_done_elsewhere_is_not_taken_over(target: str, calls: int) -> None:
    """A state whose return is from another target is called on its own."""
    called: list[str] = []

    def work(_ctx: Any, name: str) -> StateReturn:
        called.append(name)
        return StateReturn(name=name, result=True)

    lab = Lab(functions={"work": work})
    rows = [Row("a", "work")]
    back = lab.returns(rows)["a"]
    called.clear()
    kept = msgspec.structs.replace(back, target=target or back.target)
    run_virtually(lab.engine().run(plan_of(rows), {kept.identity: kept}))
    assert len(called) == calls


def test_states_of_scopes_in_older_journals_are_called_again() -> None:
    """A journal of ensue 0.1.0 has only the path of a scope, so nothing in it is taken over."""
    (back,) = Lab().run([Row("a")]).returns.values()
    old = msgspec.structs.replace(back, scope="caller/block")
    assert resumed_run([[_began("1"), NodeFinished(returned=old)]]).done == {}
    new = msgspec.structs.replace(old, scope_identity="caller/block:block")
    assert resumed_run([[_began("1"), NodeFinished(returned=new)]]).done == {new.identity: new}
