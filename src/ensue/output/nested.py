"""Salt's nested form of data: mappings under a dashed line, list items after a dash.

The highstate output prints `changes` in it, `ensue call` prints everything in it. It sorts the keys
of mappings, as Salt does; data that must keep its order is printed as YAML or JSON.

Source: Salt's `nested` outputter, its text compared with the real one in the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ensue.output.colours import PLAIN, Palette, on_one_line, without_escapes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def nested_lines(data: Any, palette: Palette = PLAIN, *, indent: int = 0) -> list[str]:
    """Return the lines that show data.

    Args:
        data: anything made of mappings, lists and scalars; masked already.
        palette: the colours.
        indent: spaces before every line; a mapping at the very left has no dashed line above it.
    """
    lines: list[str] = []
    _Writer(lines, palette).write(data, indent, "")
    return lines


class _Writer:
    __slots__ = ("_lines", "_palette")

    def __init__(self, lines: list[str], palette: Palette) -> None:
        self._lines = lines
        self._palette = palette

    def write(self, data: Any, indent: int, prefix: str) -> None:
        if isinstance(data, str):
            self._text(data, indent, prefix)
        elif isinstance(data, dict):
            self._mapping(cast("Mapping[Any, Any]", data), indent, prefix)
        elif isinstance(data, list | tuple):
            self._items(cast("Sequence[Any]", data), indent)
        elif isinstance(data, bytes):
            self._text(data.decode("utf-8", "backslashreplace"), indent, prefix)
        elif data is None or isinstance(data, bool | int | float):
            self._line(indent, self._palette.light_yellow, f"{prefix}{data!r}")
        else:
            self._text(str(data), indent, prefix)

    def _line(self, indent: int, colour: str, text: str, suffix: str = "") -> None:
        self._lines.append(f"{' ' * indent}{colour}{text}{self._palette.end}{suffix}")

    def _text(self, text: str, indent: int, prefix: str) -> None:
        is_diff = bool(self._palette) and text.startswith("--- ") and "\n+++ " in text
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        for line in without_escapes(text).splitlines():
            colour = self._diff_colour(line) if is_diff else self._palette.green
            self._line(indent, colour, f"{prefix}{line}")
            prefix = " " * len(prefix)

    def _diff_colour(self, line: str) -> str:
        palette = self._palette
        by_first = {"+": palette.green, "-": palette.red, "@": palette.cyan}
        return by_first.get(line[:1], palette.end)

    def _items(self, items: Sequence[Any], indent: int) -> None:
        for item in items:
            if isinstance(item, dict):
                self._line(indent, self._palette.green, "|_")
                self.write(item, indent + 2, "")
            elif isinstance(item, list | tuple):
                self._line(indent, self._palette.green, "|_")
                self.write(item, indent + 2, "- ")
            else:
                self.write(item, indent, "- ")

    def _mapping(self, data: Mapping[Any, Any], indent: int, prefix: str) -> None:
        if indent:
            self._line(indent, self._palette.cyan, "----------")
        for key, value in _sorted_items(data):
            self._line(indent, self._palette.cyan, f"{prefix}{on_one_line(key)}", ":")
            self.write(value, indent + 4, "")


def _sorted_items(data: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    # Keys of different types cannot be compared, and values must not be.
    return sorted(((str(key), value) for key, value in data.items()), key=lambda item: item[0])
