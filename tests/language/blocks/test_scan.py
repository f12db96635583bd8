"""The scan for delayed blocks: what is cut, what stays, and that no text makes it fall over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.core.errors import CompileError
from ensue.language.blocks import UNLIMITED, UNSET, Scan, scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.diagnostics import Diagnostic

PIECES = [
    "#!delayed_block a",
    "#!delayed_block b scoped",
    "  #!delayed_block a delayed_repeat_limit=3",
    "\t#!delayed_block c delayed_repeat_limit=None scoped",
    "#!delayed_block",
    "#!delayed_block a b",
    "#!delayed_block a delayed_repeat_limit=0",
    "#!delayed_block =",
    "#!delayed_blocks a",
    "#!end_delayed_block",
    "#!end_delayed_block a",
    "  #!end_delayed_block b",
    "#!end_delayed_block a b",
    "x #!delayed_block a",
    "#!delayed_sls scoped",
    "#!require:a",
    "#!require:a;yaml",
    "#!require:",
    "#!END",
    "#!json",
    "# comment",
    "{% for i in [",
    "",
    "   ",
    "  x: y",
    "\r",
    "\f#!delayed_block a",
]
LINES = st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=25)
SOUND = st.recursive(
    st.sampled_from(["x: y", "  - z", "", "{{ nothing"]).map(lambda line: [line]),
    lambda inner: st.lists(inner, max_size=4).map(
        lambda parts: ["#!delayed_block n", *(line for part in parts for line in part), "#!end_delayed_block"]
    ),
    max_leaves=20,
)


def diagnostics(text: str) -> Sequence[Diagnostic]:
    try:
        scan(text, "t.sls")
    except CompileError as error:
        return error.diagnostics
    return []


def faults(text: str) -> list[str]:
    return [f"{diagnostic.code} {diagnostic.span}" for diagnostic in diagnostics(text)]


def cut(text: str) -> Scan:
    return scan(text, "t.sls", pipe="jinja|yaml", template="t.sls")


@settings(max_examples=500)
@given(LINES.map("\n".join))
def test_any_text_is_cut_or_refused_with_places(text: str) -> None:
    """Any text is cut with every line in its place, or each diagnostic has its line."""
    refused = diagnostics(text)
    for diagnostic in refused:
        assert diagnostic.code in {"E0901", "E0902", "E0903"}
        assert diagnostic.span is not None
        assert 1 <= diagnostic.span.line <= text.count("\n") + 1
    if not refused:
        _assert_kept(text, cut(text))


@given(st.lists(SOUND, max_size=5))
def test_sound_tags_are_never_refused_for_their_nesting(parts: list[list[str]]) -> None:
    """However blocks are nested and followed by others, pairs are found; only names may clash."""
    text = "\n".join(line for part in parts for line in part)
    assert {fault.split()[0] for fault in faults(text)} <= {"E0903"}


def _assert_kept(text: str, scan: Scan) -> None:
    before, after = text.split("\n"), scan.text.split("\n")
    assert len(before) == len(after)
    cut_lines = {
        line
        for block in scan.blocks
        for line in range(block.place.line, block.first_line + block.text.count("\n") + 1)
    }
    for line, (old, new) in enumerate(zip(before, after, strict=True), start=1):
        assert new == ("" if line in cut_lines else old)
    for block in scan.blocks:
        inside = block.text.split("\n")
        outside = before[block.first_line - 1 : block.first_line - 1 + len(inside)]
        for line, raw in zip(inside, outside, strict=False):
            assert raw.endswith(line)
        assert block.place.line < block.first_line
        # What is in a block was checked with its file: it can be cut without faults.
        assert isinstance(block.inner, Scan)


def test_a_block_is_cut_and_blank_lines_stay() -> None:
    """The text keeps its line numbers, the block its own text without common indentation."""
    scan = cut(
        "a: x\n  #!delayed_block late scoped\n    b:\n      {{ c\n\n  #!end_delayed_block late\nd: y\n"
    )
    assert scan.text == "a: x\n\n\n\n\n\nd: y\n"
    (block,) = scan.blocks
    assert (block.name, block.text, block.first_line) == ("late", "b:\n  {{ c\n\n", 3)
    assert (block.scoped, block.limit, block.pipe) == (True, UNSET, "jinja|yaml")
    assert str(block.place) == "t.sls:2:3"


def test_options_of_a_tag() -> None:
    """Words come in any order; a limit is a number from 1 or None."""
    scan = cut(
        "#!delayed_block a delayed_repeat_limit=12 scoped\n#!end_delayed_block\n"
        "#!delayed_block b delayed_repeat_limit=None\n#!end_delayed_block"
    )
    assert [(block.scoped, block.limit) for block in scan.blocks] == [(True, 12), (False, UNLIMITED)]


def test_nested_blocks_are_cut_when_their_own_is() -> None:
    """Only outermost blocks are cut; the inner ones keep their file's line numbers."""
    scan = cut("#!delayed_block a\nx\n#!delayed_block b\ny\n#!end_delayed_block b\n#!end_delayed_block a\n")
    (outer,) = scan.blocks
    assert outer.inner.text == "x\n\n\n\n"
    (inner,) = outer.inner.blocks
    assert (inner.name, inner.text, inner.first_line) == ("b", "y\n", 4)


def test_all_faults_at_once() -> None:
    """Each fault of a text is found, also behind others, with its line."""
    text = (
        "#!end_delayed_block\n"
        "#!delayed_block a nope\n"
        "#!end_delayed_block b\n"
        "#!delayed_block a\n"
        "#!end_delayed_block\n"
        "#!delayed_block c delayed_repeat_limit=0\n"
    )
    assert faults(text) == [
        "E0901 t.sls:1:1",
        "E0902 t.sls:2:1",
        "E0901 t.sls:3:1",
        "E0903 t.sls:4:1",
        "E0902 t.sls:6:1",
        "E0901 t.sls:6:1",
    ]


def test_an_outer_end_leaves_inner_ones_open() -> None:
    """An end tag with an outer block's name closes that one; what was open in it is refused."""
    text = "#!delayed_block a\n#!delayed_block b\n#!end_delayed_block a\n"
    assert faults(text) == ["E0901 t.sls:2:1"]


def test_one_name_in_different_blocks() -> None:
    """A name may be used again in another block, also in the block of that name."""
    text = "#!delayed_block a\n#!delayed_block a\n#!end_delayed_block\n#!end_delayed_block\n"
    assert faults(text) == []


def test_a_limit_is_a_number_from_one_or_none() -> None:
    """Zero, text, signs and nothing at all are refused."""
    for bad in ("0", "-1", "x", "none", "1.5", "", "9" * 5000, "\u0663"):
        assert faults(f"#!delayed_block a delayed_repeat_limit={bad}\n#!end_delayed_block") == [
            "E0902 t.sls:1:1"
        ]


def test_deep_nesting_is_linear() -> None:
    """Ten thousand blocks in each other are checked without copying each one's text for all around it."""
    deep = 10_000
    text = "#!delayed_block n\n" * deep + "#!end_delayed_block\n" * deep
    assert len(cut(text).blocks) == 1


def test_a_text_without_blocks_is_the_same_object() -> None:
    """Without a tag nothing is done at all."""
    text = "a: test.nop\n" * 3
    assert cut(text).text is text
