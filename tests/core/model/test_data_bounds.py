"""Bounds on data: levels, cycles, and how often what is shared counts."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.bounded_json import load_json
from ensue.core.model.bounded_yaml import BoundedLoader, load_plain_yaml, load_plain_yaml_documents
from ensue.core.model.data_bounds import (
    MOST_ADDED_VALUES,
    MOST_LEVELS,
    CircularError,
    TooDeepError,
    TooLargeError,
    check_data,
)


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def shared(times: int, levels: int) -> Any:
    value: Any = [1]
    for _ in range(levels):
        value = [value] * times
    return value


def test_so_many_levels_are_allowed_and_no_more() -> None:
    """The bound counts lists and mappings, not what is in the innermost one."""
    check_data(nested(MOST_LEVELS))
    with pytest.raises(TooDeepError):
        check_data(nested(MOST_LEVELS + 1))


def test_what_is_shared_counts_with_all_its_levels() -> None:
    """A value that was met before is as deep as it was then, wherever it is met again."""
    deep = nested(MOST_LEVELS // 2)
    further: Any = deep
    for _ in range(MOST_LEVELS // 2 - 1):
        further = [further]
    check_data([deep, further])
    with pytest.raises(TooDeepError):
        check_data([deep, [further]])


def test_a_circle_is_one_and_sharing_is_none() -> None:
    """The same list twice is allowed; the same list within itself is not."""
    twice = ["x"]
    check_data([twice, {"a": twice}])
    twice.append(twice)  # type: ignore[arg-type]
    with pytest.raises(CircularError):
        check_data({"a": twice})


def test_what_is_shared_counts_each_time() -> None:
    """A million values may be added to those that are there, a long text counting as several."""
    check_data(shared(10, 5))
    check_data([0] * (2 * MOST_ADDED_VALUES))
    with pytest.raises(TooLargeError):
        check_data(shared(10, 7))
    with pytest.raises(TooLargeError):
        check_data(["x" * 100_000] * 1_100)


@given(
    st.recursive(
        st.integers() | st.text(max_size=3), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_ordinary_data_is_within_bounds(data: Any) -> None:
    """Whatever is neither deep nor shared passes."""
    check_data(data)


@pytest.mark.parametrize("read", [load_plain_yaml, load_plain_yaml_documents, load_json])
def test_texts_that_are_too_deep_are_no_data(read: Any) -> None:
    """Both readers refuse them with a ValueError, whatever Python would have raised."""
    assert read("[" * MOST_LEVELS + "1" + "]" * MOST_LEVELS) is not None
    for levels in (MOST_LEVELS + 1, 3_000, 100_000):
        with pytest.raises(ValueError, match="levels deep"):
            read("[" * levels + "1" + "]" * levels)


DEEP_TEXTS = {
    "lists in brackets": lambda levels: "[" * levels + "1" + "]" * levels,
    "lists that are never closed": lambda levels: "[" * levels + "1",
    "mappings in braces": lambda levels: "{a: " * levels + "1" + "}" * levels,
    "lists of one line": lambda levels: "- " * levels + "x",
    "mappings by indentation": lambda levels: "".join(f"{' ' * level}a:\n" for level in range(levels - 1)) + (
        " " * (levels - 1) + "a: 1"
    ),
    "lists below mappings": lambda levels: (
        "".join(f"{' ' * level}a:\n{' ' * level}-\n" for level in range(levels)) + " " * levels + "a: 1"
    ),
    "lists on a line each": lambda levels: "[\n" * levels + "1" + "]" * levels,
}  # fmt: skip
ERRORS = ["", "\n'", '\n"', "\n]", "\n\tx: y", "\n%", "\n@", "\n*missing", "\n: :\n -", "\n--- [", "\n\x01"]


@pytest.mark.parametrize("form", DEEP_TEXTS)
def test_the_first_level_too_many_is_the_error(form: str) -> None:
    """The node that is too deep is named, whatever libyaml's own limit is and whatever follows the node."""
    for levels in (MOST_LEVELS + 1, 999, 1_000, 1_001, 1_500):
        for error in ERRORS:
            with pytest.raises(TooDeepError) as raised:
                yaml.load(DEEP_TEXTS[form](levels) + error, Loader=BoundedLoader)  # noqa: S506
            assert raised.value.node.start_mark.index < 2 * MOST_LEVELS * MOST_LEVELS
            if levels > MOST_LEVELS + 1:
                continue
            allowed = DEEP_TEXTS[form](levels // 2 - 1) + error
            with suppress(yaml.YAMLError):
                yaml.load(allowed, Loader=BoundedLoader)  # noqa: S506


@pytest.mark.parametrize(
    "text",
    ["a: &a [*a]", "a: !!bool x", "a: !!int x", "a: !!timestamp x", "a: 0x_", "a: [", "a: 2020-99-99", "\0"],
)
def test_what_is_no_yaml_is_a_value_error(text: str) -> None:
    """PyYAML raises what Python does for a date or a number that is none; here all of it is one kind."""
    for read in (load_plain_yaml, load_plain_yaml_documents):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            read(text)


def test_documents_are_read_one_by_one() -> None:
    """An empty one is None; a bomb in a later one is refused, too."""
    assert load_plain_yaml_documents("a: 1\n---\n---\n[b]\n") == [{"a": 1}, None, ["b"]]
    assert load_plain_yaml_documents("") == []
    bomb = "\n".join(f"x{level}: &x{level} [{', '.join([f'*x{level - 1}'] * 9)}]" for level in range(1, 9))
    with pytest.raises(ValueError, match="used several times"):
        load_plain_yaml_documents(f"a: 1\n---\nx0: &x0 [1]\n{bomb}\n")
