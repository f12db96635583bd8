"""The inputs of a rendering beside its data: the time, and callbacks for randomness and printed values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.deploy.gotemplate.regex import StepBudget

if TYPE_CHECKING:
    from collections.abc import Callable


def utc_now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


def _ignore() -> None:
    """Do nothing."""


def _as_it_is(value: Any, text: str, offset: int) -> str:
    del value, offset
    return text


class RenderingServices(msgspec.Struct, frozen=True, kw_only=True):
    """The time and the callbacks of a rendering.

    Args:
        now: returns the time, with its zone.
        on_random: called before a function returns a random value.
        on_printed: called with a value, its text and the place of its action; returns the text to print. Not
            called for numbers, nor for `Written` strings, whose structure is the author's, unless they are
            secrets; then the text is marked.
        tracks_secrets: whether the data or the template may contain marked secrets; what is computed from
            them is marked, too, and so are the parts of the text in which it is printed.
        work: counts the steps of regular expressions; each rendering has a count of its own.
    """

    now: Callable[[], datetime] = utc_now
    on_random: Callable[[], None] = _ignore
    on_printed: Callable[[Any, str, int], str] = _as_it_is
    tracks_secrets: bool = False
    work: StepBudget = msgspec.field(default_factory=StepBudget)


REAL_SURROUNDINGS: Final = RenderingServices()
"""The clock of this machine, and no callbacks."""
