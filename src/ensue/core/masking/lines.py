"""Short lines of multi-line secrets: masked only next to their neighbouring lines.

A line of eight or more characters is masked everywhere, and is not handled here. Masking a shorter one (the
end of a private key, `PIN=42`) everywhere would hide ordinary text, so its neighbours decide.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ensue.core.masking.forms import MASK, escaped_forms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHORTEST_LINE_CHARS: Final = 8
"""A line of this length is a secret by itself; a shorter one is masked only next to its neighbours."""

_ORDINARY_LINE_CHARS: Final = 16
_STRUCTURE: Final = re.compile(r"-----|[\w.-]+:\Z|\[[\w. -]+\]\Z")
_LINE_END: Final = re.compile(r"(\r\n|\n|\r|\\+r\\+n|\\+n)")
"""Line ends, also escaped, once or several times."""


def own_lines(secret: str) -> Iterator[str]:
    """Yield the lines of a secret that are secrets by themselves.

    The lines around a PEM block are not, nor are short lines that only provide structure (`servers:`).
    """
    for line in _lines(secret):
        if len(line) >= SHORTEST_LINE_CHARS and not (
            line.startswith("-----") or (len(line) < _ORDINARY_LINE_CHARS and _is_structure(line))
        ):
            yield line


def distinctive_short_lines(secret: str) -> Iterator[str]:
    """Yield short lines that are more than a word, number or bracket; they are secrets as whole values."""
    for line in _lines(secret):
        if len(line) < SHORTEST_LINE_CHARS and not (
            line.isalpha() or line.isdecimal() or _is_structure(line)
        ):
            yield line


class SecretLines:
    """The consecutive lines of secrets; `any` says whether there are any."""

    def __init__(self) -> None:
        self.any = False
        self._known: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()

    def add(self, secret: str) -> None:
        """Add the lines of a multi-line secret if one of them is short."""
        lines = list(_lines(secret))
        if len(lines) < 2 or all(len(line) >= SHORTEST_LINE_CHARS for line in lines):  # noqa: PLR2004 (several)
            return
        for before, after in pairwise(lines):
            for first in escaped_forms(before):
                self._pairs.update((first, second) for second in escaped_forms(after))
        self._known.update(form for line in lines for form in escaped_forms(line))
        self.any = True

    def mask(self, text: str) -> str:
        """Return the text with consecutive lines of a secret masked."""
        pieces = _LINE_END.split(text)
        masked = self.mask_lines(pieces[::2])
        if masked is None:
            return text
        pieces[::2] = masked
        return "".join(pieces)

    def mask_lines(self, lines: Sequence[str]) -> list[str] | None:
        """Return the lines with those of secrets masked, None if there are none to mask."""
        cores = [(place, core) for place, line in enumerate(lines) if (core := self._core(line)) is not None]
        masked: list[str] | None = None
        for run in self._runs(cores, lines):
            # Closing brackets, or `end` twice, occur in any text.
            if sum(len(core) for core in {core for _, core in run} if not _is_structure(core)) < (
                SHORTEST_LINE_CHARS
            ):
                continue
            masked = masked or list(lines)
            for place, core in run:
                masked[place] = MASK.join(lines[place].rsplit(core, 1))
        return masked

    def _runs(self, cores: list[tuple[int, str]], lines: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
        """Yield runs of lines that follow each other as in a secret; blank lines do not count."""
        run: list[tuple[int, str]] = []
        for place, core in cores:
            if run:
                last, before = run[-1]
                is_next = not any(line.strip(" \t+-") for line in lines[last + 1 : place])
                if not is_next or (before, core) not in self._pairs:
                    if len(run) > 1:
                        yield run
                    run = []
            run.append((place, core))
        if len(run) > 1:
            yield run

    def _core(self, line: str) -> str | None:
        text = line.strip()
        if not text:
            return None
        for core in (text, text[1:].strip(), text.strip(" \t-,\"'")):
            if core in self._known:
                return core
        return None


def _lines(secret: str) -> Iterator[str]:
    return filter(None, map(str.strip, secret.splitlines()))


def _is_structure(line: str) -> bool:
    return _STRUCTURE.match(line) is not None or not any(map(str.isalnum, line))
