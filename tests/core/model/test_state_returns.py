"""The usual returns of a state function."""

from __future__ import annotations

from ensue.core.model.returns import StateReturn


def test_a_state_that_holds_has_no_changes() -> None:
    """`unchanged` has the result True."""
    assert StateReturn.unchanged("x", "It is so", {"name": "x"}, sensitive=("a",), warnings=("w",)) == (
        StateReturn(
            name="x",
            result=True,
            comment="It is so",
            new_state={"name": "x"},
            sensitive=("a",),
            warnings=("w",),
        )
    )


def test_a_plan_has_no_result() -> None:
    """`planned` has the result None, and no state: nothing has changed yet."""
    changes = {"new": "x"}
    assert StateReturn.planned("x", "It would be", changes, warnings=("w",)) == StateReturn(
        name="x", result=None, changes=changes, comment="It would be", warnings=("w",)
    )


def test_a_change_has_the_states_before_and_after() -> None:
    """`changed` has the result True."""
    returned = StateReturn.changed("x", "It is so now", {"x": "new"}, {"a": 2}, old_state={"a": 1})
    assert returned == StateReturn(
        name="x",
        result=True,
        changes={"x": "new"},
        comment="It is so now",
        new_state={"a": 2},
        old_state={"a": 1},
    )


def test_a_failure_may_have_changes() -> None:
    """`failed` has the result False, and what changed nevertheless."""
    assert StateReturn.failed("x", "It is not so") == StateReturn(
        name="x", result=False, comment="It is not so"
    )
    assert StateReturn.failed("x", "It is half so", {"x": "new"}).changes == {"x": "new"}
