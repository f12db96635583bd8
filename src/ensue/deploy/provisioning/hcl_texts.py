"""Find out whether a place in a Terraform file is in literal text: a string, heredoc or comment.

Source: HCL Native Syntax Specification, "Template Expressions" and "Comments and Whitespace".
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_IN_CODE: Final = re.compile(
    r'"|#[^\n]*|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|<<-?(?P<tag>[^\W\d][\w-]*)[^\n]*(?:\n|\Z)|[{}]'
)
_IN_QUOTES: Final = re.compile(r'\\.|\$\$\{|%%\{|[$%]\{|"|\n')
_IN_HEREDOC: Final = r"\$\$\{{|%%\{{|[$%]\{{|^[ \t]*{tag}[ \t]*$"


class Literal(NamedTuple):
    """The literal text that a place is in.

    Args:
        tag: the word that ends it; empty: a quotation mark or the end of a comment.
    """

    tag: str = ""


def literal_at(text: str, place: int) -> Literal | None:
    """Return the string, heredoc or comment that contains a place; None if the place is in code.

    Args:
        text: the file.
        place: a place, in characters from the beginning.
    """
    # The open literals, outermost first; None is code, of the file or of an interpolation.
    opened: list[Literal | None] = [None]
    position = 0
    while match := _pattern(opened[-1]).search(text, position):
        if match.start() >= place:
            break
        position = match.end()
        if match[0].startswith(("#", "//", "/*")) and position > place:
            return Literal()
        if position > place:
            return None
        _step(match, opened)
    return opened[-1]


def _pattern(state: Literal | None) -> re.Pattern[str]:
    if state is None:
        return _IN_CODE
    return re.compile(_IN_HEREDOC.format(tag=re.escape(state.tag)), re.MULTILINE) if state.tag else _IN_QUOTES


def _step(match: re.Match[str], opened: list[Literal | None]) -> None:
    """Track the literals that open or close."""
    sign = match[0]
    if opened[-1] is None:
        if sign == '"':
            opened.append(Literal())
        elif match["tag"]:
            opened.append(Literal(match["tag"]))
        elif sign == "{":
            opened.append(None)
        elif sign == "}" and len(opened) > 1:
            opened.pop()
    elif sign in {"${", "%{"}:
        opened.append(None)
    elif not sign.startswith(("\\", "$", "%")):
        opened.pop()
