"""The lines of a `pyobjects` file that import from other files: `from salt://a/b.sls import Name as Other`.

They are not Python. Each is removed such that other lines keep their numbers, and its names become globals of
the whole file, wherever the line is.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

_LINE: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:from\s+(?P<source>salt://.*?)\s+import\s+(?P<names>.*)|import\s+(?P<whole>salt://.*))$",
    re.MULTILINE,
)


class Import(msgspec.Struct, frozen=True, kw_only=True):
    """One line that imports from another file.

    Args:
        path: the file, without `salt://`.
        line: the line number.
        names: the imported names, each with its name in this file; empty for the whole file.
    """

    path: str
    line: int
    names: tuple[tuple[str, str], ...] = ()


def take_out_imports(text: str) -> tuple[str, list[Import]]:
    """Return a text without its import lines, and these lines."""
    imports: list[Import] = []

    def noted(match: re.Match[str]) -> str:
        path = (match["source"] or match["whole"]).strip().removeprefix("salt://")
        names = tuple(_names(match["names"])) if match["names"] else ()
        imports.append(Import(path=path, line=text.count("\n", 0, match.start()) + 1, names=names))
        return f"{match['indent']}pass"

    return _LINE.sub(noted, text), imports


def _names(listed: str) -> list[tuple[str, str]]:
    pairs = [item.split(" as ") for item in listed.split(",")]
    return [(pair[0].strip(), pair[-1].strip()) for pair in pairs]
