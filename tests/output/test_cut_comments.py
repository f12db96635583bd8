"""A comment that is too long for a line of progress keeps how to go on, which is its last sentence."""

from __future__ import annotations

import pytest

from ensue.output.failures import cut_comment


def test_a_comment_of_a_usual_length_is_whole() -> None:
    """The advice of a failure has no parentheses, and need not be at the end."""
    comment = "x has no new_state: have it run once, or read what it makes in another way " * 3
    assert cut_comment(comment) == comment


@pytest.mark.parametrize(
    "end",
    [
        " (did you mean host?)",
        " (run it: `ensue call x test.ping (a)`)",
        f" (did you mean {'motd or ' * 50}host?)",
    ],
)
def test_the_way_out_of_a_long_comment_is_kept(end: str) -> None:
    """The middle is cut."""
    comment = f"new_state has no key 'hst'; it has {'name, ' * 100}{end}"
    assert cut_comment(comment) == f"{comment[:160]}…{end}"


def test_only_what_is_too_long_is_cut() -> None:
    """A short comment with a long way out is whole."""
    comment = f"it failed ({'do this, ' * 25})"
    assert cut_comment(comment) == comment


def test_a_long_comment_without_a_way_out_is_cut_at_its_end() -> None:
    """As many parentheses as there may be are no advice."""
    assert cut_comment("(" * 100_000) == "(" * 160 + "…"
