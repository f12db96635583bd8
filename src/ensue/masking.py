"""Keeping secrets out of everything that is written.

A `Masker` knows the secret values of one process and replaces them, wherever they stand, by
`(sensitive)`. Every sink (journal, log, printer, progress, diagnostics) passes what it writes
through it. It neither finds secrets nor stores them: whoever opens one tells the masker.

Source: derived-resources document, "Secret storage"; Salt's own outputs mask nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MASK: Final = "(sensitive)"
"""What stands in the place of a secret."""

SHORTEST_PART_CHARS: Final = 4
"""A secret shorter than this is masked only where it is a whole value, else it would eat ordinary text."""

_SHORTEST_LINE_CHARS: Final = 16


class Masker:
    """The secrets of one process and the one way to take them out of text and data.

    `knows_secrets` says whether there is anything to mask.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self.knows_secrets = False
        self._whole: set[str] = set()
        self._parts: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self.add(*secrets)

    def add(self, *secrets: str) -> None:
        """Take note of secret values.

        A secret of several lines (a private key) is also masked line by line, as a diff or a
        log would show it, and in the form JSON gives it.

        Args:
            secrets: the values in the clear; empty ones are ignored.
        """
        for secret in secrets:
            if not secret or secret in self._whole:
                continue
            self.knows_secrets = True
            self._whole.add(secret)
            self._parts.update(_forms(secret))
            self._pattern = None

    def text(self, text: str) -> str:
        """Return the text with every secret in it replaced by `(sensitive)`."""
        if not self._whole:
            return text
        if text in self._whole:
            return MASK
        if not self._parts:
            return text
        if self._pattern is None:
            longest_first = sorted(self._parts, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))
        return self._pattern.sub(MASK, text)

    def data(self, data: Any) -> Any:
        """Return a copy of nested data with every secret replaced, keys included.

        Args:
            data: anything made of mappings, lists, tuples and scalars.

        Returns:
            The same object when there is nothing to mask, else a masked copy.
        """
        if not self._whole:
            return data
        return self._masked(data)

    def _masked(self, data: Any) -> Any:
        match data:
            case str():
                return self.text(data)
            case dict():
                return {self._masked(key): self._masked(value) for key, value in data.items()}  # pyright: ignore[reportUnknownVariableType] # of anything
            case list() | tuple() | set() | frozenset():
                return [self._masked(item) for item in data]  # pyright: ignore[reportUnknownVariableType] # of anything
            case bytes():
                return self.text(data.decode("utf-8", "backslashreplace"))
            case int() | float() if not isinstance(data, bool) and str(data) in self._whole:
                return MASK
            case _:
                return data


def _forms(secret: str) -> set[str]:
    import json

    forms = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    lines = [line.strip() for line in secret.splitlines()]
    if len(lines) > 1:
        forms.update(line for line in lines if len(line) >= _SHORTEST_LINE_CHARS and line[:5] != "-----")
    return {form for form in forms if len(form) >= SHORTEST_PART_CHARS}
