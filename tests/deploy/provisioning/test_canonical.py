"""When two data are equal, and when they are the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ensue.deploy.provisioning.canonical import are_equal, canonical

WHOLE = st.integers(-(2**62), 2**62)
NUMBERS = st.one_of(WHOLE, WHOLE.map(float), st.floats(allow_nan=False, allow_infinity=False))


@given(NUMBERS, NUMBERS)
def test_numbers_are_equal_as_numbers(first: float, second: float) -> None:
    """Two numbers are equal if Python says so, however each is written, at any depth."""
    assert are_equal({"a": [first]}, {"a": [second]}) == (first == second)


@given(st.integers(-(2**53) + 1, 2**53 - 1))
def test_a_whole_number_has_two_forms(number: int) -> None:
    """An integer and the float of the same value are equal but not the same data."""
    assert are_equal(number, float(number))
    assert canonical(number) != canonical(float(number))


def test_truth_values_and_texts_are_no_numbers() -> None:
    """`true`, `"1"` and `1` are three values."""
    assert not are_equal(1, True)
    assert not are_equal(1, "1")
    assert not are_equal({"1": 1}, {"2": 1})
