"""What is wrong with a line of a template that does not parse, as far as its text shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_TAG: Final = re.compile(r"\{%[-+]?(?P<tag>.*?)[-+]?%\}|\{\{[-+]?(?P<value>.*?)[-+]?\}\}")
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_ASSIGNMENT: Final = re.compile(r"^\s*(?:el)?if\b[^()]*[^=!<>]=(?!=)")
_STATEMENT: Final = re.compile(
    r"^\s*(?P<word>if|for|set|elif|else|end\w+|macro|include|import|from)\b(?!\s*$)"
)
_OF_HCL: Final = (
    (re.compile(r"\[\*\]|\w\.\*"), "a splat is Terraform's: write {{ list | map(attribute='id') | list }}"),
    (
        re.compile(r"[\[{]\s*for\s"),
        "write a loop, {% for item in list %} … {% endfor %}, around what it makes",
    ),
    (re.compile(r"\{\s*\w+\s*=[^=]"), "a mapping has colons, and its keys quotes: {'key': value}"),
)
"""Expressions of HCL."""
_FOREIGN: Final = {
    "when": "write {% if … %} … {% endif %}",
    "unless": "write {% if not … %} … {% endif %}",
    "elseif": "write {% elif … %}",
    "foreach": "write {% for item in … %} … {% endfor %}",
    "loop": "write {% for item in … %} … {% endfor %}",
    "end": "write {% endif %} or {% endfor %}, the end of the block that is open",
    "switch": "write {% if … %} … {% elif … %} … {% endif %}",
    "case": "write {% if … %} … {% elif … %} … {% endif %}",
    "let": "write {% set name = value %}",
    "var": "write {% set name = value %}",
    "local": "write {% set name = value %}",
    "locals": "write {% set name = value %} for each of them",
}
"""Tags of other languages."""


def broken_tag(line: str) -> str:
    """Return how to mend the tags of a line; empty if its text does not show it.

    Args:
        line: the line at which the template does not parse.
    """
    return next(_remedies(line), "")


def _remedies(line: str) -> Iterator[str]:
    for match in _TAG.finditer(line):
        if match["value"] is not None and (statement := _STATEMENT.match(match["value"])):
            yield f"`{statement['word']}` is a statement: write it within {{% %}}, not {{{{ }}}}"
        text = _QUOTED.sub("''", match["value"] or match["tag"])
        yield from (advice for pattern, advice in _OF_HCL if pattern.search(text))
        if match["value"] is not None:
            continue
        word = next(iter(text.split()), "")
        if word in _FOREIGN:
            yield _FOREIGN[word]
        if text.split()[:2] == ["else", "if"]:
            yield "write {% elif … %}"
        if _ASSIGNMENT.match(text):
            yield "`=` assigns: to compare, write `==`"
        if "&&" in text or "||" in text:
            yield "write `and` and `or` for && and ||"
        if re.match(r"\s*(?:el)?if\s*!|.*\s![^=]", text):
            yield "write `not` for !"
