"""The part of a run that a user chooses, and what it leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator


class RunPart(msgspec.Struct, frozen=True, kw_only=True):
    """The words that choose a part of a run; without any, the whole run is chosen.

    Args:
        only: states to run, each with what it requires; none: all.
        exclude: states to leave out, each with the states that require it.
        start_at: the state to begin with; empty: the first one.
    """

    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    start_at: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not (self.only or self.exclude or self.start_at)

    @property
    def words(self) -> Iterator[tuple[str, str]]:
        """Each word with the option that it belongs to."""
        yield from (("--only", word) for word in self.only)
        yield from (("--exclude", word) for word in self.exclude)
        if self.start_at:
            yield "--start-at", self.start_at

    def __str__(self) -> str:
        """Return the part as it is written on the command line."""
        return " ".join(f"{option} {word}" for option, word in self.words)


WHOLE_RUN = RunPart()
"""Nothing is left out."""
