"""Finds where a `pyobjects` file declares its states: on the line that was running."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from ensue.core.diagnostics import Span
from ensue.language.yaml.document import YamlDocument

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class DeclaredDocument(YamlDocument):
    """The source of a file that has declared states.

    Args:
        path: the file, as messages show it.
        source: its text.
        places: the place of each state, by ID, and by `extend` and ID.
    """

    makes_data = True

    __slots__ = ("_places",)

    def __init__(self, path: str, source: str, places: Mapping[tuple[str, ...], Span]) -> None:
        super().__init__(path, source)
        self._places = places

    def _walk(self, keys: Sequence[str | int]) -> tuple[Span, int, tuple[int, int] | None]:
        count = 2 if keys[:1] == ["extend"] or keys[:1] == ("extend",) else 1
        place = self._places.get(tuple(map(str, keys[:count])))
        return (place, len(keys), None) if place else (Span(self.path, 1), 0, None)


def running_line(path: str) -> Span:
    """Return the line of a file that is running now, in this thread.

    Args:
        path: the file, as it was compiled.
    """
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename != path:
        frame = frame.f_back
    return Span(path, frame.f_lineno if frame else 1)
