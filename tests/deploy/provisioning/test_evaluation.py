"""Evaluating data with placeholders, compared with a reference that walks all of the data."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ensue.core.contracts.driver import ForeignPart
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.unknown import Unknown, has_unknowns
from ensue.deploy.provisioning.evaluation import evaluate, evaluate_parts
from ensue.deploy.provisioning.placeholder_values import FileConstant
from ensue.deploy.provisioning.placeholders import Placeholder, PlaceholderText
from ensue.deploy.provisioning.sensitive import Foreign, Sensitive, parted
from ensue.deploy.provisioning.written import NO_MENTIONS, TemplatedData, TextPlace
from ensue.language.yaml import YamlDocument

PLACE = TextPlace(YamlDocument("file.yaml", ""))
PLAIN = st.recursive(
    st.sampled_from(["", "a", 0, None, True]),
    lambda below: (
        st.lists(below, max_size=2) | st.dictionaries(st.sampled_from(["a", "0"]), below, max_size=2)
    ),
    max_leaves=3,
)


def _foreign(value: Any) -> Foreign:
    return Foreign(value, (ForeignPart(placeholder="${x}", resource="db"),))


VALUES = st.one_of(
    PLAIN,
    PLAIN.map(Sensitive),
    PLAIN.map(_foreign),
    PLAIN.map(lambda value: _foreign(Sensitive(value))),
    st.lists(PLAIN.map(_foreign) | PLAIN.map(lambda value: _foreign({"a": Sensitive(value)})), max_size=2),
    st.just(Unknown("")),
    st.just([Unknown("")]),
)
"""The values of placeholders: of the context, secrets, outputs, selections, and what is not known."""

PLACEHOLDERS = VALUES.map(lambda value: Placeholder("${x}", 0, 4, FileConstant(value)))
TEMPLATES = st.lists(PLACEHOLDERS | st.sampled_from(["a", " $"]), min_size=1, max_size=3).map(
    lambda parts: PlaceholderText("source", tuple(parts))
)
DATA = st.recursive(
    PLAIN | TEMPLATES,
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(["a", "0", 0, 1]), below, max_size=3)
    ),
    max_leaves=8,
)


def value_of(placeholder: Placeholder) -> Any:
    """Return the value that a placeholder of this file has as its meaning."""
    assert isinstance(placeholder.meaning, FileConstant)
    return placeholder.meaning.value


def reference(data: Any) -> Any:
    """Return data with each template replaced on its own."""
    if is_mapping(data):
        return {key: reference(value) for key, value in data.items()}
    if is_list(data):
        return [reference(value) for value in data]
    return evaluate(data, value_of) if isinstance(data, PlaceholderText) else data


@given(DATA)
def test_every_template_is_replaced_where_it_is(data: Any) -> None:
    """The result is that of each template alone; the data as written stays, and parts are shared."""
    written = copy.deepcopy(data)
    evaluated = evaluate(data, value_of)
    assert evaluated == reference(data)
    assert data == written
    assert _shares_what_is_equal(data, evaluated)


@given(DATA)
def test_marks_are_listed_with_their_paths(data: Any) -> None:
    """Data, paths of secrets, foreign parts and what is not known are those of the data with marks."""
    evaluated = evaluate_parts(TemplatedData(data, object(), NO_MENTIONS, PLACE), value_of)
    expected = parted(reference(data))
    assert evaluated[:3] == expected
    assert evaluated.is_known is not has_unknowns(expected.data)


def test_data_that_occurs_twice_is_replaced_twice() -> None:
    """A part that several aliases of a file share gets the values of each place, and stays as it is."""
    template = PlaceholderText("${x}", (Placeholder("${x}", 0, 4, FileConstant(1)),))
    shared = {"a": [template]}
    data = {"one": shared, "other": [shared, shared]}
    assert evaluate(data, value_of) == {"one": {"a": [1]}, "other": [{"a": [1]}, {"a": [1]}]}
    assert shared == {"a": [template]}


def _shares_what_is_equal(data: Any, evaluated: Any) -> bool:
    """Return whether every part of data without templates is the same object in the result."""
    if not _has_templates(data):
        return evaluated is data
    if is_mapping(data):
        return all(_shares_what_is_equal(value, evaluated[key]) for key, value in data.items())
    if is_list(data):
        return all(map(_shares_what_is_equal, data, evaluated))
    return True


def _has_templates(data: Any) -> bool:
    if is_mapping(data) or is_list(data):
        return any(map(_has_templates, data.values() if is_mapping(data) else data))
    return isinstance(data, PlaceholderText)
