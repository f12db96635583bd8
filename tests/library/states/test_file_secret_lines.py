"""A diff shows what changes beside a secret, and nothing that depends on a secret, former or present."""

from __future__ import annotations

import asyncio

from hypothesis import example, given
from hypothesis import strategies as st

from ensue.core.masking import MASK, Masker
from ensue.library.states.file.difference import content_difference
from ensue.library.states.file.shown_difference import ONLY_SECRET, WITHHELD, ShownDifference

OWN, FORMER = 1, 2
"""What a drawn line has instead of a secret: the present one, or the former one."""

PIECES = st.lists(st.sampled_from(("port = 80", "pw = ", "", "  ", "}", "- x", "'", OWN)), max_size=3)
LINES = st.lists(PIECES, max_size=7)
SECRETS = st.lists(st.text("QWZK", min_size=1, max_size=9), min_size=1, max_size=4).map("\n".join)


def difference(old: str, new: str, *secrets: str) -> str:
    """Return what is shown of a change."""
    return asyncio.run(content_difference(old.encode(), new.encode(), Masker(secrets)))


def lines_of(diff: str) -> list[str]:
    """Return the lines of a diff without its header."""
    return diff.splitlines()[3:]


def test_other_lines_are_shown_as_they_are_while_the_secret_stays() -> None:
    """A line with a secret is context like any other; what is removed beside it is no secret."""
    diff = difference("port = 80\npw = hunter22\n", "port = 81\npw = hunter22\n", "hunter22")
    assert lines_of(diff) == ["-port = 80", "+port = 81", f" pw = {MASK}"]


def test_a_line_that_differs_only_in_a_secret_is_marked() -> None:
    """Its former value is at the place of the new one."""
    diff = difference("pw = former\nx\n", "pw = hunter22\nx\n", "hunter22")
    assert lines_of(diff) == [f"-pw = {MASK}", f"+pw = {MASK}", ONLY_SECRET, " x"]


def test_no_removed_line_is_shown_once_a_secret_is_new() -> None:
    """The former value may be in any of them; all that is new is shown, and a remark says why."""
    diff = difference("port = 80\na\nformer: hunter00\n", "port = 81\na\npw = hunter22\n", "hunter22")
    assert lines_of(diff) == [
        f"-{MASK}", "+port = 81", " a", f"-{MASK}", f"+pw = {MASK}", WITHHELD,
    ]  # fmt: skip


def test_a_removed_line_with_a_known_secret_is_hidden_as_a_whole() -> None:
    """Its rest may be part of the former value, which began or ended like the present one."""
    diff = difference("a\npw = hunter22-more\n", "a\n", "hunter22")
    assert lines_of(diff) == [" a", f"-{MASK}"]


def test_a_line_beside_a_hidden_one_stays_as_it_is() -> None:
    """Only neighbours that are hidden themselves become one line."""
    diff = difference("a = hunter22\nb = former\n", "a = hunter22\nb = hunter22\n", "hunter22")
    assert lines_of(diff) == [f" a = {MASK}", f"-b = {MASK}", f"+b = {MASK}", ONLY_SECRET]


def test_what_an_edit_keeps_is_hidden_when_it_adds_a_secret() -> None:
    """The former value may be in a line that stays; the author's lines are those that are added."""
    masker = Masker(["hunter22"])
    old, new = ["a", "pw = former"], ["a", "pw = former", "pw = hunter22"]
    shown = ShownDifference(old, new, masker, is_edit=True).unified(joined_by="\n")
    assert lines_of(shown)[2:] == ["", f" {MASK}", f"+pw = {MASK}", WITHHELD]
    assert "former" in ShownDifference(old, [*old, "b"], masker, is_edit=True).unified(joined_by="\n")
    edited = content_difference(b"former\n", b"former # hunter22\n", masker, is_edit=True)
    assert asyncio.run(edited) == MASK


def test_a_last_line_without_an_end_has_its_remark_on_a_line_of_its_own() -> None:
    """Remarks are never part of a line of the content."""
    assert lines_of(difference("x\npw = a", "x\npw = hunter22", "hunter22"))[-1] == ONLY_SECRET


@given(LINES, LINES, st.tuples(SECRETS, SECRETS), st.tuples(SECRETS, SECRETS), st.booleans())
@example([["pw = ", OWN]], [["pw = ", OWN]], ("QQQQQQQQ", "WWWWWWWW"), ("Q\nWWW\nZZZZZZZZ", "K"), True)
def test_what_is_shown_is_the_same_for_all_secrets(
    old: list[list[str | int]],
    new: list[list[str | int]],
    own: tuple[str, str],
    former: tuple[str, str],
    rotated: bool,
) -> None:
    """Neither text, length, number of lines nor a prefix of a secret has an influence, known or former.

    The secrets have letters that the contents lack. What counts as a short secret is another rule.
    """
    # A value that nobody knows, in a content that has no secret any more, is no secret to anybody.
    rotated = rotated and any(OWN in line for line in new)
    shown: set[str] = set()
    for mine, before in zip(own, former, strict=True):
        present, past = f"QWZKQWZK{mine}", f"KZWQKZWQ{before}JJ"
        texts = [
            "".join(
                f"{''.join(secret if piece == OWN else str(piece) for piece in line)}\n" for line in content
            )
            for content, secret in ((old, past if rotated else present), (new, present))
        ]
        diff = difference(*texts, present)
        assert not set("QWZKJ") & set(diff)
        shown.add(diff)
    assert len(shown) == 1


@given(LINES, LINES, st.sampled_from(("", "\n")))
def test_without_secrets_it_is_the_diff_of_the_lines(
    old: list[list[str | int]], new: list[list[str | int]], joined_by: str
) -> None:
    """A masker with other secrets changes nothing."""
    import difflib

    before, after = (
        ["".join(map(str, line)) + ("" if joined_by else "\n") for line in content] for content in (old, new)
    )
    lines = ShownDifference(before, after, Masker(["hunter22"])).unified(joined_by=joined_by)
    assert lines == joined_by.join(difflib.unified_diff(before, after))
