"""The fast YAML reader says what the complete one says, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.core.model.data_bounds import MOST_LEVELS, TooDeepError
from ensue.language.yaml import fast, full

PIECES = [
    "a",
    "b:",
    "c: ",
    "- ",
    "  ",
    "    ",
    "\n",
    "\n  ",
    "\n    ",
    "\n- ",
    "\n  - ",
    "x y",
    "'q'",
    '"d"',
    "'it''s'",
    "# c",
    " # c",
    "|",
    "|-",
    "|+",
    "[1, 2]",
    "{a: 1}",
    "0644",
    "1:30",
    ": ",
    "yes",
    "~",
    "null",
    "1e3",
    "1.5",
    "-",
    "?",
    "*a",
    "&a",
    "!t",
    "%",
    "@",
    "`",
    "http://x:8",
    "a:b",
    "<<",
    "=",
    "---",
    "...",
    "é",
    ",",
    "[",
    "]",
    "{",
    "}",
    ">",
    "key: v",
    "\n\n",
    "- - a",
    "/etc/x:",
    "${a:b:c}",
    "2020-01-01",
    "-1",
    "+1",
    "a#b",
    "''",
    '""',
    "00",
    "0x1f",
    "1_000",
    "\t",
    "0x_",
    "[0b_]",
    "9" * 4301,
]


@settings(max_examples=2000)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_what_the_fast_reader_returns_is_what_libyaml_returns(text: str) -> None:
    """For any text, the fast reader gives up or agrees with the complete reader, to the type."""
    try:
        value = fast.load(text)
    except fast.GiveUp:
        return
    assert repr(full.load(text)) == repr(value)


BODIES = [
    "  test.nop: []\n",
    "  test.nop\n",
    "  - a\n  - b: 1\n",
    "- a\n",
    "\n",
    "",
    "# why\n",
    "  # why\n",
    "  a: |\n    one\n",
    "  a: |+\n    one\n\n",
    "  a: |-\n    one\n\n\n",
    "  |\n    one\n",
    "  b: 0644\n\n  c: 'x'\n",
    "  a: [1, {b: 2}]\n",
    "  - - a\n    - b\n",
    "   odd:\n  even: 1\n",
    " last",
    "  a: 1",
    "  a:",
    "#",
    "\t\n",
]
KEYS = [
    "a",
    "b",
    "/etc/x",
    "a b",
    "1",
    "0644",
    "yes",
    "x:80",
    "x: 1",
    "a #c",
    "'q'",
    "include",
    "a:",
    "é",
    "-a",
    ".",
    "--- a",
    '"a"',
]


@settings(max_examples=2000)
@given(st.lists(st.tuples(st.sampled_from(KEYS), st.lists(st.sampled_from(BODIES), max_size=2)), max_size=5))
def test_a_mapping_of_entries_is_read_as_by_libyaml(entries: list[tuple[str, list[str]]]) -> None:
    """A mapping whose values stand below their keys is read as it stands."""
    text = "".join(f"{key}:\n{''.join(bodies)}" for key, bodies in entries)
    try:
        value = fast.load(text)
    except fast.GiveUp:
        return
    assert repr(full.load(text)) == repr(value)


def test_what_stands_below_two_keys_is_not_shared() -> None:
    """Whoever changes what one state was given changes no other."""
    first, second, third = fast.load("".join(f"{key}:\n  - [a]\n" for key in "xyz")).values()
    first[0].append("b")
    second[0].append("c")
    assert third == [["a"]]


@pytest.mark.parametrize("text", ["a:\n  - b\x7f\n", "a:\n  - b\x00\n", "a:\n  - b\x85\n", "a:\n- \tb\n"])
def test_control_characters_are_left_to_libyaml(text: str) -> None:
    """Nothing but printable characters and line ends is in the subset."""
    with pytest.raises(fast.GiveUp):
        fast.load(text)


def test_a_key_that_is_too_long_is_left_to_libyaml() -> None:
    """A key has its largest length."""
    with pytest.raises(fast.GiveUp):
        fast.load(f"a:\n  - b\n{'long-' * 300}:\n  - b\n")


@pytest.mark.parametrize("levels", [*range(38, 43), MOST_LEVELS - 2, MOST_LEVELS - 1, 3000])
def test_what_is_nested_deep_is_left_to_the_complete_reader(levels: int) -> None:
    """Both readers allow the same number of levels, however they are written."""
    text = f"a:\n  - {'[' * levels}{']' * levels}\nb:\n  - c\n"
    try:
        expected = full.load(text)
    except TooDeepError:
        assert levels > MOST_LEVELS - 2
        with pytest.raises(fast.GiveUp):
            fast.load(text)
        return
    try:
        assert fast.load(text) == expected
    except fast.GiveUp:
        assert levels > MOST_LEVELS - 60


@pytest.mark.parametrize(
    "text",
    [
        "a:\n  test.nop\n",
        (
            "a:\n  file.managed:\n    - name: /x\n    - mode: 0644\n"
            "    - contents: |\n        one\n          two\n\n        three\n"
        ),
        "a: # why\n  pkg.installed:\n  - names:\n    - vim\n    - 'tmux'\n\n# end\nb: {c: [1, 2]}\n",
        "include:\n- a.b\n- .c\n",
        "x:\n  - a: 1\n    b: 2\n  - - c\n    - d\n",
    ],
)
def test_ordinary_sls_are_in_the_subset(text: str) -> None:
    """What SLS files are written in is read by the fast reader itself."""
    assert fast.load(text) == full.load(text)
