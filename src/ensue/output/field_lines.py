"""What differs between two values, as lines: `~ /values/host: "a" → "b"`, and diffs of longer texts."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any, Final

from ensue.deploy.provisioning.set_differences import KNOWN_LATER
from ensue.output.change_lines import change_texts, is_diff, is_long
from ensue.output.colours import on_one_line
from ensue.output.presentable import presentable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.masking import Masker
    from ensue.deploy.provisioning.set_differences import ValueDifference
    from ensue.output.colours import Palette

_SIGNS: Final = {"add": "+", "remove": "-", "replace": "~"}
_CUT_CHARS: Final = 120
_MOST_LINES: Final = 40


def field_lines(
    value_differences: Iterable[ValueDifference], masker: Masker, palette: Palette
) -> Iterator[str]:
    """Yield a line per difference, and the lines of a diff for a text of several lines.

    Args:
        value_differences: the differences.
        masker: the secrets.
        palette: the colours.
    """
    for value_difference in value_differences:
        before, after = (
            presentable(value, masker) for value in (value_difference.before, value_difference.after)
        )
        if value_difference.op == "add" and is_diff(after):
            yield palette.paint(palette.light_yellow, f"~ {on_one_line(masker.text(value_difference.path))}:")
            yield from (f"    {line}" for line in change_texts({value_difference.path: after}, palette))
            continue
        sign = _SIGNS[value_difference.op]
        colour = {"+": palette.green, "-": palette.red}.get(sign, palette.light_yellow)
        path = on_one_line(masker.text(value_difference.path))
        if value_difference.op == "replace" and is_long(before) and is_long(after):
            yield palette.paint(colour, f"{sign} {path}:")
            yield from _diff(before, after, palette)
        else:
            yield palette.paint(
                colour,
                f"{sign} {_change(value_difference.op, path, before, _after(value_difference, after))}",
            )


def _after(value_difference: ValueDifference, after: Any) -> str:
    return KNOWN_LATER if value_difference.known_after else _short(after)


def _change(op: str, path: str, before: Any, after: str) -> str:
    match op:
        case "add":
            return f"{path}: {after}"
        case "remove":
            return path
        case _:
            return f"{path}: {_short(before)} → {after}".removeprefix(": ")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return on_one_line(text if len(text) <= _CUT_CHARS else f"{text[:_CUT_CHARS]}…")


def _diff(before: str, after: str, palette: Palette) -> Iterator[str]:
    """Yield the lines that differ, with one line around them, without the header."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]
    colours = {"+": palette.green, "-": palette.red, "@": palette.cyan}
    for line in lines[:_MOST_LINES]:
        colour = colours.get(line[:1])
        text = on_one_line(line)
        yield f"    {palette.paint(colour, text) if colour else text}"
    if len(lines) > _MOST_LINES:
        yield f"    and {len(lines) - _MOST_LINES} more lines"
