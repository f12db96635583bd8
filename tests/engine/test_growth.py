"""Delayed rendering and applied SLS: scopes, their order, their names, and what happens when they fail."""

from __future__ import annotations

from typing import Any

from tests.engine.harness import Lab, Row, by_id
from tests.engine.test_random_graphs import every_return

from ensue.core.model.chunk import StateOptions
from ensue.core.model.events import ScopeClosed, ScopeOpened
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.plans.asked_growth import AskedGrowth

HOST = Srn("ssh_host", "a")


def delayed(id_: str, *names: str, fun: str = "nop", **more: Any) -> Row:
    entries = tuple(("block", name) for name in names)
    return Row(id_, fun, options=StateOptions(delayed_render=entries, **more))


async def apply_b(ctx: Any, name: str, mods: tuple[str, ...] = ("b",), target: Srn = HOST) -> StateReturn:
    entry = await ctx.site.apply(AskedGrowth(target, tuple(mods)))
    fine = entry.status == "done" and all(back.result is not False for back in entry.returns.values())
    return StateReturn(name=name, result=fine, comment=entry.comment or entry.status)


def order(lab: Lab) -> list[tuple[str, str]]:
    """(Scope, ID) of all returns in order of start."""
    finished = [event.returned for event in lab.events if type(event).__name__ == "NodeFinished"]
    return [(back.scope, back.id) for back in sorted(finished, key=lambda back: back.run_num)]


def test_entries_run_in_order_before_what_follows() -> None:
    """All that a state renders has ended before its successors in the sequence and its requirers start."""
    lab = Lab(growth={"x": [Row("x1", "sleep"), Row("x2")], "y": [Row("y1")]})
    lab.run([delayed("a", "x", "y"), Row("b"), Row("c", require=["a"])])
    assert order(lab) == [("", "a"), ("a/x", "x1"), ("a/x", "x2"), ("a/y", "y1"), ("", "b"), ("", "c")]


def test_concurrent_mode_holds_back_requirers_only() -> None:
    """Without order a state that does not ask for the caller does not wait for what it renders."""
    lab = Lab(growth={"x": [Row("x1", "sleep")]})
    outcome = lab.run(
        [delayed("a", "x"), Row("b", "sleep", {"seconds": 0.5}), Row("c", require=["a"])], ordered=False
    )
    returns = by_id(outcome.returns)
    assert returns["b"].start_time == "00:00:00"
    assert returns["c"].start_time == "00:00:01"


def test_shape_of_an_entry() -> None:
    """An entry says kind, name, scope, status and returns; the rendering got the caller's whole return."""
    lab = Lab(growth={"x": [Row("x1")]})
    back = by_id(lab.run([delayed("a", "x")]).returns)["a"]
    (entry,) = back.as_data()["delayed"]
    assert {key: entry[key] for key in ("kind", "name", "scope", "status", "comment")} == {
        "kind": "block",
        "name": "x",
        "scope": "a/x",
        "status": "done",
        "comment": "",
    }
    assert [inner["__scope__"] for inner in entry["returns"].values()] == ["a/x"]
    (request,) = lab.requests
    assert request.prev_ret is not None
    assert request.prev_ret["comment"] == "Success!"
    assert request.depth == 1


def test_scopes_are_counted_when_repeated() -> None:
    """The same caller rendering the same name again gets `#2`, nested paths grow at the end."""
    lab = Lab(growth={"x": [delayed("n", "y")], "y": [Row("y1")]})
    lab.run([delayed("a", "x", "x")])
    assert [scope for scope, id_ in order(lab) if id_ == "y1"] == ["a/x/n/y", "a/x#2/n/y"]


def test_failed_caller_renders_nothing() -> None:
    """A caller that failed, also through a requisite, lists its entries as not rendered."""
    rows = [delayed("a", "x", fun="fail"), delayed("b", "x")]
    rows[1].require = ["a"]
    outcome = Lab().run(rows)
    for back in outcome.returns.values():
        assert [entry.status for entry in back.delayed] == ["not_rendered"]
        assert back.id in back.delayed[0].comment


def test_skipped_caller_renders() -> None:
    """A caller skipped with result True renders all the same: the desired state holds."""
    row = delayed("b", "x")
    row.onchanges = ["a"]
    back = Lab(growth={"x": [Row("x1")]}).returns([Row("a"), row])["b"]
    assert back.ran is False
    assert [entry.status for entry in back.delayed] == ["done"]


def test_plan_defers_what_would_change() -> None:
    """In a plan, a block is deferred, with a comment, if its state has None; with True it is planned."""
    lab = Lab(growth={"x": [Row("x1", "change")]})
    returns = lab.returns([delayed("a", "x", fun="change"), delayed("b", "x")], test=True)
    assert returns["a"].delayed[0].status == "deferred"
    assert "deferred: block x (known after apply)" in returns["a"].delayed[0].comment
    assert [inner.result for inner in returns["b"].delayed[0].returns.values()] == [None]


def test_broken_block_fails_alone() -> None:
    """A rendering that does not compile is the entry's failure; the rest goes on; exit code 2."""
    lab = Lab(growth={"bad": "states/t.sls:4: broken", "x": [Row("x1")]})
    outcome = lab.run([delayed("a", "bad", "x"), Row("b", require=["a"])])
    returns = by_id(outcome.returns)
    assert [(entry.status, entry.comment) for entry in returns["a"].delayed] == [
        ("failed", "states/t.sls:4: broken"),
        ("done", ""),
    ]
    assert returns["a"].result is True
    assert returns["b"].result is True
    assert outcome.exit_code == 2


def test_crashing_renderer_fails_alone() -> None:
    """An exception of a renderer is a failed entry, not a broken run."""

    def crash(_: Any) -> Any:
        raise ZeroDivisionError("division by zero")

    back = Lab(growth={"x": crash}).returns([delayed("a", "x")])["a"]
    assert back.delayed[0].status == "failed"
    assert "ZeroDivisionError: division by zero" in back.delayed[0].comment


def test_broken_block_with_failhard_stops() -> None:
    """`failhard` stops the run when a rendering fails, and says what was not run."""
    lab = Lab(growth={"bad": "broken", "x": [Row("x1")]})
    outcome = lab.run([delayed("a", "bad", failhard=True), Row("b")])
    assert [each.id for each in outcome.not_run] == ["b"]
    assert outcome.status == "failed"


def test_failure_inside_does_not_fail_requirers() -> None:
    """Scopes are isolated: what failed inside makes the exit code 2, the caller's requirers run."""
    lab = Lab(growth={"x": [Row("x1", "fail"), Row("x2", require=["x1"])]})
    outcome = lab.run([delayed("a", "x"), Row("b", require=["a"])])
    returns = by_id(outcome.returns)
    assert returns["a"].delayed[0].status == "done"
    assert returns["b"].result is True
    assert outcome.exit_code == 2


def test_failhard_inside_stops_everything() -> None:
    """A failure in a scope with failhard leaves out the rest of every scope and later entries."""
    lab = Lab(growth={"x": [Row("x1", "fail"), Row("x2")], "y": [Row("y1")]})
    outcome = lab.run([delayed("a", "x", "y"), Row("b")], failhard=True)
    assert [str(each) for each in outcome.not_run] == ["b (test.nop)", "a/x: x2 (test.nop)"]
    first, second = by_id(outcome.returns)["a"].delayed
    assert (first.status, first.comment) == ("done", "1 state was not run: failhard")
    assert second.status == "not_rendered"


def test_nesting_has_a_guard() -> None:
    """A block that calls itself without end is stopped with a message that names caller and place."""
    lab = Lab(growth={"x": [delayed("n", "x")]})
    outcome = lab.run([delayed("n", "x")], depth_limit=64)
    deepest = max(every_return(outcome.returns), key=lambda back: len(back.scope))
    assert deepest.delayed[0].status == "failed"
    assert "65 deep" in deepest.delayed[0].comment
    assert "states/t.sls:1" in deepest.delayed[0].comment
    assert outcome.exit_code == 2


def test_ten_thousand_renderings() -> None:
    """Ten thousand callers of one block each have their rendering."""
    lab = Lab(growth={"x": [Row("x1")]})
    outcome = lab.run([delayed(f"s{n}", "x") for n in range(10_000)])
    assert sum(1 for _ in every_return(outcome.returns)) == 20_000


def test_apply_runs_beneath_its_caller() -> None:
    """An applied SLS runs while the function waits; its returns are below the caller, with their target."""
    lab = Lab(functions={"apply": apply_b}, growth={"b": [Row("x", "sleep")]})
    back = lab.returns([Row("a", "apply")])["a"]
    (entry,) = back.applied
    assert (entry.kind, entry.scope, entry.target, entry.status) == ("apply", "a/b", "ssh_host:a", "done")
    assert [inner.target for inner in entry.returns.values()] == ["ssh_host:a"]
    assert back.duration_ms == 1000


def test_apply_nests_deeper_than_concurrency() -> None:
    """A waiting function gives its slot and its target back, so nesting cannot deadlock."""
    growth = {f"b{n}": [Row("n", "apply", {"mods": (f"b{n + 1}",)})] for n in range(20)}
    growth["b20"] = [Row("last", "sleep")]
    lab = Lab(functions={"apply": apply_b}, growth=growth)
    for ordered in (True, False):
        outcome = lab.run([Row("a", "apply", {"mods": ("b0",)})], concurrency=1, ordered=ordered)
        assert outcome.exit_code == 0


def test_apply_to_the_own_target() -> None:
    """A function may apply SLS to the very target it runs against."""
    lab = Lab(functions={"apply": apply_b}, growth={"b": [Row("x", "sleep")]})
    rows = [Row("a", "apply", {"target": HOST}, target=HOST), Row("b", target=HOST)]
    assert lab.run(rows).exit_code == 0


def test_two_callers_of_one_target_take_turns() -> None:
    """In ordered mode functions of different scopes never work on one target at the same time."""
    lab = Lab(functions={"apply": apply_b}, growth={"b": [Row("x", "sleep"), Row("y", "sleep")]})
    callers = [Row("a", "apply", target=Srn("t", "1")), Row("b", "apply", target=Srn("t", "2"))]
    outcome = lab.run(callers)
    inner = [back for back in every_return(outcome.returns) if back.target == str(HOST)]
    starts_at = sorted(back.start_time for back in inner)
    assert starts_at == ["00:00:00", "00:00:01", "00:00:02", "00:00:03"]


def test_apply_that_does_not_compile() -> None:
    """The function gets the error; the state fails with it."""
    lab = Lab(functions={"apply": apply_b}, growth={"b": "states/b.sls:2: no such function"})
    back = lab.returns([Row("a", "apply")])["a"]
    assert (back.result, back.comment) == (False, "states/b.sls:2: no such function")
    assert back.applied[0].status == "failed"


def test_check_of_an_applying_state_is_quiet() -> None:
    """The check of a prereq'd state applies in test mode, and nothing of it is reported or numbered."""
    lab = Lab(functions={"apply": apply_b}, growth={"b": [Row("x", "change")]})
    outcome = lab.run([Row("prep", prereq=["a"]), Row("a", "apply")])
    returns = by_id(outcome.returns)
    assert returns["prep"].comment == "No changes detected"
    assert [len(back.applied) for back in returns.values()] == [0, 1]
    numbers = sorted(back.run_num for back in every_return(outcome.returns))
    assert numbers == list(range(len(numbers)))


def test_check_of_an_applying_state_announces_no_block() -> None:
    """What an apply would render in it is announced by the apply alone."""
    lab = Lab(functions={"apply": apply_b}, growth={"b": [delayed("x", "late", fun="change")], "late": []})
    lab.run([Row("prep", prereq=["a"]), Row("a", "apply")])
    closed = [event.returned for event in lab.events if isinstance(event, ScopeClosed)]
    assert [(entry.kind, entry.status) for entry in closed] == [("block", "done"), ("apply", "done")]


def test_events_of_a_scope() -> None:
    """A scope is announced with its size before its states, and closed without repeating them."""
    lab = Lab(growth={"x": [Row("x1"), Row("x2")]})
    lab.run([delayed("a", "x")])
    opened = next(event for event in lab.events if isinstance(event, ScopeOpened))
    closed = next(event for event in lab.events if isinstance(event, ScopeClosed))
    assert (opened.scope, opened.total, opened.kind) == ("a/x", 2, "block")
    assert (closed.returned.status, closed.returned.returns) == ("done", {})


def test_listeners_of_a_scope_end_it() -> None:
    """Listeners run at the end of their own scope, before what follows the caller."""
    lab = Lab(growth={"x": [Row("l", listen=["c"]), Row("c", "change"), Row("z")]})
    lab.run([delayed("a", "x"), Row("b")])
    assert [id_ for _, id_ in order(lab)] == ["a", "l", "c", "z", "listener_l", "b"]


def test_timeout_ends_an_applied_scope() -> None:
    """A function that runs out of time while it applies ends what runs there and starts no more of it."""
    lab = Lab(functions={"apply": apply_b}, growth={"b": [Row("x", "sleep", {"seconds": 60}), Row("y")]})
    rows = [Row("a", "apply", options=StateOptions(timeout_s=5)), Row("b")]
    outcome = lab.run(rows)
    returns = by_id(outcome.returns)
    assert returns["a"].comment == "Timed out after 5 seconds"
    assert [back.id for back in returns["a"].applied[0].returns.values()] == ["x"]
    assert [str(each) for each in outcome.not_run] == ["a/b: y (test.nop)"]
    assert returns["b"].result is True


def test_a_scope_that_is_ended_ends_nothing_outside_of_it() -> None:
    """What carried out a state of the scope, and goes on with a state of another one, is left alone."""
    growth = {"b": [Row("x"), Row("y", "sleep", {"seconds": 60}, require=["x"])]}
    lab = Lab(functions={"apply": apply_b}, growth=growth)
    rows = [
        Row("a", "apply", options=StateOptions(timeout_s=5)),
        Row("w"),
        Row("z", "sleep", {"seconds": 20}, require=["w"]),
    ]
    assert lab.returns(rows, ordered=False)["z"].comment == "slept 20"


def test_growth_of_growth_sees_its_own_plan() -> None:
    """A rendered state renders with the plan that it is in, so that its blocks are found."""
    lab = Lab(growth={"x": [delayed("n", "y")], "y": [Row("y1")]})
    lab.run([delayed("a", "x")])
    assert [request.plan.scope for request in lab.requests] == ["", "a/x"]


def test_what_calls_itself_twice_ends_as_well() -> None:
    """Once a branch is nested too deep, no scope is opened in it; other branches are not affected."""
    lab = Lab(growth={"x": [delayed("n", "x", "x")], "y": [delayed("m", "z")], "z": [Row("z1")]})
    outcome = lab.run([delayed("n", "x"), delayed("o", "y")], depth_limit=64)
    returns = by_id(outcome.returns)
    failed = [
        entry
        for back in every_return(returns["n"].delayed[0].returns)
        for entry in back.delayed
        if entry.status == "failed"
    ]
    assert len(failed) == 65
    assert sum("65 deep" in entry.comment for entry in failed) == 1
    (inner,) = returns["o"].delayed[0].returns.values()
    assert inner.delayed[0].status == "done"
