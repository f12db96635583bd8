"""A mapping whose content is computed on first access."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any


class LazyMapping(Mapping[str, Any]):
    """A read-only mapping whose content is expensive to get (grains of a remote host).

    Args:
        make: returns the content; called once.
        known: values of the content that are known without it; a look-up of such a key does not call `make`.
    """

    __slots__ = ("_content", "_known", "_make")

    def __init__(
        self,
        make: Callable[[], Mapping[str, Any]],
        known: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._make = make
        self._known = known
        self._content: Mapping[str, Any] | None = None

    def _now(self) -> Mapping[str, Any]:
        if self._content is None:
            self._content = self._make()
        return self._content

    def __getitem__(self, key: str) -> Any:
        if self._content is None and key in self._known:
            return self._known[key]
        return self._now()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def __repr__(self) -> str:
        return repr(dict(self._now()))
