"""Marks of secrets within data: set by paths, taken away again, followed, and written as colon paths."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ensue.core.masking import Masker
from ensue.core.model.sensitive_paths import hide_paths, values_at
from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.sensitive import (
    Sensitive,
    below,
    colon_paths,
    differing,
    marked,
    separated,
    texts_in,
)

KEYS = st.text("ab:0", min_size=1, max_size=3)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(0, 9), st.text("xyz", max_size=3))
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


def paths_of(data: Any, here: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the paths of all values of some data, from the top."""
    items: Any = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [here, *(path for key, value in items for path in paths_of(value, (*here, key)))]


@st.composite
def chosen(draw: st.DrawFn) -> tuple[Any, list[tuple[str | int, ...]]]:
    """Draw data, and some of its paths."""
    data = draw(DATA)
    return data, draw(st.lists(st.sampled_from(paths_of(data)), unique=True, max_size=4))


@given(chosen())
def test_marks_come_off_as_they_were_put_on(drawn: tuple[Any, list[tuple[str | int, ...]]]) -> None:
    """The data is as before, and every path that was marked is at or below one of the secret paths."""
    data, paths = drawn
    plain, secret_paths = separated(marked(data, paths))
    assert plain == data
    assert all(
        below(secret_paths, path) or any(path[: len(prefix)] == prefix for prefix in secret_paths)
        for path in paths
    )
    assert all(any(secret_path[: len(path)] == path for path in paths) for secret_path in secret_paths)


@given(DATA)
def test_data_without_marks_is_the_same_object(data: Any) -> None:
    """Nothing is copied when there are no marks."""
    plain, secret_paths = separated(data)
    assert plain is data
    assert secret_paths == ()


@given(chosen())
def test_colon_paths_hide_all_that_is_secret(drawn: tuple[Any, list[tuple[str | int, ...]]]) -> None:
    """What states say of secrets covers each of them, also below a key with a colon in it."""
    data, paths = drawn
    _, secret_paths = separated(marked(data, paths))
    written = colon_paths(secret_paths)
    shown = hide_paths(data, written)
    for path in secret_paths:
        value, seen = data, shown
        for part in path:
            if not isinstance(seen, dict | list):
                break
            value, seen = value[part], seen[part]
        assert seen in ("(sensitive)", None), (path, written, shown)
    assert set(texts_in(data, secret_paths)) <= {*values_at(data, written), *texts_in(data, secret_paths)}


@given(DATA, st.sampled_from("xyz"))
def test_all_that_masking_changed_is_found(data: Any, letter: str) -> None:
    """A text that the masker changes is at one of the paths, and nothing else is."""
    masker = Masker()
    secret = letter * 3
    masker.add(secret)
    changed = differing(data, masker.data(data))
    here = {path for path in paths_of(data) if secret in _texts(data, path)}
    assert set(changed) == here


def _texts(data: Any, path: tuple[str | int, ...]) -> list[str]:
    for part in path:
        data = data[part]
    return [data] if isinstance(data, str) else []


def test_a_key_that_is_secret_makes_what_holds_it_secret() -> None:
    """A masked key cannot be found by its path."""
    masker = Masker()
    masker.add("hunter2-secret")
    data = {"all": {"hunter2-secret": 1, "b": 2}, "free": 3}
    assert differing(data, masker.data(data)) == (("all",),)


def test_a_path_that_leads_nowhere_marks_nothing() -> None:
    """A record of an earlier deployment may know paths that outputs have no more."""
    data = {"a": [1]}
    for path in ((), ("b",), ("a", 7), ("a", 0, "c"), ("a", "0")):
        plain, _ = separated(marked(data, [path]))
        assert plain == data
    assert separated(marked(data, [("b",), ("a", 7), ("a", "0")]))[1] == ()


def test_numbers_and_texts_are_told_to_the_masker() -> None:
    """Nulls and booleans are no secrets: masking them would hide the words of every message."""
    data = {"a": ["x", 5, 2.5, None, True], "b": "y"}
    assert list(texts_in(data)) == ["x", "5", "2.5", "y"]
    assert list(texts_in(data, [("a", 1), ("b",)])) == ["5", "y"]


def test_a_path_below_a_secret_or_an_unknown_value_marks_nothing() -> None:
    """What is secret already is not marked twice, and an unknown value stays one."""
    unknown = Unknown("${a}")
    assert marked({"a": Sensitive("s3cret")}, [("a",), ("a", "b")]) == {"a": Sensitive("s3cret")}
    assert marked({"a": unknown}, [("a",)])["a"] is unknown
