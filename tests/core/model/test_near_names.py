"""Which names are so near to others that one of the two looks misspelt."""

from __future__ import annotations

import pytest

from ensue.core.model.near_names import is_one_slip


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("dev", "deev"),
        ("dev", "dve"),
        ("prod", "prid"),
        ("staging", "stagin"),
        ("shop", "shopp"),
        ("prod1", "prod1s"),
    ],
)
def test_one_slip(first: str, second: str) -> None:
    """A letter more, less or another one, or two that are swapped, in either direction."""
    assert is_one_slip(first, second)
    assert is_one_slip(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("dev", "dev"),
        ("pr-17", "pr-18"),
        ("pr-17", "pr-171"),
        ("dev", "dev2"),
        ("prod-a", "prod-b"),
        ("a-prod", "b-prod"),
        ("eu-west-1a", "eu-west-1b"),
        ("cell-a1", "cell-b1"),
        ("eu-prod", "us-prod"),
        ("dev", "prod"),
        ("", "a"),
    ],
)
def test_no_slip(first: str, second: str) -> None:
    """The same name, members of a series, and other names."""
    assert not is_one_slip(first, second)
    assert not is_one_slip(second, first)
