"""What applies that were killed have left behind, for the run after them; `runs/run_chain.py` reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.model.enforced import FormerState
    from ensue.core.model.events import CommandStarted, RunEvent, RunStarted
    from ensue.store.registry.enforced_form import EntryKey


class KilledApplies(msgspec.Struct, frozen=True, kw_only=True):
    """What the applies since the last complete one have left behind.

    Args:
        last: how the last apply began, if it was killed; None: it was not.
        begun: the states that were being called when an apply was killed, each in its environment.
        owing: the events of each of them, the oldest first, unless what they owe is kept already.
        running: the commands of killed and interrupted applies that still run.
    """

    last: RunStarted | None = None
    begun: Mapping[EntryKey, FormerState] = {}
    owing: Sequence[Sequence[RunEvent]] = ()
    running: Sequence[CommandStarted] = ()


NONE_KILLED: Final = KilledApplies()
"""No apply was killed."""
