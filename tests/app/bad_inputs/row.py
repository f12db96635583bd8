"""One row of the table of bad inputs, and how the usual ones are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Content = str | bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One bad input.

    Args:
        what: what is wrong, in a few words.
        files: files of the project, by path.
        expected: the diagnostic, `E0201 states/t.sls:3`: its code and its place. For what only the run finds
            out, `run: words`: exit code 2, and words of a state's comment. For what the command line itself
            refuses, `usage: words`.
        words: the command line.
    """

    what: str
    files: Mapping[str, Content] = field(default_factory=dict[str, Content])
    expected: str
    words: tuple[str, ...] = ("apply", "t")


def sls(what: str, text: Content, expected: str) -> Row:
    """Return an SLS, `states/t.sls`."""
    return Row(what=what, files={"states/t.sls": text}, expected=expected)


def argument(what: str, value: str, expected: str) -> Row:
    """Return an argument of a state, on the third line at the tenth column."""
    return sls(what, f"a:\n  test.nop:\n    - x: {value}\n", expected)


def word(what: str, line: str, expected: str) -> Row:
    """Return a word of a state, on the third line; `b` is another state."""
    return sls(what, f"a:\n  test.nop:\n    - {line}\nb:\n  test.nop\n", expected)


def pillar(what: str, text: Content, expected: str) -> Row:
    """Return a pillar SLS, `pillar/p.sls`."""
    files = {"states/t.sls": "a: test.nop\n", "pillar/top.sls": "base: {'*': [p]}\n", "pillar/p.sls": text}
    return Row(what=what, files=files, expected=expected)


def options(what: str, text: Content, expected: str) -> Row:
    """Return an `ensue.yaml`."""
    return Row(what=what, files={"states/t.sls": "a: test.nop\n", "ensue.yaml": text}, expected=expected)


def top(what: str, text: Content, expected: str) -> Row:
    """Return a top file."""
    files = {"states/t.sls": "a: test.nop\n", "states/top.sls": text}
    return Row(what=what, files=files, expected=expected, words=("apply",))


def command(what: str, *words: str, expected: str) -> Row:
    """Return a command line."""
    return Row(what=what, files={"states/t.sls": "a: test.nop\n"}, expected=expected, words=words)


def bomb(form: str = "[{}]") -> str:
    """Return a mapping of lists of aliases, each of nine of the one before it.

    Args:
        form: what is made of the aliases.
    """
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]" if form == "[{}]" else "a: &a {x: 1}"]
    for before, name in pairwise("abcdefghij"):
        aliases = form.format(", ".join([f"*{before}"] * 9))
        lines.append(f"{name}: &{name} {aliases}")
    return "\n".join([*lines, ""])


def indented(text: str, by: int = 2) -> str:
    """Return a text with every line indented."""
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())
