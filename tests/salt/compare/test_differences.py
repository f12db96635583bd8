"""Which results are differences, and which differences share a cause."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.salt.compare.comparison import Missing, TreeComparison, compared
from ensue.salt.compare.sides import CompileRefusal, PlannedState, SaltSide, Side, compiled_states

NOTHING_MISSING = Missing()


def chunk(id_: str, function: str = "test.nop", **arguments: Any) -> dict[str, Any]:
    """Return low data of one state."""
    module, _, fun = function.rpartition(".")
    return {"state": module, "fun": fun, "__id__": id_, "name": id_, "__sls__": "t", "order": 1, **arguments}


def planned(result: bool | None, changes: Any = None, *, ran: bool = True) -> PlannedState:
    return PlannedState(result=result, changes=changes or {}, comment="", ran=ran)


def sides(
    salt: list[dict[str, Any]],
    ours: list[dict[str, Any]],
    plans: tuple[dict[str, PlannedState], dict[str, PlannedState]] | None = None,
    missing: Missing = NOTHING_MISSING,
    **of_salt: Any,
) -> TreeComparison:
    """Compare low data, and plans by ID of states of `test.nop`."""
    planned_by_salt, own = plans or (None, None)
    return compared(
        "m",
        SaltSide(
            version="1",
            python="p",
            states=compiled_states(salt),
            plan=_by_tag(planned_by_salt, salt),
            **of_salt,
        ),
        Side(states=compiled_states(ours), plan=_by_tag(own, ours)),
        missing,
    )


def _by_tag(
    plan: dict[str, PlannedState] | None, low: list[dict[str, Any]]
) -> dict[str, PlannedState] | None:
    tags = {compiled_state.id: compiled_state.tag for compiled_state in compiled_states(low)}
    return None if plan is None else {tags[id_]: planned_state for id_, planned_state in plan.items()}


def causes_of(comparison: TreeComparison) -> list[tuple[str, str, int]]:
    return [(cause.kind.value, cause.what, cause.count) for cause in comparison.causes]


def test_the_same_low_data() -> None:
    """Requisites, order numbers and Salt's own keys are no arguments; the order itself is compared."""
    salt = [chunk("a", order=10000, require=[{"test": "b"}], __env__="base", name_order=1), chunk("b")]
    ours = [chunk("a", order=1, __requisites__={}, arg_bind=[]), chunk("b", require_in=[{"test": "a"}])]
    assert not sides(salt, ours).causes


def test_arguments_of_one_name_share_a_cause() -> None:
    """The argument of a function is the cause, whatever the states and the values."""
    salt = [chunk("a", x=1), chunk("b", x="1"), chunk("c", x=[1], y=1)]
    ours = [chunk("a", x=2), chunk("b", x=1), chunk("c", x=[1])]
    comparison = sides(salt, ours)
    assert causes_of(comparison) == [("argument", "x of test.nop", 2), ("argument", "y of test.nop", 1)]
    assert [(difference.salt, difference.ensue) for difference in comparison.causes[0].differences] == [
        (1, 2),
        ("1", 1),
    ]
    assert comparison.causes[1].differences[0].ensue == "(not given)"


def test_states_of_one_program_alone() -> None:
    """They are grouped by their function."""
    salt = [chunk("a"), chunk("b", "cmd.run"), chunk("c", "cmd.run")]
    assert causes_of(sides(salt, [chunk("a"), chunk("d")])) == [
        ("only-in-salt", "cmd.run", 2),
        ("only-in-ensue", "test.nop", 1),
    ]


def test_a_function_with_two_dots() -> None:
    """Salt drops what follows the second dot, so that the state is another one: that is intended."""
    salt = [chunk("a", "local.state"), chunk("b", "local.state")]
    comparison = sides(salt, [chunk("a", "local.state.sls"), chunk("c", "x.y")])
    assert [(cause.kind.value, cause.what, bool(cause.meant)) for cause in comparison.causes] == [
        ("only-in-salt", "local.state", False),
        ("only-in-ensue", "x.y", False),
        ("only-in-salt", "local.state", True),
        ("only-in-ensue", "local.state.sls", True),
    ]


@pytest.mark.parametrize(
    ("salt", "ours", "moved"),
    [
        ("abcd", "abcd", ""),
        ("abcd", "bcda", "a"),
        ("abcd", "dabc", "d"),
        ("abcdef", "acbdfe", "be"),
        ("abc", "axbc", ""),
    ],
)
def test_the_fewest_states_that_moved_are_named(salt: str, ours: str, moved: str) -> None:
    """A state that runs earlier is one difference, not one for each state that it has passed."""
    comparison = sides([chunk(id_) for id_ in salt], [chunk(id_) for id_ in ours])
    differences = [
        difference
        for cause in comparison.causes
        for difference in cause.differences
        if cause.kind.value == "order"
    ]
    assert len(differences) == len(moved)
    if len(moved) == 1:
        assert [difference.where for difference in differences] == [moved]


def test_results_and_kinds_of_changes() -> None:
    """Plans are compared by result, and where that is the same by the keys of the changes."""
    low = [chunk(id_) for id_ in "abc"]
    comparison = sides(
        low,
        low,
        (
            {"a": planned(True), "b": planned(None, {"diff": "x"}), "c": planned(None, {"new": 1})},
            {
                "a": planned(None),
                "b": planned(None, {"diff": "y"}),
                "c": planned(None, {"new": 1, "mode": 2}),
            },
        ),
    )
    assert causes_of(comparison) == [
        ("result", "test.nop: holds in Salt, would change here", 1),
        ("changes", "test.nop: changes of new in Salt, changes of mode, new here", 1),
    ]


def test_what_follows_from_another_state_is_a_consequence() -> None:
    """A state with requisites that one program did not run is no cause of its own."""
    low = [chunk("a"), chunk("b", require=[{"test": "a"}])]
    comparison = sides(
        low,
        low,
        (
            {"a": planned(False), "b": planned(False, ran=False)},
            {"a": planned(True), "b": planned(True)},
        ),
    )
    assert [cause.kind.value for cause in comparison.causes] == ["result", "consequence"]


def test_what_is_missing_is_counted_once() -> None:
    """The result of a state whose function ensue lacks is not counted again; those of its dependents are."""
    low = [chunk("a", "x.y"), chunk("b", "x.y"), chunk("c", require=[{"x": "a"}])]
    comparison = sides(
        low,
        low,
        (
            {"a": planned(True), "b": planned(None), "c": planned(True)},
            {"a": planned(False), "b": planned(False), "c": planned(False, ran=False)},
        ),
        Missing(
            state_functions=frozenset({"x.y"}),
            execution_functions=frozenset({"p.q"}),
            renderers=frozenset({"r"}),
        ),
        functions={"p.q": 3, "test.ping": 1},
        renderers={"jinja": 4, "r": 2},
    )
    assert causes_of(comparison) == [
        ("missing-state-function", "x.y", 2),
        ("missing-execution-function", "p.q", 3),
        ("missing-renderer", "r", 2),
        ("consequence", "test.nop: holds in Salt, fails here", 1),
    ]


def test_what_is_meant_comes_last_with_its_reason() -> None:
    """Differences that are intended have a cause of their own, apart from others of their kind."""
    low = [chunk("a"), chunk("b", "file.decode"), chunk("c", "file.decode")]
    comparison = sides(
        low,
        low,
        (
            {"a": planned(True), "b": planned(None), "c": planned(None, {"x": 1})},
            {"a": planned(None), "b": planned(None, {"new": 1}), "c": planned(None)},
        ),
    )
    assert [(cause.differences[0].where, bool(cause.meant)) for cause in comparison.causes] == [
        ("a", False),
        ("c", False),
        ("b", True),
    ]


def test_a_refusal_is_grouped_by_its_code() -> None:
    """What ensue refuses is one cause for each code; Salt's plan is then not compared."""
    refusals = tuple(
        CompileRefusal(code=code, message=f"{place}: {code}", summary="s", place=place)
        for code, place in (("E0312", "t.sls:1"), ("E0312", "t.sls:4"), ("E0204", "t.sls:9"))
    )
    low = compiled_states([chunk("a")])
    salt = SaltSide(version="1", python="p", states=low, plan={})
    comparison = compared("m", salt, Side(refusals=refusals), NOTHING_MISSING)
    assert causes_of(comparison) == [("refused-by-ensue", "E0204", 1), ("refused-by-ensue", "E0312", 2)]
    assert [bool(cause.meant) for cause in comparison.causes] == [False, True]
    both = compared(
        "m", SaltSide(version="1", python="p", refusals=refusals), Side(refusals=refusals), NOTHING_MISSING
    )
    assert both.compiles_nowhere


@pytest.mark.parametrize("code", ["E0885", "E0886"])
def test_a_refusal_of_encrypted_values(code: str) -> None:
    """Salt takes an encrypted text for the value: that ensue refuses it is intended."""
    refusal = CompileRefusal(code=code, message="one.sls:1: m", summary="s", place="one.sls:1")
    salt = SaltSide(version="1", python="p", states=compiled_states([chunk("a")]))
    comparison = compared("m", salt, Side(refusals=(refusal,)), NOTHING_MISSING)
    assert [cause.meant for cause in comparison.causes] == [
        "Salt uses the encrypted message itself as the value; ensue refuses it"
    ]


def test_a_refusal_of_a_top_file_that_salt_does_not_render() -> None:
    """Salt logs why its top file is empty, and runs nothing: that ensue refuses the file is intended."""
    refusal = CompileRefusal(
        code="E0204", message="top.sls:1: 'env' is undefined", summary="s", place="top.sls:1"
    )
    log = ("Rendering exception occurred", "Unable to render top file: Jinja variable 'env' is undefined")
    for logged, is_meant in ((log, True), (log[:1], False)):
        salt = SaltSide(version="1", python="p", log=logged)
        comparison = compared("m", salt, Side(refusals=(refusal,)), NOTHING_MISSING)
        assert [bool(cause.meant) for cause in comparison.causes] == [is_meant]


def test_a_plan_that_breaks_off() -> None:
    """A plan that one program cannot make is a difference; the compiled states are still compared."""
    low = compiled_states([chunk("a")])
    salt = SaltSide(version="1", python="p", states=low, plan_failed="KeyError: 'x'")
    comparison = compared("m", salt, Side(states=low, plan={}), NOTHING_MISSING)
    assert causes_of(comparison) == [("plan-failed", "Salt's test=True ends with an error", 1)]
