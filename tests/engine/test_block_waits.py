"""States without a function that wait for others and call a delayed block with their returns."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.harness import Lab, Row, by_id, plan_of, run_virtually

from ensue.core.model.chunk import StateOptions
from ensue.core.model.returns import StateReturn


def waiting(*producers: str, **more: Any) -> Row:
    """A state that waits for others and calls the block `x`."""
    options = StateOptions(delayed_render=(("block", "x"),), producers=producers)
    return Row(f"wait {' '.join(producers)}", "none", options=options, **more)


def calling(*names: str) -> StateOptions:
    return StateOptions(delayed_render=tuple(("block", name) for name in names))


def shown(lab: Lab, name: str) -> Any:
    """What the template of a block sees as `prev_ret`."""
    (request,) = [request for request in lab.requests if request.names == (name,)]
    return request.prev_ret


def test_a_block_of_several_states_is_rendered_when_the_last_has_ended() -> None:
    """In concurrent mode too, the block follows the slowest producer, and sees every return by ID."""
    lab = Lab(growth={"x": [Row("x1")]})
    rows = [
        Row("a", "sleep", {"seconds": 1.0}),
        Row("b", "sleep", {"seconds": 3.0}),
        waiting("a", "b", require=["a", "b"]),
    ]
    back = by_id(lab.run(rows, ordered=False).returns)["wait a b"]
    assert back.delayed[0].returns.popitem()[1].start_time == "00:00:03"
    assert {id_: returned["comment"] for id_, returned in shown(lab, "x").items()} == {
        "a": "slept 1.0",
        "b": "slept 3.0",
    }


@pytest.mark.parametrize("function", ["fail", "fail_with_changes"])
def test_a_failed_producer_fails_the_block_by_name(function: str) -> None:
    """The block is not rendered, the wait fails, and both name the state that has failed."""
    lab = Lab()
    back = lab.returns([Row("a"), Row("b", function), waiting("a", "b", require=["a", "b"])])["wait a b"]
    assert (back.result, back.comment, back.ran) == (False, "One or more requisite failed: b", False)
    assert [(entry.status, entry.comment) for entry in back.delayed] == [
        ("not_rendered", "not rendered: block x, because b failed")
    ]
    assert lab.requests == []


def test_a_plan_defers_the_block_while_a_return_is_unknown() -> None:
    """A producer that would change something has no return yet, so nothing is rendered."""
    lab = Lab()
    rows = [Row("a"), Row("b", "change"), waiting("a", "b", require=["a", "b"])]
    back = lab.returns(rows, test=True)["wait a b"]
    assert (back.result, back.comment) == (None, "waits for b (known after apply)")
    assert back.delayed[0].status == "deferred"


def test_a_state_around_the_block_has_its_return_at_once() -> None:
    """The caller of the enclosing block and the states before it have returns, although growth goes on."""
    growth = {"out": [Row("o1"), waiting("a"), waiting("first", "o1", require=["o1"])], "x": [Row("x1")]}
    lab = Lab(growth=growth)
    back = lab.returns([Row("first"), Row("a", options=calling("out"))])["a"]
    inner = by_id(back.delayed[0].returns)
    assert {id_: returned.result for id_, returned in inner.items()} == {
        "o1": True,
        "wait a": True,
        "wait first o1": True,
    }
    assert [returned.comment for returned in inner.values()][1:] == ["a has ended", "first and o1 have ended"]
    alone, both = [request.prev_ret for request in lab.requests if request.names == ("x",)]
    assert alone is not None
    assert both is not None
    assert alone["__id__"] == "a"
    assert list(both) == ["first", "o1"]


def test_a_state_of_the_own_scope_hides_one_around_it() -> None:
    """The nearest scope that has the ID counts."""
    growth = {"out": [Row("a", "change"), waiting("a", require=["a"])], "x": [Row("x1")]}
    lab = Lab(growth=growth)
    lab.run([Row("a", options=calling("out"))])
    assert shown(lab, "x")["comment"] == "changed"


def test_a_state_around_the_block_that_runs_meanwhile_is_waited_for() -> None:
    """In concurrent mode a state of an enclosing scope may still run; the block waits for it."""
    lab = Lab(growth={"out": [waiting("slow")], "x": [Row("x1")]})
    rows = [Row("a", options=calling("out")), Row("slow", "sleep", {"seconds": 5.0})]
    back = lab.returns(rows, ordered=False)["a"]
    wait = by_id(back.delayed[0].returns)["wait slow"]
    assert wait.delayed[0].returns.popitem()[1].start_time == "00:00:05"


def test_a_wait_for_what_waits_for_the_block_fails_by_name() -> None:
    """In order, a later state of the enclosing scope waits for the block: the cycle is named."""
    lab = Lab(growth={"out": [waiting("late"), Row("o1")]})
    returns = lab.returns([Row("a", options=calling("out")), Row("late")])
    inner = by_id(returns["a"].delayed[0].returns)
    assert inner["wait late"].comment.startswith(
        "This state waits for itself: a/out: wait late (test.none) at "
    )
    assert (inner["o1"].result, returns["late"].result) == (True, True)


def test_a_resumed_run_renders_the_block_again_with_the_returns_it_took_over() -> None:
    """The producers are not called again, and the block sees what the run before recorded."""
    rows = [Row("a"), Row("b", "change"), waiting("a", "b", require=["a", "b"])]
    first = Lab(growth={"x": [Row("x1", "fail")]})
    done = {
        returned.identity: returned
        for returned in first.run(rows).returns.values()
        if returned.id in {"a", "b"}
    }
    second = Lab(functions={"nop": _called, "change": _called}, growth={"x": [Row("x1", "sleep")]})
    outcome = run_virtually(second.engine().run(plan_of(rows), done))
    assert by_id(outcome.returns)["wait a b"].delayed[0].status == "done"
    assert shown(second, "x")["b"]["comment"] == "changed"


def _called(_ctx: Any, name: str, **_: Any) -> StateReturn:
    return StateReturn(name=name, result=False, comment="called again")
