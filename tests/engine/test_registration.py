"""Waiting for a resource that another state registers, and cycles of such waiting."""

from __future__ import annotations

from typing import Any

from tests.engine.harness import Lab, Row, by_id, starts
from tests.engine.test_growth import apply_b, delayed
from tests.engine.test_random_graphs import every_return

from ensue.core.model.chunk import StateOptions
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.services import CallSite, EngineHooks

HOST = Srn("ssh_host", "new")
HOOKS = EngineHooks(
    awaits=lambda chunk: HOST if chunk.id.startswith("user") else None,
    promises=lambda chunk: [HOST] if chunk.id.startswith("maker") else [],
)


def test_user_waits_for_maker_behind_it() -> None:
    """A state that needs a resource runs after the one that registers it, wherever it is declared."""
    for ordered in (True, False):
        rows = [Row("user"), Row("between"), Row("maker", "sleep"), Row("last")]
        outcome = Lab(hooks=HOOKS).run(rows, ordered=ordered)
        assert starts(outcome).index("maker") < starts(outcome).index("user")
        assert by_id(outcome.returns)["user"].start_time == "00:00:01"


def test_order_is_mended_as_little_as_possible() -> None:
    """Only the waiting state moves, right behind the one it waits for."""
    rows = [Row("user"), Row("a"), Row("maker"), Row("b")]
    assert starts(Lab(hooks=HOOKS).run(rows)) == ["a", "maker", "user", "b"]


def test_user_on_its_own_target_waits_too() -> None:
    """A state that runs against the new resource waits, though different targets are concurrent."""
    rows = [Row("maker", "sleep"), Row("user", target=HOST)]
    assert by_id(Lab(hooks=HOOKS).run(rows).returns)["user"].start_time == "00:00:01"


def test_circle_in_one_plan_fails_by_name() -> None:
    """A state whose resource only a state that requires it registers fails, naming both; the others run."""
    rows = [Row("user"), Row("maker", require=["user"]), Row("c")]
    outcome = Lab(hooks=HOOKS).run(rows)
    returns = by_id(outcome.returns)
    assert returns["user"].result is False
    assert returns["user"].comment == (
        "This state waits for itself: user (test.nop) at states/t.sls:1 waits for maker (test.nop) at"
        " states/t.sls:1 waits for user (test.nop) at states/t.sls:1"
    )
    assert returns["maker"].comment == "One or more requisite failed: t.user"
    assert returns["c"].result is True


def test_inner_scope_waits_for_outer_maker() -> None:
    """A state that grew waits for a state of the outer scope that runs beside it."""
    lab = Lab(hooks=HOOKS, growth={"x": [Row("user")]})
    rows = [delayed("a", "x"), Row("maker", "sleep", target=Srn("t", "1"))]
    back = by_id(lab.run(rows).returns)["a"].delayed[0].returns
    assert [inner.start_time for inner in back.values()] == ["00:00:01"]


def test_what_a_maker_causes_uses_what_it_made() -> None:
    """A maker that grows has registered already: states of its own blocks do not wait for its end."""
    lab = Lab(hooks=HOOKS, growth={"x": [delayed("user", "y")], "y": [Row("user again")]})
    outcome = lab.run([delayed("maker", "x"), Row("user last")])
    assert [back.result for back in every_return(outcome.returns)] == [True] * 4


def test_circle_between_scopes_fails_by_name() -> None:
    """When the outer maker waits for the caller of the scope, the waiting state fails and nothing hangs."""
    lab = Lab(hooks=HOOKS, growth={"x": [Row("user"), Row("other")]})
    outcome = lab.run([delayed("a", "x"), Row("maker", require=["a"])])
    inner = by_id(by_id(outcome.returns)["a"].delayed[0].returns)
    assert inner["user"].result is False
    assert inner["user"].comment.startswith("This state waits for itself: a/x: user (test.nop)")
    assert "maker (test.nop) at states/t.sls:1" in inner["user"].comment
    assert inner["other"].result is True
    assert by_id(outcome.returns)["maker"].result is True


def test_circle_through_an_apply_fails_by_name() -> None:
    """When the outer maker waits for a function that applies the scope, the waiting state fails."""
    lab = Lab(hooks=HOOKS, functions={"apply": apply_b}, growth={"b": [Row("user")]})
    outcome = lab.run([Row("a", "apply"), Row("maker")])
    assert by_id(outcome.returns)["a"].result is False
    assert by_id(outcome.returns)["maker"].result is True
    assert sum(back.result is False for back in every_return(outcome.returns)) == 2


def test_registers_is_done_before_what_follows() -> None:
    """The hook that registers gets the call and its return, and what it returns is the state's return.

    It is called in a plan, too; a state that would change something has nothing to register yet.
    """
    seen: list[tuple[str, bool]] = []

    def unsure(_ctx: Any, name: str) -> StateReturn:
        return StateReturn(name=name, result=None)

    async def registered(site: CallSite, returned: StateReturn) -> StateReturn:
        seen.append((site.chunk.id, site.test))
        return StateReturn(
            name=returned.name, result=True, changes={"registered": ["x:y"]}, comment=returned.comment
        )

    options = StateOptions(registers=(("x:y", {"host": "${self:ip}"}),))
    lab = Lab(hooks=EngineHooks(registered=registered), functions={"unsure": unsure})
    returns = lab.returns(
        [Row("a", options=options), Row("b", "fail", options=options), Row("c", watch=["a"])]
    )
    assert seen == [("a", False)]
    assert returns["a"].changes == {"registered": ["x:y"]}
    assert returns["c"].comment == "Watch statement fired."
    seen.clear()
    lab.returns([Row("a", options=options), Row("d", "unsure", options=options)], test=True)
    assert seen == [("a", True)]


def test_a_circle_is_found_although_another_maker_has_ended() -> None:
    """Of two makers that a state waits for, one ends meanwhile, and the other waits for the state's scope."""
    lab = Lab(hooks=HOOKS, growth={"x": [Row("user")]})
    rows = [Row("maker 1", "sleep", target=Srn("t", "1")), delayed("a", "x"), Row("maker 2", require=["a"])]
    returns = by_id(lab.run(rows).returns)
    user = by_id(returns["a"].delayed[0].returns)["user"]
    assert user.comment.startswith("This state waits for itself: a/x: user (test.nop)")
    assert [returns[id_].result for id_ in ("maker 1", "maker 2")] == [True, True]
