"""Filling bound values into arguments, compared with a literal reading of the rule."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.engine.binding.bound_values import filled, word

VALUES: dict[str, Any] = {
    "${a}": "b",
    "${b}": "plain",
    "${list}": [{"x": "${a}"}, 1],
    "${map}": {"y": ["${b}"]},
    "${null}": None,
}
TEXTS = st.sampled_from([*VALUES, "plain", "b", "x", ""])
DATA = st.recursive(
    TEXTS | st.integers() | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def written_out(value: Any) -> Any:
    """Return what `filled` is to return: each bound text is replaced, and keys are written as text."""
    if isinstance(value, str):
        return VALUES.get(value, value)
    if is_list(value):
        return [written_out(item) for item in value]
    if not is_mapping(value):
        return value
    keys: list[Any] = [VALUES.get(key, key) for key in value]
    if any(not isinstance(key, str) for key in keys) or len(set(keys)) < len(keys):
        raise StateFailedError("a key is none, or stands twice")
    return dict(zip(keys, map(written_out, value.values()), strict=True))


@given(DATA)
def test_every_bound_text_is_replaced(value: Any) -> None:
    """Texts and keys are replaced by their values; what cannot be a key, or is a key twice, is refused."""
    try:
        expected = written_out(value)
    except StateFailedError:
        with pytest.raises(StateFailedError):
            filled(value, VALUES)
        return
    assert repr(filled(value, VALUES)) == repr(expected)


def test_what_is_bound_is_copied() -> None:
    """A function that changes its arguments changes neither another state's return nor the SLS."""
    given_: dict[str, Any] = {"one": "${map}", "own": {"list": ["x"]}}
    first = filled(given_, VALUES)
    first["one"]["y"].append("z")
    first["own"]["list"].append("z")
    assert filled(given_, VALUES) == {"one": {"y": ["${b}"]}, "own": {"list": ["x"]}}


def test_bound_keys_at_every_depth_take_no_more_time_than_their_number() -> None:
    """A bound key at the end of each of many nested mappings does not make the work start again."""
    value: Any = "x"
    for _ in range(200):
        value = {"inner": value, "${a}": "y"}
    result = filled(value, VALUES)
    for _ in range(200):
        assert list(result) == ["inner", "b"]
        result = result["inner"]
    assert result == "x"


@pytest.mark.parametrize("value", ["\udcff", "a\ud800b"])
def test_a_name_is_text_that_can_be_encoded(value: str) -> None:
    """Half of a surrogate pair cannot be written to a file or passed to a command."""
    with pytest.raises(StateFailedError, match="half of a surrogate pair"):
        word(value, "the name")


def test_a_word_is_written_as_text() -> None:
    """Numbers and booleans are; a list or null has no text."""
    assert (word("a", "the name"), word(1, "the name"), word(True, "the name")) == ("a", "1", "true")
    for value, kind in ((None, "null"), ([1], "a list"), ({"a": 1}, "a mapping")):
        with pytest.raises(StateFailedError, match=f"the name must be text, but is bound to {kind}"):
            word(value, "the name")
