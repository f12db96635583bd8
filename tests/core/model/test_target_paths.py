"""Paths of a target: climbing from one ends at the root, whatever the target says of it."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.target_paths import LONGEST_PATH_BYTES, folders_above, is_too_long


@pytest.mark.parametrize(
    ("path", "above"),
    [
        ("/a/b/c", ["/a/b", "/a", "/"]),
        ("/a/", ["/"]),
        ("/a", ["/"]),
        ("/", []),
        ("//", []),
        ("//a/b", ["//a", "//"]),
        ("a/b", ["a"]),
        ("a", []),
        ("", []),
    ],
)
def test_folders_above_a_path(path: str, above: list[str]) -> None:
    """They are the nearest first and the root last; POSIX's `//` is a root as well."""
    assert [*folders_above(path)] == above


@given(st.text(alphabet="/.a\0\n", max_size=40))
def test_climbing_has_an_end(path: str) -> None:
    """There are never more folders above a path than it has characters, and each is listed once."""
    above = [*islice(folders_above(path), len(path) + 1)]
    assert len(above) <= len(path)
    assert len(set(above)) == len(above)


def test_a_path_longer_than_any() -> None:
    """The bytes count, as for the system."""
    assert not is_too_long("x" * LONGEST_PATH_BYTES)
    assert is_too_long("é" * (LONGEST_PATH_BYTES // 2) + "x")
