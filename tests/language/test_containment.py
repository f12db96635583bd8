"""Which values may be printed where in YAML text."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ensue.language.printed_values import guarded, take_out_guards
from ensue.language.yaml import full
from ensue.language.yaml.containment import beyond_scalars

STAYS = [
    ("a: @", "x:y"),
    ("a: @", "x#y"),
    ("a: @", " b"),
    ("a: @", "a{b"),
    ("a: x @", "%&!"),
    ("a: x-@", "#1 SMP"),
    ("a: @x", "foo:"),
    ("a: @", "::1"),
    ("@: 1", "k v's"),
    ("a: '@'", 'x: "y'),
    ('a: "@"', "it's: b #c"),
    ('a: "@"', "[x]: y\\nz"),
    ('a: "@"', 'C:\\\\x \\"y\\"'),
    ('a: "x\\\\@"', "n: 'y"),
    ("a: |\n  @\nb: 1", "x: y\n  z: - #"),
    ("a: >\n  @\nb: 1", "x: y\n  z: - #"),
    ("a: [@, b]", "x:y"),
    ("a: [b]\nc: @", "x,y"),
    ("# @\na: b", "x: 'y"),
    ("a: b # @", "x: 'y"),
]
REACHES_BEYOND = [
    ("a: @", "x: y"),
    ("a: @", "x #y"),
    ("a: @", "- b"),
    ("a: @", '"q"'),
    ("a: @", "*x"),
    ("a: @", "@x"),
    ("a: @", "{a"),
    ("a: @", "foo:"),
    ("a: @", "#1 SMP"),
    ("a: @", "a\n  b"),
    ("@", "---"),
    ("@: 1", "<<"),
    ("a:@", " b"),
    ("a: @# x", "b "),
    ("a: 'x@'", "it's"),
    ('a: "@"', "a\\"),
    ('a: "@"', "a\\\\\\"),
    ('a: "@"', "\\x24{a"),
    ('a: "x\\@"', "n: 'y"),
    ("a: '@", "b'"),
    ("a: |\n  @\nb: 1", "x: y\nz: 1"),
    ("a: |\n  @\nb: 1", "x: y\n z: 1"),
    ("a: [@, b]", "x,y"),
    ("# @\na: b", "x\nq: 1"),
    ("a:\n  - b: @\n    c: 1", "ok\n    unless: x"),
]


_KEYS = ("a", "b")


def _beyond(template: str, value: str) -> list[str]:
    text, extents = take_out_guards(template.replace("@", guarded(value), 1) + "\n")
    return [text[beyond_scalar.start : beyond_scalar.end] for beyond_scalar in beyond_scalars(text, extents)]


@pytest.mark.parametrize(("template", "value"), STAYS)
def test_a_part_of_one_scalar_may_be_printed(template: str, value: str) -> None:
    """A value that YAML reads as a part of the scalar that it is printed into is let through."""
    assert _beyond(template, value) == []


@pytest.mark.parametrize(("template", "value"), REACHES_BEYOND)
def test_what_ends_the_scalar_or_begins_another_is_found(template: str, value: str) -> None:
    """A value that YAML would read as more than a part of the scalar is found."""
    assert _beyond(template, value) == [value]


@given(
    st.sampled_from(
        [
            "a: @",
            "a: x @ y",
            "a: '@'",
            'a: "x@"',
            "a: [@, b]",
            "a: {b: @}",
            "@: a",
            "- @\n- b",
            "a: |\n  @\nb: 1",
        ]
    ),
    st.text("xy :#-,[]{}&*!|>'\"%@`?\\\n\t~<=é\u2028", max_size=12),
)
def test_a_value_that_is_let_through_leaves_the_shape_of_the_document(template: str, value: str) -> None:
    """YAML with a value that is let through has the shape that it has with a word, or is refused itself."""
    if "@" in value or not value.strip(" \t") or _beyond(template, value):
        return
    try:
        data = full.load(template.replace("@", value, 1) + "\n")
    except (yaml.YAMLError, full.DuplicateKeyError):
        return
    assert _shape(data) == _shape(full.load(template.replace("@", "word", 1) + "\n"))


def _shape(data: object) -> object:
    """Return the keys and lengths of data; the value may be a key."""
    if isinstance(data, dict):
        return {"key" if name not in _KEYS else name: _shape(value) for name, value in data.items()}
    return [_shape(item) for item in data] if isinstance(data, list) else "scalar"
