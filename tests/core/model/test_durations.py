"""Durations as people write them."""

from __future__ import annotations

import pytest

from ensue.core.model.durations import FORMS, duration_s


def test_the_units() -> None:
    """Seconds, minutes, hours, days and weeks; fractions too."""
    texts = ["90s", "30m", "1.5h", "3d", "2w", " 1s "]
    assert [duration_s(text) for text in texts] == [90, 1800, 5400, 259_200, 1_209_600, 1]
    assert all(duration_s(part) for part in FORMS.replace(" or ", ", ").split(", "))


@pytest.mark.parametrize("text", ["", "3", "d", "-1d", "1 d", "1y", "1e3s", "3d4h", "1.s", "٣d"])
def test_what_is_none(text: str) -> None:
    """A number needs a unit."""
    assert duration_s(text) is None
