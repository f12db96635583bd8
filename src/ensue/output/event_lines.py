"""The events of a run for programs: one JSON object per line, as they happen.

Every object has `event`, its kind, and in runs over minions `minion` if the event is one of a minion. Secrets
are masked. docs/events.md lists the kinds and their keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.documents import without_surrogates
from ensue.core.model.events import (
    CommandStarted,
    FannedOut,
    JobPublished,
    NodeFinished,
    NodeStarted,
    ReactionsOwed,
    ResourceOrphaned,
    ResourceRegistered,
    RunFinished,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
    ScopePlanned,
    StateExcluded,
)
from ensue.output.presentable import return_data
from ensue.store.runs import journal_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.masking import Masker
    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionReport

KINDS: Final[dict[type, str]] = {
    RunStarted: "run_started",
    JobPublished: "job_published",
    NodeStarted: "state_started",
    CommandStarted: "command_started",
    NodeFinished: "state_finished",
    ScopeOpened: "scope_opened",
    ScopePlanned: "scope_planned",
    StateExcluded: "state_excluded",
    ReactionsOwed: "reactions_owed",
    FannedOut: "state_fanned_out",
    ScopeClosed: "scope_closed",
    ResourceRegistered: "resource_registered",
    ResourceOrphaned: "resource_orphaned",
    RunFinished: "run_finished",
}
"""The kind of each event."""
MINION_ENDED: Final = "minion_ended"
EVENTS_LOST: Final = "events_lost"
INTERNAL: Final = frozenset({"type", "process", "scope_identity", "calls", "fleet", "returns", "returned"})
"""Keys of the journal that only ensue itself can use, or that have an event of their own."""
_ENCODER: Final = msgspec.json.Encoder()


def lost_line(count: int) -> bytes:
    """Return the line in the place of lines that their reader was too slow for.

    Args:
        count: how many they are.
    """
    return _ENCODER.encode({"event": EVENTS_LOST, "count": count}) + b"\n"


class EventLines:
    """Makes a line of each event of a run.

    Args:
        write: takes a line, with its end; it must not block.
        masker: the secrets of the process.
    """

    def __init__(self, write: Callable[[bytes], None], masker: Masker) -> None:
        self._write = write
        self._masker = masker

    def of_minion(self, minion: str, event: RunEvent) -> None:
        """Write an event.

        Args:
            minion: the minion of a run over minions that it is from; empty: the run itself.
            event: the event.
        """
        head = {"event": KINDS[type(event)], **({"minion": minion} if minion else {})}
        self._put(head | self._fields(event))

    def ended(self, report: MinionReport) -> None:
        """Write that a minion has ended."""
        problem = self._masker.text(report.problem)
        self._put({"event": MINION_ENDED, "minion": report.id, "ok": report.ok, "problem": problem})

    def _fields(self, event: RunEvent) -> dict[str, Any]:
        if isinstance(event, NodeFinished):
            returned = msgspec.structs.replace(event.returned, delayed=(), applied=())
            tag = self._masker.tag(event.returned.tag)
            return {"tag": tag, **return_data(returned, self._masker)}
        # The journal masks each field by what it is.
        written: dict[str, Any] = msgspec.json.decode(journal_form.encode(event, self._masker))
        if isinstance(event, ScopeClosed):
            written |= written["returned"]
        elif isinstance(event, StateExcluded):
            # The journal leaves out what is False.
            written["is_dependent"] = event.is_dependent
        return {key.removesuffix("_"): value for key, value in written.items() if key not in INTERNAL}

    def _put(self, line: dict[str, Any]) -> None:
        try:
            encoded = _ENCODER.encode(line)
        except UnicodeEncodeError:
            encoded = _ENCODER.encode(without_surrogates(line))
        self._write(encoded + b"\n")
