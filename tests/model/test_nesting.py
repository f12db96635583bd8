"""Data that nests too deep for what handles it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ensue.model.nesting import DEEPEST, DEEPEST_YAML, check_nesting, is_too_deep


def nested(depth: int) -> Any:
    data: Any = "x"
    for level in range(depth):
        data = [data] if level % 2 else {"k": data}
    return data


@given(st.integers(min_value=0, max_value=2 * DEEPEST))
def test_the_bound(depth: int) -> None:
    """Data may nest as deep as the bound, and no deeper."""
    assert is_too_deep(nested(depth)) is (depth > DEEPEST)


def test_data_within_itself_is_too_deep() -> None:
    """A value that holds itself, however often, is found out at once."""
    loop: list[Any] = []
    loop += [loop, loop, {"k": loop}]
    assert is_too_deep(loop)


def test_aliases_do_not_count_twice() -> None:
    """What many aliases stand for is looked at once per level."""
    data: Any = []
    for _ in range(DEEPEST - 1):
        data = [data, data]
    assert not is_too_deep(data)


@pytest.mark.parametrize(
    "text", ["[" * DEEPEST_YAML + "]" * DEEPEST_YAML, "a: " + "x" * 5000, "- [1]\n" * 5000, "a: ["]
)
def test_yaml_within_the_bound_passes(text: str) -> None:
    """Long texts, many short lists and what is wrong otherwise are no matter of nesting."""
    check_nesting(text)


def test_yaml_beyond_the_bound_is_refused() -> None:
    """The place is where it becomes too deep."""
    with pytest.raises(yaml.MarkedYAMLError) as caught:
        check_nesting("a: 1\nb: " + "[" * DEEPEST_YAML)
    assert caught.value.problem_mark is not None
    assert caught.value.problem_mark.line == 1
