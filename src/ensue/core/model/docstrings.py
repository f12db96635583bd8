"""Reading docstrings: the summary, the arguments and the other sections of one in Google's style.

Source: the Google Python Style Guide, "Comments and Docstrings". The sections `Example`, `Notes` and
`Differences from Salt` are ensue's own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HEADING: Final = re.compile(
    r"(?P<name>Args|Returns|Raises|Yields|Example|Notes|Source|Differences from Salt):(?: (?P<rest>\S.*))?\Z"
)
_ENTRY: Final = re.compile(
    r" {4}(?P<names>\*{0,2}[A-Za-z_][\w.-]*(?:, \*{0,2}[A-Za-z_][\w.-]*)*): (?P<meaning>.+)\Z"
)
_INDENT: Final = 4


class Docstring(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a docstring, as plain text with the marks of Markdown that it has.

    Args:
        summary: its first sentence or paragraph.
        text: the paragraphs after that; empty if there are none.
        arguments: the meaning of each argument; `*` and `**` are not part of the names.
        returns: what the function returns.
        raises: when it raises each exception.
        example: an example, as it is written in a file or on a command line.
        notes: what users have to know besides.
        differences: how it differs from Salt's function of this name.
    """

    summary: str
    text: str = ""
    arguments: Mapping[str, str]
    returns: str = ""
    raises: Mapping[str, str]
    example: str = ""
    notes: str = ""
    differences: str = ""


def read_docstring(text: str) -> Docstring:
    """Return the parts of a docstring.

    Args:
        text: the docstring without the indentation of its source, as `inspect.getdoc` returns it.
    """
    sections: dict[str, list[str]] = {"": []}
    lines = sections[""]
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            lines = sections.setdefault(heading["name"], [])
            if heading["rest"]:
                lines.append(" " * _INDENT + heading["rest"])
        else:
            lines.append(line)
    summary, _, rest = "\n".join(sections.pop("")).strip().partition("\n\n")
    return Docstring(
        summary=" ".join(summary.split()),
        text=_paragraphs(rest.splitlines()),
        arguments=_entries(sections.get("Args", ())),
        returns=_paragraphs(_outdented(sections.get("Returns", ()))),
        raises=_entries(sections.get("Raises", ())),
        example="\n".join(_outdented(sections.get("Example", ()))).strip("\n"),
        notes=_paragraphs(_outdented(sections.get("Notes", ()))),
        differences=_paragraphs(_outdented(sections.get("Differences from Salt", ()))),
    )


def _outdented(lines: Sequence[str]) -> list[str]:
    return [line[_INDENT:] if line[:_INDENT].isspace() else line for line in lines]


def _entries(lines: Sequence[str]) -> dict[str, str]:
    """Return the meanings by name; a line that names nothing continues the entry above it."""
    meanings: dict[str, list[str]] = {}
    names: list[str] = []
    for line in lines:
        entry = _ENTRY.match(line)
        if entry:
            names = [name.lstrip("*") for name in entry["names"].split(", ")]
            meanings |= {name: [entry["meaning"]] for name in names}
        elif line.strip():
            for name in names:
                meanings[name].append(line.strip())
    return {name: " ".join(words) for name, words in meanings.items()}


def _paragraphs(lines: Sequence[str]) -> str:
    """Return text with one line per paragraph; items of a list and lines that are indented stay apart."""
    paragraphs: list[str] = []
    is_open = False
    for line in lines:
        is_apart = line.startswith(("- ", "    ", "```", "|"))
        if not line.strip():
            paragraphs.append("")
        elif is_open and not is_apart:
            paragraphs[-1] += f" {line.strip()}"
        else:
            paragraphs.append(line.rstrip())
        is_open = bool(line.strip()) and not line.startswith(("    ", "```", "|"))
    return "\n".join(paragraphs).strip("\n")
