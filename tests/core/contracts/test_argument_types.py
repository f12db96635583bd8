"""The types of arguments: what annotations of state functions mean, and which values they accept."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.library.states.case_files import all_cases

import ensue.library.states
from ensue.core.contracts.argument_types import NOT_CHECKED, ArgumentTypes, argument_type, argument_types
from ensue.core.diagnostics import Span
from ensue.language.functions.functions import Functions

if TYPE_CHECKING:
    from collections.abc import Iterator


def _functions() -> Iterator[tuple[str, ArgumentTypes]]:
    for module in pkgutil.walk_packages(ensue.library.states.__path__, "ensue.library.states."):
        functions: dict[str, Any] = getattr(importlib.import_module(module.name), "FUNCTIONS", {})
        for name, function in functions.items():
            yield f"{module.name.removeprefix('ensue.library.states.')}.{name}", argument_types(function)


ALL = sorted(dict(_functions()).items())
TYPED = [(function, name) for function, types in ALL for name in types.by_name]
ACCEPTED: dict[str, list[Any]] = {
    "bool": [True, False, 1, 0, "True", "False", "yes", "no", "on", "OFF", "1", "0"],
    "number": [0, 3, -1, 2.5, "30", "2.5", " 7 ", False],
    "seconds": [0, 3, 2.5, "30", False],
    "mode": [644, 1777, "644", "0644", "0o644", "4755"],
    "text": ["a", "", 1, 2.5, True, "${x:y:z}"],
    "list": [["a"], [], "a", 5, False],
    "mapping": [{"a": 1}, {}, [{"a": 1}, {"b": 2}], False],
}
REFUSED: dict[str, list[Any]] = {
    "bool": ["maybe", 7, -1, 0.5, ["a"], {"a": 1}, "truue"],
    "number": ["soon", "5 minutes", "nan", "1e999", True, ["a"], {"a": 1}, "1" * 9999],
    "seconds": ["soon", "5 minutes", "inf", True, ["a"], {"a": 1}],
    "mode": ["banana", "0888", 888, 17777, -1, True, 6.44, ["a"], {"a": 1}, "7" * 9999, 10**5000],
    "text": [["a"], {"a": 1}],
    "list": [True, {"a": 1}],
    "mapping": ["a", 5, True, ["a"]],
}
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**4400, max_value=10**4500)
    | st.floats()
    | st.text()
    | st.from_regex(r"[-0-9 ,._e]*[smhd]*")
    | st.binary()
    | st.dates(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@pytest.mark.parametrize(("function", "name"), TYPED)
def test_values_of_the_declared_kinds_are_accepted(function: str, name: str) -> None:
    """Every value that Salt accepts for one of the kinds is accepted, and so is each of the words."""
    declared = dict(ALL)[function].by_name[name]
    values: list[Any] = [None, "", [], {}, *declared.choices]
    for kind in declared.kinds:
        values += ACCEPTED[kind]
    for value in values:
        assert declared.accepts(value), value


@pytest.mark.parametrize(("function", "name"), TYPED)
def test_values_of_no_declared_kind_are_refused(function: str, name: str) -> None:
    """A value that is nonsense for all of the kinds is refused, with what the argument takes."""
    types = dict(ALL)[function]
    declared = types.by_name[name]
    candidates = REFUSED[declared.kinds[0]] if declared.kinds else ["no such word", 5, ["a"]]
    nonsense = [
        value
        for value in candidates
        if all(
            any(value is other for other in REFUSED[kind]) or value in REFUSED[kind]
            for kind in declared.kinds
        )
    ]
    for value in nonsense:
        (problem,) = types.problems({name: value})
        message = problem.diagnostic("a", function, Span("states/a.sls", 3)).message
        assert message.startswith(f"states/a.sls:3: `{name}` of 'a' is ")
        assert f"{function} takes {declared.expected}" in message


@given(value=ANYTHING)
def test_no_value_is_too_odd(value: Any) -> None:
    """Any value is accepted or refused by every type, and an accepted one is converted or passed on."""
    for declared in {str(type_): type_ for _, types in ALL for type_ in types.by_name.values()}.values():
        types = ArgumentTypes({"x": declared})
        problems = [*types.problems({"x": value})]
        assert bool(problems) is not declared.accepts(value)
        if not problems:
            converted = types.converted({"x": value})["x"]
            assert declared.accepts(converted)
            assert types.converted({"x": converted})["x"] is converted


@pytest.mark.parametrize(
    ("annotation", "value", "meaning"),
    [
        ("bool", "False", False),
        ("bool | None", "yes", True),
        ("int", "30", 30),
        ("Seconds | None", "2.5", 2.5),
        ("bool | int", "2", 2),
        ("bool | str", "no", "no"),
        ("str | int | None", "7", "7"),
        ("Mode | None", "0644", "0644"),
        ("list[str] | None", "a", "a"),
        ("bool | Literal['on-error']", "on-error", "on-error"),
        ("int", "", ""),
    ],
)
def test_a_text_is_converted_where_text_has_no_place(annotation: str, value: str, meaning: Any) -> None:
    """The function gets the boolean or number that a text means, unless the argument takes text."""
    declared = argument_type(annotation)
    assert declared is not None
    converted = ArgumentTypes({"x": declared}).converted({"x": value})["x"]
    assert (converted, type(converted)) == (meaning, type(meaning))


@pytest.mark.parametrize(
    ("annotation", "value", "meant"),
    [
        ("bool", "ture", "true"),
        ("bool", "disabled", "false"),
        ("Seconds", "2h", "7200"),
        ("Seconds", "1.5 minutes", "90"),
        ("int", "1,000", "1000"),
        ("Mode", "-rw-r--r--", "'0644'"),
        ("Literal['start', 'end']", "strat", "start"),
        ("Mode | Literal['keep']", "kep", "keep"),
    ],
)
def test_a_near_value_is_suggested(annotation: str, value: str, meant: str) -> None:
    """The message has the value that was probably meant."""
    declared = argument_type(annotation)
    assert declared is not None
    assert not declared.accepts(value)
    assert declared.meant(value) == f"did you mean {meant}?"


@pytest.mark.parametrize(
    "annotation", ["Any", "Data", "str | Any", "Callable[[int], str] | None", "None", ""]
)
def test_other_annotations_are_not_checked(annotation: str) -> None:
    """A union with a name that has no kind is not checked at all."""
    assert argument_type(annotation) is None


def test_a_long_value_is_described() -> None:
    """No part of a long value is shown, since it may be part of a secret."""
    declared = argument_type("bool")
    assert declared is not None
    (problem,) = ArgumentTypes({"x": declared}).problems({"x": "s3cret" * 50})
    assert problem.value == "a text of 300 characters"


def test_functions_of_others_are_not_checked() -> None:
    """Annotations of functions that do not come with ensue never had an effect."""

    def present(ctx: Any, name: str, *, count: int = 1) -> None: ...

    assert argument_types(present) is NOT_CHECKED


def test_cases_of_state_functions_are_accepted() -> None:
    """What the cases give to state functions is refused only where the function refuses it, too."""
    functions = Functions("ensue.library.states")
    for case in all_cases():
        function = functions.find(*case.function.rpartition(".")[::2])
        assert function is not None
        if [*argument_types(function).problems(case.data["state"])]:
            assert case.data["returns"]["result"] is False, case.title
