"""Scalars mean what they mean to Salt's minion."""

from __future__ import annotations

import pytest

from ensue.language.yaml import load_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0644", 644), ("0", 0), ("00", 0), ("12:30:45", 45045), ("2020-01-01", "2020-01-01"), ("1e3", "1e3"),
        ("yes", True), ("Off", False), ("~", None), ("", None), ("1_000", 1000), ("0x1f", 31), ("1.50", 1.5),
        ("'0644'", "0644"), ("1.2.3", "1.2.3"), ("-7", -7), ("y", "y"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["k: {}\n", "k: {}\nz: !!str 1\n"])
def test_a_scalar_has_the_value_that_salt_gives_it(text: str, value: object, form: str) -> None:
    """Both readers (the tag in the second form needs the complete one) give Salt's value and type."""
    read = load_text(form.format(text))["k"]
    assert (read, type(read)) == (value, type(value))
