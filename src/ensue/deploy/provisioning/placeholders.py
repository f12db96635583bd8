r"""Finds `${…}` in texts of definitions and workloads, with their errors.

A placeholder with an unknown root is literal text, because it may have a meaning in a shell script or a
Terraform file; it causes a warning. `Grammar` says which escapes there are. The text after the escape `$\{`
or `$${` is still searched, except in the grammar of Score.

Source: resource graph document, "Placeholders"; score-go, package `framework`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from ensue.deploy.provisioning.placeholder_values import PathPart, PathRefusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.provisioning.placeholder_values import Dialect, Grammar, Meaning

_STARTS: Final[Mapping[Grammar, re.Pattern[str]]] = {
    "definition": re.compile(r"\$\\\{|\$\$\{|\$\{"),
    "score": re.compile(r"\$\$|\$\{"),
    "passed_on": re.compile(r"\$\$\{|\$\{"),
}
"""How an escape or a placeholder begins."""
_ROOT: Final = re.compile(r"\s*([A-Za-z_][\w-]*)")
_SEGMENT: Final = re.compile(r"\.((?:\\.|[^.\[\]{}'\"\s\\])+)")
_BRACKET: Final = re.compile(r"\[\s*(?:'([^']*)'|\"([^\"]*)\"|(\d+))\s*\]")
_ESCAPED: Final = re.compile(r"\\(.)")
_END: Final = re.compile(r"\s*\}")
_OPENING_CHARS: Final = 2


class Placeholder(NamedTuple):
    """One `${…}` of a text.

    Args:
        text: the placeholder as written.
        start: where it begins in its text, counted from 0.
        end: where it ends.
        meaning: its meaning.
    """

    text: str
    start: int
    end: int
    meaning: Meaning


class PlaceholderText(msgspec.Struct, frozen=True):
    """A text that contains placeholders or escapes.

    Args:
        source: the text as written.
        parts: its literal parts, escapes resolved, and its placeholders, in order.
    """

    source: str
    parts: tuple[str | Placeholder, ...]

    @property
    def whole(self) -> Placeholder | None:
        """The placeholder that is the whole text, whose value keeps its type; None for any other text."""
        only = self.parts[0] if len(self.parts) == 1 else None
        return only if isinstance(only, Placeholder) else None


class TextFault(NamedTuple):
    """An error or warning about a `${…}`.

    Args:
        text: the text that contains it.
        start: where that begins, counted from 0.
        end: where it ends.
        refusal: the error; None: its root is unknown, so it is literal text.
    """

    text: str
    start: int
    end: int
    refusal: PathRefusal | None


def parse_text(text: str, dialect: Dialect) -> tuple[str | PlaceholderText, tuple[TextFault, ...]]:
    """Find the placeholders of a text.

    Args:
        text: any text.
        dialect: the known placeholders.

    Returns:
        The same text if it contains no placeholder or escape, else a template; and the errors. Text with an
        error is literal text in the template.
    """
    if "$" not in text:
        return text, ()
    scan = _Scan(text, dialect)
    scan.run()
    if not scan.is_plain:
        return PlaceholderText(text, tuple(scan.parts)), tuple(scan.faults)
    return text, tuple(scan.faults)


class _Scan:
    """One pass over a text."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.dialect = dialect
        self._next = _STARTS[dialect.grammar].search
        self.parts: list[str | Placeholder] = []
        self.faults: list[TextFault] = []
        self.is_plain = True
        self._literal: list[str] = []
        self._last_brace = text.rfind("}")

    def run(self) -> None:
        """Read the text from its beginning to its end."""
        position = 0
        while match := self._next(self.text, position):
            self._literal.append(self.text[position : match.start()])
            position = self._opened(match)
        self._literal.append(self.text[position:])
        self._flush()

    def _opened(self, match: re.Match[str]) -> int:
        """Read the placeholder or escape that begins here, and return the offset after it."""
        start, opened = match.span()
        grammar = self.dialect.grammar
        if grammar == "score" and (match[0] == "$$" or self._last_brace < opened):
            return self._dollar(start, opened)
        root = _ROOT.match(self.text, opened)
        is_known = root is not None and root[1] in self.dialect.roots
        if match[0] == "$\\{" or (match[0] == "$${" and (is_known or grammar == "passed_on")):
            return self._escape("${", opened)
        if match[0] == "$${" or root is None or not is_known:
            self._literal.append(match[0])
            if match[0] == "${":
                self._note_unknown(start)
            return opened
        return self._placeholder(start, root)

    def _dollar(self, start: int, opened: int) -> int:
        """Read Score's `$$` or `$${…}`, or a `${` that nothing closes, which is literal text."""
        if self.text[start:opened] == "${":
            self._literal.append("${")
            return opened
        is_braced = self.text.startswith("{", opened) and opened < self._last_brace
        end = self.text.index("}", opened) + 1 if is_braced else opened
        return self._escape(self.text[start + 1 : end], end)

    def _escape(self, text: str, end: int) -> int:
        self._literal.append(text)
        self.is_plain = False
        return end

    def _placeholder(self, start: int, root: re.Match[str]) -> int:
        path, position = _path(self.text, root.end())
        closed = _END.match(self.text, position)
        if closed is None:
            end = min(position, self._end_of_line(start))
            unexpected = f"{self.text[position : position + 1]!r} does not belong there"
            reason = "it is not closed" if position >= self._end_of_line(start) else unexpected
            return self._refused(start, end, PathRefusal(reason, "end it with }, and quote odd names: ['…']"))
        meaning = self.dialect.roots[root[1]](path)
        end = closed.end()
        if isinstance(meaning, PathRefusal):
            return self._refused(start, end, meaning)
        self._flush()
        self.parts.append(Placeholder(self.text[start:end], start, end, meaning))
        self.is_plain = False
        return end

    def _refused(self, start: int, end: int, refusal: PathRefusal) -> int:
        self.faults.append(TextFault(self.text[start:end], start, end, refusal))
        self._literal.append("${")
        return start + _OPENING_CHARS

    def _note_unknown(self, start: int) -> None:
        if self.dialect.grammar == "passed_on" and not self.dialect.has_no_dollars:
            return
        end = self.text.find("}", start)
        if end >= 0:
            end = min(end + 1, self._end_of_line(start))
            self.faults.append(TextFault(self.text[start:end], start, end, None))

    def _end_of_line(self, start: int) -> int:
        """Return the end of an unclosed placeholder, for a message: its brace, or the end of its line."""
        line = self.text.find("\n", start)
        line = len(self.text) if line < 0 else line
        brace = self.text.find("}", start, line)
        return line if brace < 0 else brace + 1

    def _flush(self) -> None:
        if literal := "".join(self._literal):
            self.parts.append(literal)
        self._literal.clear()


def _path(text: str, position: int) -> tuple[list[PathPart], int]:
    """Read `.a['b'][0]…` and return its parts and where it ends."""
    path: list[PathPart] = []
    while True:
        if match := _SEGMENT.match(text, position):
            word = match[1]
            path.append(PathPart(_ESCAPED.sub(r"\1", word) if "\\" in word else word))
        elif match := _BRACKET.match(text, position):
            path.append(PathPart(next(part for part in match.groups() if part is not None), True))
        else:
            return path, position
        position = match.end()
