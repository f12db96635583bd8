"""Find the machine that a recorded run ran on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.events import RunStarted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.model.events import RunEvent


def own_minion(events: Iterable[RunEvent], minion_id: str) -> str:
    """Return the id of the machine of a run.

    Args:
        events: all events of one run, in order.
        minion_id: the id of this machine now; returned if the events name no machine.
    """
    begun = (event.minion_id for event in events if isinstance(event, RunStarted) and event.minion_id)
    return next(begun, minion_id)
