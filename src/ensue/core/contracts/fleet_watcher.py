"""Who watches a run over minions: the display of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionReport


class FleetWatcher(Protocol):
    """Sees what happens in a run over minions."""

    def of_minion(self, minion: str, event: RunEvent) -> None:
        """Take an event.

        Args:
            minion: the minion; empty for an event of the run as a whole: its beginning, its end, a job.
            event: the event; names in it are unique in the whole run.
        """
        ...

    def ended(self, report: MinionReport) -> None:
        """Take the report of a minion that has ended."""
        ...
