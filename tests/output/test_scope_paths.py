"""A path fits where it is shown, and says where it begins and ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ensue.output.scope_paths import shortened

DEEP = "/".join(f"state{depth}/block{depth}" for depth in range(30))


def test_what_fits_is_whole() -> None:
    """Nothing is left out of a path that there is room for."""
    assert shortened("a/b/a/b#2", 9) == "a/b/a/b#2"


def test_the_middle_is_left_out() -> None:
    """The first step stays, and as many of the last as there is room for."""
    assert shortened(DEEP, 40) == "state0/…/state28/block28/state29/block29"
    assert shortened("a/" + "b" * 30, 10) == "…bbbbbbbbb"


@given(st.text(max_size=80), st.integers(2, 90))
def test_any_path(path: str, room: int) -> None:
    """It is never longer than the room, and a shortened one shows that it is."""
    short = shortened(path, room)
    assert len(short) <= room
    assert short == path or "…" in short
