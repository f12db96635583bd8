"""Names that a glob matches: what the index finds is what `fnmatch` finds, in the same order."""

from __future__ import annotations

import fnmatch

from hypothesis import given
from hypothesis import strategies as st

from ensue.language.names_by_glob import NamesByGlob

NAMES = st.lists(st.text("ab-é\U0010ffff", max_size=5), max_size=12)


@given(NAMES, st.text("ab-é*?[]!\U0010ffff", max_size=6))
def test_it_finds_what_a_look_at_every_name_finds(names: list[str], glob: str) -> None:
    """The names, each once, in their order."""
    expected = [name for name in dict.fromkeys(names) if fnmatch.fnmatchcase(name, glob)]
    assert NamesByGlob(names).matching(glob) == expected


def test_a_glob_in_the_middle() -> None:
    """A glob with nothing plain at its ends is matched against all names."""
    assert NamesByGlob(["b-x", "a", "c-xy"]).matching("*x*") == ["b-x", "c-xy"]
