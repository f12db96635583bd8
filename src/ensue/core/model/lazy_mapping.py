"""A mapping whose content is computed on first access."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class LazyMapping(Mapping[str, Any]):
    """A read-only mapping whose content is expensive to get (grains of a remote host).

    Args:
        make: returns the content; called once.
    """

    __slots__ = ("_content", "_make")

    def __init__(self, make: Callable[[], Mapping[str, Any]]) -> None:
        self._make = make
        self._content: Mapping[str, Any] | None = None

    def _now(self) -> Mapping[str, Any]:
        if self._content is None:
            self._content = self._make()
        return self._content

    def __getitem__(self, key: str) -> Any:
        return self._now()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def __repr__(self) -> str:
        return repr(dict(self._now()))
