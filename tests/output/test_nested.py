"""Nested data is laid out as Salt lays it out.

`data/nested.json` holds values and what the nested outputter of Salt 3008.5 made of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ensue.output.colours import COLOURED, PLAIN
from ensue.output.nested import nested_lines

RECORDED = json.loads(Path(__file__).with_name("data").joinpath("nested.json").read_text("utf-8"))


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: json.dumps(case["value"])[:30])
def test_text_is_salts(case: dict[str, Any]) -> None:
    """A value at the left and indented, plain and coloured, has the very text that Salt prints."""
    for variant, expected in case["texts"].items():
        colour, indent = variant.split()
        palette = COLOURED if colour == "colour" else PLAIN
        assert "\n".join(nested_lines(case["value"], palette, indent=int(indent))) == expected, variant


def test_a_diff_is_coloured_by_line() -> None:
    """On a terminal the lines of a diff are green and red; Salt leaves them in one colour."""
    diff = "--- \n+++ \n@@ -1 +1 @@\n-old\n+new\n same"
    lines = nested_lines({"diff": diff}, COLOURED)
    assert f"    {COLOURED.red}-old{COLOURED.end}" in lines
    assert f"    {COLOURED.green}+new{COLOURED.end}" in lines
    assert f"    {COLOURED.end} same{COLOURED.end}" in lines


def test_control_sequences_of_a_target_are_not_passed_on() -> None:
    """What a command printed cannot move the cursor of the reader's terminal."""
    assert nested_lines({"stdout": "\x1b[2Jgone\x07\x1b]0;title\x07"}) == ["stdout:", "    gone"]


def test_keys_of_several_types_are_sorted_as_text() -> None:
    """A mapping with numbers and texts as keys is printed, not refused."""
    assert nested_lines({2: "b", "1": "a", None: "c"}) == ["1:", "    a", "2:", "    b", "None:", "    c"]
