"""Diagnostics for a reader: code, place, the source line with the error underlined, and the remedy.

The lines are read from the files themselves, relative to the project root; a file that cannot be
read is named without its line. Diagnostics are collected elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Severity, sort_key
from ensue.core.masking import MASK, literal_part
from ensue.core.model.secret_values import is_secret_key
from ensue.output.colours import PLAIN, on_one_line, without_escapes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ensue.core.diagnostics import Diagnostic, Span
    from ensue.core.masking import Masker
    from ensue.output.colours import Palette

_CULPRIT: Final = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s:,\[\]{}|]+(?::[^\s:,\[\]{}|]+)*|\S")
"""A quoted text, or a word of YAML or Jinja: `a:b` is one word, a colon at the end is not part of it."""

_KEY: Final = re.compile(r"(?<![\w-])(?P<name>[\w-]+)['\"]?(?P<sign>\s*:\s+|=)(?=\S)")
_PARENT: Final = re.compile(r"(?P<indent>\s*)(?:-\s+)?['\"]?(?P<name>[\w-]+)['\"]?\s*:(?:\s|\Z)")
_KEY_OF_LINE: Final = re.compile(r"\s*(?:-\s+)?['\"]?[\w-]+['\"]?\s*:\s|\s*-\s")
_REFERENCE: Final = "\0"
_ONLY_REFERENCES: Final = re.compile(
    r"""\s*(?: ['"]?\0+['"]? | \{\s*(?:['"]?[\w-]+['"]?\s*:\s*['"]?\0+['"]?\s*,?\s*)*\} )?[\s,\]}]*""",
    re.VERBOSE,
)
"""A value of references alone, each replaced with `_REFERENCE`, or a mapping of such values on one line."""

_OF_DECLARATIONS: Final = frozenset({"E0401", "E0402", "E0403", "E0409", "E0419", "E0501", "E0503"})
"""Codes of errors in the declaration of a state: a key without indentation is the state's ID."""

_LONGEST_LINE_CHARS: Final = 200
_LARGEST_FILE_BYTES: Final = 8 * 1024 * 1024


def diagnostics_text(
    diagnostics: Iterable[Diagnostic], root: Path, masker: Masker, palette: Palette = PLAIN
) -> str:
    """Return all diagnostics, sorted by place, with a line end.

    Args:
        diagnostics: errors and warnings.
        root: the folder that places are relative to.
        masker: the secrets of the process; source lines may contain some.
        palette: the colours.
    """
    renderer = _Renderer(root, masker, palette)
    return "\n\n".join(renderer.render(diagnostic) for diagnostic in sorted(diagnostics, key=sort_key)) + "\n"


class _Renderer:
    def __init__(self, root: Path, masker: Masker, palette: Palette) -> None:
        self._root = root
        self._masker = masker
        self._palette = palette
        self._lines_of = lru_cache(maxsize=64)(self._read)

    def render(self, diagnostic: Diagnostic) -> str:
        palette = self._palette
        is_error = diagnostic.severity is Severity.ERROR
        colour = palette.light_red if is_error else palette.light_yellow
        kind = f"{diagnostic.severity.value}[{diagnostic.code}]"
        parts = [
            f"{palette.paint(colour, kind)}: {palette.paint(palette.bold, self._line(diagnostic.summary))}"
        ]
        if diagnostic.span:
            is_declaration = diagnostic.code in _OF_DECLARATIONS
            parts += self._place(diagnostic.span, colour, is_declaration=is_declaration)
        for span, label in diagnostic.related:
            parts += self._place(span, palette.cyan, label)
        if diagnostic.detail:
            parts.append(self._labelled("why", diagnostic.detail))
        if diagnostic.help:
            parts.append(self._labelled("help", diagnostic.help))
        return "\n".join(parts)

    def _text(self, text: str) -> str:
        return without_escapes(self._masker.text(text))

    def _line(self, text: str) -> str:
        return on_one_line(self._masker.text(text))

    def _labelled(self, label: str, text: str) -> str:
        head = f"  = {label}: "
        continued = self._text(text).replace("\n", "\n" + " " * len(head))
        return f"{self._palette.paint(self._palette.cyan, head.rstrip())} {continued}"

    def _place(self, span: Span, colour: str, label: str = "", *, is_declaration: bool = False) -> list[str]:
        """Return the place, and the source line with the error underlined if the file can be read."""
        text = f": {self._line(label)}" if label else ""
        place = f"{self._palette.paint(self._palette.cyan, '  -->')} {self._line(str(span))}{text}"
        lines = self._lines_of(span.path)
        if not 0 < span.line <= len(lines):
            return [place]
        source = lines[span.line - 1].rstrip()
        start, end = _culprit(source, span.column)
        is_below = _is_below_secret(lines, span.line - 1, has_id=is_declaration)
        is_secret = is_below and _holds_literal(_value(source))
        shown = self._shown(MASK if is_secret else _without_secret(source))
        number = str(span.line)
        gutter = " " * len(number)
        bar = self._palette.paint(self._palette.cyan, "|")
        quoted = [f"  {self._palette.paint(self._palette.cyan, number)} {bar} {shown}"]
        if shown == source.expandtabs(1) and start < end:
            mark = self._palette.paint(colour, "^" * (end - start))
            quoted.append(f"  {gutter} {bar} {' ' * start}{mark}")
        return [place, *quoted]

    def _shown(self, source: str) -> str:
        # With one space per tab, the columns of the underline stay right.
        text = self._text(source).expandtabs(1)
        return text if len(text) <= _LONGEST_LINE_CHARS else text[:_LONGEST_LINE_CHARS] + "…"

    def _read(self, path: str) -> list[str]:
        file = self._root / path
        try:
            if not file.is_file() or file.stat().st_size > _LARGEST_FILE_BYTES:
                return []
            return file.read_text(encoding="utf-8", errors="replace").split("\n")
        except (OSError, ValueError):
            return []


def _without_secret(source: str) -> str:
    """Leave out the value of a secret's key: the masker knows no secret of a file that does not compile."""
    is_template = "{{" in source or "{%" in source
    for key in _KEY.finditer(source):
        if key["sign"] == "=" and is_template and source[key.end()] not in "\"'":
            continue  # An argument in an expression: a name, not a value.
        if is_secret_key(key["name"]) and _holds_literal(source[key.end() :]):
            return source[: key.end()] + MASK
    return source


def _value(source: str) -> str:
    """Return what follows the key of a line, or is in an item of a list; otherwise the whole line."""
    return _KEY_OF_LINE.sub("", source)


def _holds_literal(value: str) -> bool:
    """Return whether a value has text of its own, besides references, expressions and their keys."""
    return not _ONLY_REFERENCES.fullmatch(literal_part(value, _REFERENCE))


def _is_below_secret(lines: list[str], place: int, *, has_id: bool) -> bool:
    """Return whether a line belongs to the value of a secret's key above it: a text block, or a mapping.

    Args:
        lines: the file.
        place: the line, from 0.
        has_id: whether a key without indentation is the ID of a state, which says nothing about its value.
    """
    indent = len(lines[place]) - len(lines[place].lstrip())
    for line in reversed(lines[:place]):
        own = len(line) - len(line.lstrip())
        if line.strip() and own < indent:
            parent = _PARENT.match(line)
            if parent and is_secret_key(parent["name"]) and (own or not has_id):
                return True
            indent = own
        if not indent:
            break
    return False


def _culprit(source: str, column: int) -> tuple[int, int]:
    """Return where the underline begins and ends: the word at the column, or the whole line's text."""
    if column and column <= len(source):
        match = _CULPRIT.match(source, column - 1)
        if match:
            return match.span()
    return len(source) - len(source.lstrip()), len(source)
