"""Tests of `ensue.core.model.first_names`."""

from __future__ import annotations

import pytest

from ensue.core.model.first_names import first_names


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c", "d"], "a, b and 2 more")],
)
def test_a_long_list_is_cut(names: list[str], text: str) -> None:
    """The names beyond the limit are counted."""
    assert first_names(names, 2) == text
