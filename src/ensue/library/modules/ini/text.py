"""Parses and changes the text of an INI file: sections, options, comments, and other lines.

Lines keep their order. The changed text has Salt's format: a blank line before each section, and blanks
around the separator unless they are switched off. Comments are kept, even one that names an option that is
set. Repeated options are kept, too; programs such as systemd read them as lists.

Source: Salt's execution module `ini`, 3008: how a line is read, and the format (both measured).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ensue.core.model.file_lines import file_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

TOP: Final = ""
"""The name of the part before the first section."""

_HEADER: Final = re.compile(r"\s*\[(.+?)\]\s*\Z")
_COMMENT: Final = re.compile(r"\s*[#;]")
_INDENT: Final = re.compile(r"\s+")


@dataclass(slots=True)
class IniLine:
    """An option with its value, or any other line.

    Args:
        text: the value, which may continue over indented lines; for any other line the whole line.
        option: the option's name; None for a comment, a blank line and any other line.
    """

    text: str
    option: str | None = None


@dataclass(slots=True)
class Section:
    """The lines of a section.

    Args:
        lines: in order.
    """

    lines: list[IniLine] = field(default_factory=list[IniLine])

    def options(self) -> dict[str, str]:
        """Return the values by option, the last one of a repeated option."""
        return {line.option: line.text for line in self.lines if line.option is not None}

    def put(self, option: str, value: str, commented: re.Pattern[str]) -> None:
        """Set an option in its line, else in a comment that names it, else at the end.

        Args:
            option: its name.
            value: its value.
            commented: matches a comment and finds the name of an option in it.
        """
        places = [place for place, line in enumerate(self.lines) if line.option == option]
        place = places[0] if places else self._commented(option, commented)
        if place is None:
            self.lines.append(IniLine(value, option))
            return
        self.lines[place] = IniLine(value, option)
        self.lines = [line for n, line in enumerate(self.lines) if n not in places[1:]]

    def drop(self, option: str) -> None:
        """Remove all lines of an option."""
        self.lines = [line for line in self.lines if line.option != option]

    def _commented(self, option: str, commented: re.Pattern[str]) -> int | None:
        for place, line in enumerate(self.lines):
            match = commented.match(line.text.lstrip("#")) if line.text.lstrip().startswith("#") else None
            if line.option is None and match and match["option"] == option:
                return place
        return None


class IniText:
    """The parsed text of an INI file.

    Args:
        text: the content.
        separator: the separator between an option and its value.
    """

    def __init__(self, text: str, separator: str) -> None:
        self._separator = separator
        self._option = re.compile(rf"(?P<indent>\s*)(?P<option>.+?)\s*{re.escape(separator)}\s*(?P<value>.*)")
        self._sections: dict[str, Section] = {TOP: Section()}
        for name, lines in _split(text):
            self._read(self._sections.setdefault(name, Section()), lines)

    def sections(self) -> dict[str, dict[str, str]]:
        """Return the options of each section; those before the first section are in `TOP`."""
        return {name: section.options() for name, section in self._sections.items()}

    def put(self, section: str, options: dict[str, str]) -> None:
        """Set options of a section; a missing section is created."""
        there = self._sections.setdefault(section, Section())
        for option, value in options.items():
            there.put(option, value, self._option)

    def drop(self, section: str, option: str) -> None:
        """Remove an option, if it exists."""
        if section in self._sections:
            self._sections[section].drop(option)

    def drop_section(self, section: str) -> None:
        """Remove a section with its content."""
        self._sections.pop(section, None)

    def written(self, *, no_spaces: bool) -> str:
        """Return the text.

        Args:
            no_spaces: write no blanks around the separator.
        """
        bare = self._separator.strip()
        separator = bare if no_spaces else f" {bare} "
        written: list[str] = []
        for name, section in self._sections.items():
            written += [f"\n[{name}]"] if name != TOP else []
            written += [
                line.text if line.option is None else f"{line.option}{separator if bare else ' '}{line.text}"
                for line in section.lines
            ]
        text = "".join(f"{line}\n" for line in written)
        return text.removeprefix("\n")

    def _read(self, section: Section, lines: list[str]) -> None:
        indent = ""
        for text in lines:
            deeper = _INDENT.match(text)
            option = self._option.match(text)
            if _COMMENT.match(text):
                section.lines.append(IniLine(text))
            elif deeper and _width(deeper.group()) > len(indent) and section.lines:
                section.lines[-1].text += f"\n{text}"
            elif option:
                indent = " " * _width(option["indent"])
                section.lines.append(IniLine(option["value"], option["option"]))
            else:
                section.lines.append(IniLine(text))


def _split(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the sections with their lines, except blank ones at both ends."""
    name, lines = TOP, list[str]()
    for line in file_lines(text):
        header = _HEADER.match(line)
        if header is None:
            lines.append(line)
            continue
        yield name, _stripped(lines)
        name, lines = header[1], []
    yield name, _stripped(lines)


def _stripped(lines: list[str]) -> list[str]:
    there = [place for place, line in enumerate(lines) if line.strip()]
    return lines[there[0] : there[-1] + 1] if there else []


def _width(indent: str) -> int:
    return len(indent.replace("\t", "    "))
