"""Names that an author gave: which secrets may be masked in them, and how two masked names stay two.

A secret may equal a word that an SLS contains (`password: webserver`). Hiding that word in an ID would hide
the state, and no secret, because the author wrote the word there. A secret that no SLS contains can only come
into a name by rendering, so it is masked there as in any text.

Messages quote the names of resources and definitions among other words, so such a name stays in any text,
with the secret that it is or contains. Elsewhere in the text, and as a whole value, the secret is masked.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class AuthoredNames:
    """The texts of the SLS that were read, and the masked names. Threads may use it concurrently."""

    def __init__(self) -> None:
        self._sources: set[str] = set()
        self._has: dict[str, bool] = {}
        self._names: frozenset[str] = frozenset()
        self._around: dict[str, list[tuple[int, str]]] = {}
        self._numbers: dict[str, dict[str, int]] = {}
        self._numbering = Lock()

    def add_source(self, text: str) -> None:
        """Add the text of an SLS, as its author wrote it, before it is rendered."""
        if text not in self._sources:
            # A thread that iterates over the set keeps the former one.
            self._sources = {*self._sources, text}
            self._has = {}

    def has(self, part: str) -> bool:
        """Return whether an SLS contains a secret as its author wrote it."""
        known, has = self._has, self._has.get(part)
        if has is None:
            has = known[part] = any(part in source for source in self._sources)
        return has

    def add_names(self, names: Iterable[str]) -> None:
        """Add names of resources and definitions, and keys of their inputs, as an author wrote them."""
        if new := set(names) - self._names:
            self._names |= new
            self._around = {}

    def is_in_name(self, text: str, start: int, end: int) -> bool:
        """Return whether a part of a text is in a name of a resource or definition, which is a word there."""
        part = text[start:end]
        names = self._around.get(part)
        if names is None:
            names = self._around[part] = [
                (at, name)
                for name in self._names
                for at in range(len(name) - len(part) + 1)
                if name.startswith(part, at)
            ]
        return any(start >= at and _is_word(text, start - at, name) for at, name in names)

    def is_authored(self, text: str, start: int, end: int) -> bool:
        """Return whether a part of a name was written in an SLS, or is in the name of a resource."""
        return self.has(text[start:end]) or self.is_in_name(text, start, end)

    def numbered(self, name: str, masked: str) -> str:
        """Return a masked name that no other name has: the second one ends in ` #2`.

        Args:
            name: the name in the clear.
            masked: the name with its secrets masked.
        """
        with self._numbering:
            numbers = self._numbers.setdefault(masked, {})
            number = numbers.setdefault(name, len(numbers) + 1)
        return masked if number == 1 else f"{masked} #{number}"


def _is_word(text: str, start: int, name: str) -> bool:
    """Return whether a text has a name at a place, and no letter or digit next to it."""
    end = start + len(name)
    beside = (text[max(start - 1, 0) : start], text[end : end + 1])
    return text.startswith(name, start) and not any(map(str.isalnum, beside))
