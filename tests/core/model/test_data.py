"""Walks over data: copies with other leaves, the leaves themselves, and their places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.model.data import leaf_places, leaves, mapped, texts
from ensue.core.model.data_bounds import MOST_LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable

DATA: dict[Any, Any] = {"a": [1, {"b": "x"}, []], 2: None, "c": b"y"}


def test_mapped_copies_all_containers() -> None:
    """No list or mapping of the copy is one of the data, and only leaves are replaced."""
    copy = mapped(DATA, lambda leaf: ("leaf", leaf))
    assert copy == {
        "a": [("leaf", 1), {"b": ("leaf", "x")}, []],
        2: ("leaf", None),
        "c": ("leaf", b"y"),
    }
    assert copy["a"][2] is not DATA["a"][2]


def test_mapped_replaces_keys_on_every_level() -> None:
    """A function for keys is called for each key, also below lists."""
    assert mapped(DATA, lambda leaf: leaf, str) == {"a": [1, {"b": "x"}, []], "2": None, "c": b"y"}
    assert mapped([{1: {2: 3}}], lambda leaf: leaf, str) == [{"1": {"2": 3}}]


def test_leaves_are_in_reading_order() -> None:
    """Leaves come in the order of the file, each key before its value when keys are asked for."""
    assert list(leaves(DATA)) == [1, "x", None, b"y"]
    assert list(leaves(DATA, with_keys=True)) == ["a", 1, "b", "x", 2, None, "c", b"y"]
    assert list(leaves("alone")) == ["alone"]


def test_texts_are_the_leaves_that_are_text() -> None:
    """Numbers, nulls and bytes are left out, among keys as well."""
    assert list(texts(DATA)) == ["x"]
    assert list(texts(DATA, with_keys=True)) == ["a", "b", "x", "c"]


def test_leaf_places_lead_to_the_leaves() -> None:
    """A place has keys and indexes; that of a leaf alone is empty."""
    assert list(leaf_places(DATA)) == [(("a", 0), 1), (("a", 1, "b"), "x"), ((2,), None), (("c",), b"y")]
    assert list(leaf_places(7)) == [((), 7)]


@pytest.mark.parametrize("wrap", [lambda inside: [inside], lambda inside: {"k": inside}])
def test_walks_reach_the_deepest_level(wrap: Callable[[Any], Any]) -> None:
    """Data as deep as readers let through is walked to its end."""
    data: Any = "leaf"
    for _ in range(MOST_LEVELS):
        data = wrap(data)
    assert list(texts(mapped(data, str.upper))) == ["LEAF"]
    assert [leaf for _, leaf in leaf_places(data)] == ["leaf"]
