"""What a rendering takes from outside of its data: the time, and its bounds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable


def utc_now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What functions may ask for.

    Args:
        now: returns the time, with its zone.
    """

    now: Callable[[], datetime] = utc_now


REAL_SURROUNDINGS: Final = Surroundings()
"""The time of this machine."""
