"""A path of keys leads to one value, or the error names the first key that is missing and what there is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.data import leaf_places
from ensue.core.model.paths import AbsentKeyError, value_at
from ensue.core.model.unknown import Unknown

DATA: dict[str, Any] = {
    "host": "db",
    "nodes": [{"name": "a"}, {"name": "b"}],
    "later": Unknown("${x:y:z}"),
    "none": None,
    "empty": {},
    "list": [],
    8080: "number",
}
TREES = st.recursive(
    st.none() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(TREES)
def test_every_place_of_data_is_a_path(tree: Any) -> None:
    """Its indexes are numbers as text."""
    for place, leaf in leaf_places(tree):
        assert value_at(tree, map(str, place)) == leaf


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("host", "db"),
        ("nodes.1.name", "b"),
        ("none", None),
        ("8080", "number"),
        ("later.deep.er", DATA["later"]),
    ],
)
def test_a_path_leads_to_a_value(path: str, value: Any) -> None:
    """A key that is no text is meant by its text, and what is below an unknown value is that value."""
    assert value_at(DATA, path.split(".")) == value


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("hots.x", "it has no output 'hots' (did you mean host?)"),
        ("808", "it has no output '808' (did you mean 8080?)"),
        ("zzz", "it has no output 'zzz' (it has host, nodes, later, none, empty, list, 8080)"),
        ("nodes.2.name", "it has no output 'nodes.2' (nodes has 2 items)"),
        ("nodes.-1", "it has no output 'nodes.-1' (nodes has 2 items)"),
        ("nodes.²", "it has no output 'nodes.²' (nodes has 2 items)"),
        ("nodes.0.nam", "it has no output 'nodes.0.nam' (did you mean name?)"),
        ("host.x", "it has no output 'host.x' (host is a text)"),
        ("none.x", "it has no output 'none.x' (none is null)"),
        ("empty.x", "it has no output 'empty.x' (empty is empty)"),
        ("list.0", "it has no output 'list.0' (list is empty)"),
    ],
)
def test_what_is_missing_is_named(path: str, sentence: str) -> None:
    """With the keys that may have been meant, and never with a value, which may be secret."""
    with pytest.raises(AbsentKeyError) as caught:
        value_at(DATA, path.split("."))
    assert caught.value.sentence("it", "output ") == sentence


def test_an_index_of_thousands_of_digits_is_out_of_range() -> None:
    """Python makes no number of so many digits."""
    with pytest.raises(AbsentKeyError):
        value_at(DATA, ["nodes", "1" * 5000])
