"""What templates do with regular expressions: replace matches, and split texts between them.

Source: Sprig's documentation, "Regex"; the documentation of Go's `regexp`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.deploy.gotemplate.failures import check_chars
from ensue.deploy.gotemplate.regex import compiled

if TYPE_CHECKING:
    from ensue.deploy.gotemplate.regex import Match, StepBudget

_REFERENCE: Final = re.compile(r"\$(?:(?P<dollar>\$)|(?P<plain>\w+)|\{(?P<braced>\w+)\})", re.ASCII)
_MOST_DIGITS: Final = 4


def replaced(pattern: str, text: str, replacement: str, work: StepBudget, *, is_literal: bool = False) -> str:
    """Return a text in which all matches are replaced.

    Args:
        pattern: the expression.
        text: the text.
        replacement: the text to insert; `$1`, `${1}` and `${name}` are groups.
        work: counts the steps.
        is_literal: whether `$` has no special meaning.

    Raises:
        CallError: the expression does not parse, or a limit is reached.
    """
    parts: list[str] = []
    end = size = 0
    for match in compiled(pattern).matches(text, work):
        new = replacement if is_literal else _expanded(replacement, match)
        parts += [text[end : match.begin], new]
        size += len(new)
        check_chars(size)
        end = match.end
    return "".join(parts) + text[end:]


def _expanded(template: str, match: Match) -> str:
    def group(reference: re.Match[str]) -> str:
        if reference["dollar"]:
            return "$"
        name = reference["plain"] or reference["braced"]
        if name.isdigit():
            return (match.group(int(name)) or "") if len(name) <= _MOST_DIGITS else ""
        return match.named(name) or ""

    return _REFERENCE.sub(group, template)


def split(pattern: str, text: str, most: int, work: StepBudget) -> list[str]:
    """Return the parts of a text between the matches.

    Args:
        pattern: the expression.
        text: the text.
        most: the most parts, the last of which has the rest; negative for all.
        work: counts the steps.

    Raises:
        CallError: the expression does not parse, or a limit is reached.
    """
    if most == 0:
        return []
    if pattern and not text:
        return [""]
    parts: list[str] = []
    begin = end = 0
    for match in compiled(pattern).matches(text, work):
        if most > 0 and len(parts) == most - 1:
            break
        end = match.begin
        if match.end != 0:
            parts.append(text[begin:end])
        begin = match.end
    if end != len(text):
        parts.append(text[begin:])
    return parts
