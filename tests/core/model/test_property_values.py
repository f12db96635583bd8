"""A property path leads where a plain reading of it says, and where it leads nowhere the message says why."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.data import copied
from ensue.core.model.property_grammar import read_property
from ensue.core.model.property_path import Every, Indexed
from ensue.core.model.property_values import PathError, as_text, follow

if TYPE_CHECKING:
    from ensue.core.model.property_path import Index, Step

DATA = {
    "ID": "i-1",
    "port": 80,
    "none": None,
    "l": [1, 2, 3],
    "nics": [{"address": "a", "tags": ["x", "y"]}, {"address": "b", "tags": ["z"]}],
    "m": [[1, 2], [3, 4]],
    "deep": {"er": {"est": True}},
    "empty": {},
    "odd:key[0]": 7,
    8080: "number",
}


KEYS = "ID, port, none, l, nics, m, deep, empty, odd:key[0], 8080"


def steps_of(path: str) -> Any:
    steps = read_property(path)
    assert not isinstance(steps, str)
    return steps


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", DATA),
        ("ID", "i-1"),
        ("port", 80),
        ("none", None),
        ("deep:er:est", True),
        ("l[0]", 1),
        ("l[-1]", 3),
        ("l[*]", [1, 2, 3]),
        ("nics[0]:address", "a"),
        ("nics[*]:address", ["a", "b"]),
        ("nics:address", ["a", "b"]),
        ("nics:address:[1]", "b"),
        ("nics[*]:tags", [["x", "y"], ["z"]]),
        ("nics[*]:tags[0]", ["x", "z"]),
        ("nics:tags[0]", ["x", "z"]),
        ("nics[*]:tags[-1]", ["y", "z"]),
        ("nics[*]:tags[*]", [["x", "y"], ["z"]]),
        ("nics[*]:tags:[0]", ["x", "y"]),
        ("nics[*]:tags:[0][1]", "y"),
        ("nics[*]:[1]:address", "b"),
        ("nics:[*]:address", ["a", "b"]),
        ("m[*][1]", [2, 4]),
        ("m[*]:[1]", [3, 4]),
        ("m:[*][1]", [2, 4]),
        ("m[1][0]", 3),
        ('"odd:key[0]"', 7),
        ("8080", "number"),
    ],
)
def test_a_path_leads_to_its_value(path: str, value: object) -> None:
    """Keys, indexes, wildcards and keys applied to lists read what the documentation says."""
    assert follow(DATA, steps_of(path)) == value


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nope", f"new_state has no key 'nope'; it has {KEYS} (did you mean none?)"),
        ("deep:nope", "'deep' has no key 'nope'; it has er"),
        ("empty:x", "'empty' has no key 'x'; it is empty"),
        ("l[3]", "'l' has no [3]; it has 3 items"),
        ("l[-4]", "'l' has no [-4]; it has 3 items"),
        ("nics[*]:nope", "'nics[*]' has no key 'nope'; it has address, tags"),
        ("nics:nope", "'nics[*]' has no key 'nope'; it has address, tags"),
        ("ID:x", "'ID' is a text, so it has no key 'x'"),
        ("port:x", "'port' is a number, so it has no key 'x'"),
        ("none:x", "'none' is null, so it has no key 'x'"),
        ("deep:er:est:x", "'deep:er:est' is true or false, so it has no key 'x'"),
        ("ID[0]", "'ID' is a text, so it has no [0]"),
        ("deep[0]", "'deep' is a mapping, so it has no [0]; it has er"),
        ("deep[*]", "'deep' is a mapping, so it has no [*]; it has er"),
        ("nics[*]:tags[1]", "'nics[*]:tags' has no [1]; it has 1 item"),
        ("nics:address[0]", "'nics[*]:address' is a text, so it has no [0]"),
        ("m[*][2]", "'m[*]' has no [2]; it has 2 items"),
        ("m[*]:[2]", "'m[*]' has no [2]; it has 2 items"),
        ("m:[1][0][0]", "'m:[1][0]' is a number, so it has no [0]"),
        ("m[0]:[5]", "'m[0]' has no [5]; it has 2 items"),
        ("[0]", f"new_state is a mapping, so it has no [0]; it has {KEYS}"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_was_there(path: str, message: str) -> None:
    """The message has the keys or the length that were there, and never a value."""
    with pytest.raises(PathError) as raised:
        follow(DATA, steps_of(path))
    assert str(raised.value) == message


def test_many_keys_are_not_all_shown() -> None:
    """A message stays readable when a mapping has hundreds of keys."""
    with pytest.raises(PathError, match=r"it has k0, .*, k19 and 80 more$"):
        follow({f"k{number}": 0 for number in range(100)}, ("x",))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("bare", "bare"),
        (True, "true"),
        (None, "null"),
        (80, "80"),
        (1.5, "1.5"),
        (["a", "b"], '["a","b"]'),
        ({"k": 1}, '{"k":1}'),
        ({"é": ["ü", None]}, '{"é":["ü",null]}'),
        (b"bytes", "bytes"),
        ([b"b"], '["b"]'),
    ],
)
def test_a_value_within_a_text_is_compact_json(value: object, text: str) -> None:
    """A text has no quotes; everything else is JSON without blanks."""
    assert as_text(value) == text


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


def reference(data: Any, steps: list[Step]) -> Any:
    """Evaluate a path as its definition reads, a segment after the other."""
    for step in steps:
        parts = (
            [step] if isinstance(step, str) else [*([] if step.key is None else [step.key]), *step.indexes]
        )
        data = of_segment(data, parts)
    return data


def of_segment(data: Any, parts: list[Any]) -> Any:
    """Evaluate one segment: behind a map its parts belong to each item."""
    if not parts:
        return data
    first, *rest = parts
    if isinstance(data, str) or (first is Every.ITEM and isinstance(data, dict)):
        raise TypeError(data)
    if isinstance(first, str) and isinstance(data, list):
        return [of_segment(item, parts) for item in data]
    if first is Every.ITEM:
        return [of_segment(item, rest) for item in data]
    return of_segment(data[first], rest)


def valid_steps(draw: st.DrawFn, data: Any) -> list[Step]:
    """Draw a path that leads somewhere, by going along it."""
    steps: list[Step] = []
    while draw(st.booleans()):
        segments = [segment for segment in segments_into(data) if leads(data, segment)]
        if not segments:
            break
        steps.append(draw(st.sampled_from(segments)))
        data = reference(data, steps[-1:])
    return steps


def segments_into(data: Any) -> list[Step]:
    """Return some segments of which a few lead somewhere in data."""
    maps = data if isinstance(data, list) else [data]
    keys = [None, *dict.fromkeys(key for item in maps if isinstance(item, dict) for key in item)]
    indexes: list[tuple[Index, ...]] = [(0,), (-1,), (1,), (Every.ITEM,), (Every.ITEM, 0), (0, Every.ITEM)]
    with_indexes: list[Step] = [Indexed(key, brackets) for key in keys for brackets in indexes]
    return [*(key for key in keys if key is not None), *with_indexes]


def leads(data: Any, segment: Step) -> bool:
    """Say whether the definition makes something of a segment."""
    try:
        reference(data, [segment])
    except (LookupError, TypeError):
        return False
    return True


@st.composite
def trees_with_paths(draw: st.DrawFn) -> tuple[Any, list[Step]]:
    tree = draw(TREES)
    return tree, valid_steps(draw, tree)


@given(trees_with_paths())
def test_any_path_agrees_with_its_definition(case: tuple[Any, list[Step]]) -> None:
    """Random data and random paths into it give what a few lines of definition give."""
    data, steps = case
    assert follow(data, steps) == reference(data, steps)


INDEXES = st.lists(st.integers(-3, 3) | st.just(Every.ITEM), min_size=1, max_size=3).map(tuple)
SEGMENTS = st.text(max_size=3) | st.builds(Indexed, st.none() | st.text(max_size=3), INDEXES)


@given(TREES, st.lists(SEGMENTS, max_size=4))
def test_no_path_does_more_than_fail(data: Any, steps: list[Step]) -> None:
    """A path into any data gives a value or a PathError, never anything else."""
    with contextlib.suppress(PathError):
        follow(data, steps)


@given(TREES)
def test_a_copy_is_equal_and_shares_nothing(data: Any) -> None:
    """What is bound may be changed by its state without a trace in what the producer returned."""
    made = copied(data)
    assert made == data
    assert not isinstance(data, dict | list) or made is not data
