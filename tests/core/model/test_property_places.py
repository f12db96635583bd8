"""The places that a property path leads to: what a reference reads there, and the older form of an index."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ensue.core.model.data import copied
from ensue.core.model.property_grammar import quoted, read_property
from ensue.core.model.property_path import Every, Indexed
from ensue.core.model.property_values import PathError, follow, places
from ensue.core.model.sensitive_paths import (
    at,
    hide_in_changes,
    hide_paths,
    nowhere,
    path_problem,
    values_at,
    written,
)

DATA: dict[str, Any] = {
    "list": ["a", "b", "c"],
    "m": [{"p": "p0", "q": "q0"}, {"q": "q1"}, {"p": "p2"}],
    "rows": [[1, 2], [3, 4]],
    "empty": [],
    "on": True,
    "odd:key[0]": "odd",
    5: {"pin": 12},
}
KEYS = st.text(alphabet='ab:[]{}"\\*0 \n.', max_size=4)
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3)
TREES = st.recursive(
    LEAVES, lambda of: st.lists(of, max_size=3) | st.dictionaries(KEYS, of, max_size=3), max_leaves=12
)
STEPS = st.lists(
    KEYS
    | st.builds(
        Indexed,
        st.none() | KEYS,
        st.lists(st.just(Every.ITEM) | st.integers(-2, 2), min_size=1, max_size=2).map(tuple),
    ),
    max_size=3,
)


def _places_in(data: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members: Any = (
        data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    )
    return [place, *(inner for key, value in members for inner in _places_in(value, (*place, key)))]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("list[0]", [("list", 0)]),
        ("list[-1]", [("list", 2)]),
        ("list[*]", [("list", 0), ("list", 1), ("list", 2)]),
        ("list:0", [("list", 0)]),
        ("list:[1]", [("list", 1)]),
        ("m[*]:p", [("m", 0, "p"), ("m", 2, "p")]),
        ("m:p", [("m", 0, "p"), ("m", 2, "p")]),
        ("m:2:p", [("m", 2, "p")]),
        ("m[*]", [("m", 0), ("m", 1), ("m", 2)]),
        ("rows[*][1]", [("rows", 0, 1), ("rows", 1, 1)]),
        ("rows[*]:[1]", [("rows", 1)]),
        ("rows:1:0", [("rows", 1, 0)]),
        ("empty[*]", []),
        ("on", [("on",)]),
        ('"odd:key[0]"', [("odd:key[0]",)]),
        ("5:pin", [(5, "pin")]),
        ("", [()]),
    ],
)
def test_where_a_path_leads(path: str, expected: list[tuple[Any, ...]]) -> None:
    """Every form of the grammar, and the older form of an index, leads to exactly these places."""
    steps = read_property(path)
    assert not isinstance(steps, str)
    assert places(DATA, steps) == expected
    hidden = hide_paths(DATA, [path])
    assert [place for place in expected if at(hidden, place) != "(sensitive)"] == []
    assert nowhere(DATA, path) == ""


@pytest.mark.parametrize(
    "path",
    [
        "nowhere",
        "list[3]",
        "list[-4]",
        "list:3",
        "m[*]:z",
        "on:x",
        "rows[0]:x",
        "empty[0]",
        "empty:0",
        "list:" + "1" * 5000,
    ],
)
def test_a_path_that_leads_nowhere(path: str) -> None:
    """It hides nothing, and the reason names what is there instead, without values."""
    assert hide_paths(DATA, [path]) == DATA
    problem = nowhere(DATA, path)
    assert problem
    assert not [value for value in ("p0", "q0", "odd'") if value in problem]


@pytest.mark.parametrize(
    "path", ["list[", "list[x]", "a::b", "a:", ":a", 'a"b', "[0]x", "a[1.5]", None, True, ["a"]]
)
def test_what_is_no_path(path: Any) -> None:
    """The form of the path alone decides."""
    assert path_problem(path)


@given(TREES, st.data())
def test_every_place_can_be_written(data: Any, draw: st.DataObject) -> None:
    """The path of a place is in the grammar, and what it hides is that value and no other."""
    place = draw.draw(st.sampled_from(_places_in(data)))
    path = written(place)
    assert path_problem(path) == ""
    hidden = hide_paths(data, [path])
    assert at(hidden, place) in (("(sensitive)", None) if at(data, place) is None else ("(sensitive)",))
    if not _has_digit_keys(data):
        expected = copied(data)
        if not place:
            expected = None if data is None else "(sensitive)"
        elif at(data, place) is not None:
            at(expected, place[:-1])[place[-1]] = "(sensitive)"
        assert hidden == expected


def _has_digit_keys(data: Any) -> bool:
    return any(isinstance(key, str) and key.isdecimal() for place in _places_in(data) for key in place)


@given(TREES, STEPS)
@example([], ["0"])
def test_what_a_reference_reads_is_hidden(data: Any, steps: list[Any]) -> None:
    """Each value that a reference with this path reads is at one of its places."""
    try:
        value = follow(data, steps)
    except PathError:
        return
    try:
        at_places = [at(data, place) for place in places(data, steps)]
    except PathError:
        # `empty:0` reads the key of no items, and is an index that does not exist.
        at_places = []
    assert all(
        any(placed is item or placed == item for placed in at_places) for item in _read(value, at_places)
    )


def _read(value: Any, at_places: list[Any]) -> list[Any]:
    """Return the values in what a reference reads, whose lists may be those of the path."""
    if any(placed is value for placed in at_places) or not isinstance(value, list):
        return [value]
    return [part for item in value for part in _read(item, at_places)]


@given(TREES, STEPS)
def test_nothing_is_hidden_but_what_is_read(data: Any, steps: list[Any]) -> None:
    """Hiding never fails, whatever the path, and keeps the data it is given."""
    before = copied(data)
    path = ":".join(map(_segment, steps))
    hide_paths(data, [path])
    hide_in_changes(data, [path])
    list(values_at(data, [path]))
    assert data == before


def _segment(step: Any) -> str:
    if isinstance(step, str):
        return quoted(step)
    indexes = "".join(f"[{'*' if index is Every.ITEM else index}]" for index in step.indexes)
    return (quoted(step.key) if step.key is not None else "") + indexes


def test_changes_are_hidden_where_they_may_be() -> None:
    """The levels `new` and `old` are passed through, and of a list each item counts: it may be a part."""
    changes = {
        "new": {"list": ["c"], "m": [{"p": "p2"}]},
        "list": {"old": ["x"], "new": ["y", "c"]},
        "m": [{"p": {"old": "u", "new": "v"}}],
        "other": "o",
    }
    assert hide_in_changes(changes, ["list[-1]", "m[*]:p"]) == {
        "new": {"list": ["(sensitive)"], "m": [{"p": "(sensitive)"}]},
        "list": {"old": ["(sensitive)"], "new": ["(sensitive)", "(sensitive)"]},
        "m": [{"p": "(sensitive)"}],
        "other": "o",
    }
    assert hide_in_changes(changes, [""]) == dict.fromkeys(changes, "(sensitive)")
