"""Many secrets in one text: what is hidden, however they became known, and that adding them stays cheap."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.work import calls_made_by

from ensue.core.masking import MASK, SHORTEST_PART_CHARS, Masker
from ensue.core.masking.parts import SecretParts

if TYPE_CHECKING:
    from collections.abc import Iterable

CHARS = "ab-^]é\U0001f511"
"""Few enough that parts overlap and hold each other; some mean something in an expression."""

PARTS = st.lists(st.text(CHARS, min_size=SHORTEST_PART_CHARS, max_size=20), max_size=12)
PIECES = st.lists(st.text(CHARS, max_size=20), max_size=6)


def masked_by_expression(parts: Iterable[str], text: str) -> str:
    """Return what one expression over all parts makes of a text: the definition of what is to be hidden."""
    longest_first = sorted(parts, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), MASK, text) if longest_first else text


@given(PARTS, PIECES, st.data())
def test_the_longest_part_at_the_leftmost_place_is_hidden(
    parts: list[str], pieces: list[str], data: st.DataObject
) -> None:
    """Parts that overlap, hold or begin each other are hidden as one expression over all would hide them."""
    several = st.lists(st.sampled_from([*parts, *pieces] or [""]), max_size=8)
    text = "".join(data.draw(several))
    known = SecretParts()
    known.add(parts)
    assert known.mask(text) == masked_by_expression(parts, text)


@given(PARTS, PIECES)
def test_parts_that_come_one_by_one_are_hidden_as_if_all_had_come_at_once(
    parts: list[str], pieces: list[str]
) -> None:
    """After each part that is added, all added so far are hidden, and nothing else is."""
    known = SecretParts()
    for count, part in enumerate(parts, start=1):
        known.add([part])
        text = "".join([*pieces, *parts])
        assert known.mask(text) == masked_by_expression(parts[:count], text)


@pytest.mark.parametrize(
    ("parts", "text", "masked"),
    [
        (["abcd", "abcdefgh"], "abcdefgh abcdef", f"{MASK} {MASK}ef"),
        (["abcd", "cdefg"], "abcdefg", f"{MASK}efg"),
        (["abcd", "bcdefghi"], "abcdefghi", f"{MASK}efghi"),
        (["abcd", "wxyz"], "abcdwxyzabcd", MASK * 3),
        (["aaaa"], "aaaaaaa", f"{MASK}aaa"),
        (["a" * 20, "a" * 16, "a" * 15], "a" * 37, f"{MASK * 2}a"),
        (["schlüssel"], "Der schlüssel", f"Der {MASK}"),
        (["abcd"], "abc", "abc"),
    ],
)
def test_parts_beside_each_other(parts: list[str], text: str, masked: str) -> None:
    """Of parts that begin at one place the longest is hidden; what it covers is not looked at again."""
    known = SecretParts()
    known.add(parts)
    assert known.mask(text) == masked


def test_a_secret_that_becomes_known_costs_the_same_however_many_are_known() -> None:
    """Of two thousand secrets, each followed by a line, the last hundred cost what the second did."""
    masker = Masker()

    def follow(first: int) -> None:
        for number in range(first, first + 100):
            masker.add(f"{number * 7919 % 10_007:05d}-Passwort")
            assert masker.text(f"the password is {number * 7919 % 10_007:05d}-Passwort.").endswith(f"{MASK}.")

    work = [calls_made_by(partial(follow, first)) for first in range(0, 2000, 100)]
    assert work[-1] < 1.2 * work[1]
