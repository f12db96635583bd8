"""Names of users as names of folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.folder_name import folder_name

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["env-01", "../etc", "..", ".hidden", "a b", "a\0b", "\ud800", "ä" * 300])
def test_any_name_is_one_part_of_a_path(tmp_path: Path, name: str) -> None:
    """A folder of that name can be made, and it is where it was meant to be."""
    folder = tmp_path / folder_name(name)
    folder.mkdir()
    assert [path.name for path in tmp_path.iterdir()] == [folder_name(name)]


def test_a_plain_name_stays_as_it_is() -> None:
    """People look into these folders."""
    assert folder_name("env-01") == "env-01"


@given(st.text(min_size=1), st.text(min_size=1))
def test_different_names_stay_different(name: str, other: str) -> None:
    """So that no one's files are taken for another's."""
    assert (folder_name(name) == folder_name(other)) == (name == other)


def test_long_names_that_begin_alike_stay_different() -> None:
    """Their digests differ."""
    assert folder_name("a" * 300) != folder_name("a" * 301)
