"""Tracks which values of a module are secret, and whether each ends in a place that stays secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.workload_output.pointers import Path


class Secrecy:
    """The secret paths of some data.

    Args:
        paths: keys joined by colons; empty text for all of the data.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._below: dict[str, list[str]] = {path: [path] for path in self._paths}
        for path in sorted(self._paths):
            for holder in _holders(path):
                self._below.setdefault(holder, []).append(path)
        self._handled: set[str] = set()

    def is_secret(self, path: Path) -> bool:
        """Return whether a value is secret, contains a secret, or is part of one."""
        if not self._paths:
            return False
        text = ":".join(path)
        return text in self._below or any(holder in self._paths for holder in _holders(text))

    def handle(self, path: Path) -> None:
        """Mark every secret at or below a path as kept secret."""
        self._handled.update(self._below.get(":".join(path), ()))

    def exposed(self) -> list[str]:
        """Return the sorted paths of the secrets that were not marked as kept."""
        return sorted(self._paths - self._handled)


def _holders(path: str) -> list[str]:
    """Return the paths of the values that contain a path."""
    if not path:
        return []
    return ["", *(path[:place] for place, char in enumerate(path) if char == ":")]
