"""In a plan, a state that lacks what an earlier state would make is no failure."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.harness import Lab, Row, change

from ensue.core.contracts.functions import makes_only, reads_paths
from ensue.core.errors import MissingOnTargetError
from ensue.core.model.returns import StateReturn, UnmetNeed


def make(ctx: Any, name: str) -> StateReturn:
    result = None if ctx.site.test else True
    return StateReturn(name=name, result=result, changes={"/srv/app": "made"}, comment="made")


@makes_only("name")
def declared(ctx: Any, name: str) -> StateReturn:
    return change(ctx, name)


def use(_ctx: Any, name: str) -> StateReturn:
    raise MissingOnTargetError(f"{name}: there is no /srv/app/conf", missing="/srv/app/conf")


@pytest.mark.parametrize(("test", "result"), [(True, None), (False, False)])
def test_what_an_earlier_state_makes_is_missing_only_in_a_plan(*, test: bool, result: bool | None) -> None:
    """In an apply that state has run already, so that what it would make is really missing."""
    lab = Lab(functions={"make": make, "use": use})
    assert lab.returns([Row("m", "make"), Row("u", "use")], test=test)["u"].result is result
    assert lab.returns([Row("u", "use"), Row("m", "make")], test=test)["u"].result is False


@pytest.mark.parametrize(("function", "result"), [("change", None), ("declared", False), ("fail", False)])
def test_a_change_may_make_anything_unless_its_function_says_what_it_makes(
    function: str, result: bool | None
) -> None:
    """A state that would change nothing makes nothing."""
    lab = Lab(functions={"declared": declared, "use": use})
    assert lab.returns([Row("m", function), Row("u", "use")], test=True)["u"].result is result


@pytest.mark.parametrize(("answer", "result"), [(False, None), (True, True)])
def test_a_command_that_only_reads_fails_in_a_plan_for_what_is_not_made_yet(
    *, answer: bool, result: bool | None
) -> None:
    """With an exit code that it takes for success, its answer counts as it is."""

    def read(_ctx: Any, name: str, read_only: bool) -> StateReturn:
        assert read_only
        return StateReturn(name=name, result=answer, comment="ran", new_state={"retcode": 3})

    lab = Lab(functions={"make": make, "read": read})
    rows = [Row("m", "make"), Row("r", "read", {"read_only": True})]
    assert lab.returns(rows, test=True)["r"].result is result
    assert lab.returns(rows)["r"].result is answer
    assert lab.returns(rows[1:], test=True)["r"].result is answer


def test_what_a_state_needs_is_judged_in_a_plan_unless_it_is_only_checked() -> None:
    """A check asks whether the state would change something; whether it can is reported by the state."""

    def needy(ctx: Any, name: str) -> StateReturn:
        need = UnmetNeed("/srv/app", "there is no /srv/app")
        result = None if ctx.site.test else True
        return StateReturn(name=name, result=result, changes={"k": "new"}, comment="fine", needs=(need,))

    lab = Lab(functions={"make": make, "needy": needy})
    alone = lab.returns([Row("u", "needy")], test=True)["u"]
    assert (alone.result, alone.comment, alone.changes) == (False, "there is no /srv/app", {})
    assert lab.returns([Row("m", "make"), Row("u", "needy")], test=True)["u"].comment == "fine"
    checked = lab.returns([Row("before", "make", prereq=["u"]), Row("u", "needy")], test=True)
    assert (checked["before"].result, checked["u"].result) == (None, None)


@pytest.mark.parametrize(
    ("comment", "now"),
    [
        ("fine\nat length", "fine"),
        ("these would change:\na\nb", "these would change: a, b"),
        ("these would change:\na\nb\nc\nd\ne", "these would change: a, b, c and 2 more"),
        ("", ""),
    ],
)
def test_what_is_known_after_apply_says_what_it_would_be_now(comment: str, now: str) -> None:
    """The first line of the comment, and of a list its first items."""

    @reads_paths("name")
    def look(_ctx: Any, name: str) -> StateReturn:
        return StateReturn(name=name, result=True, comment=comment)

    lab = Lab(functions={"make": make, "look": look})
    back = lab.returns([Row("m", "make"), Row("/srv/app", "look")], test=True)["/srv/app"]
    assert back.comment == f"waits for 'm' (known after apply); now: {now}"
