"""All events that a minion of a run has reported, packed: their lines, compressed.

A return of a state as a value takes 2 KiB, and there may be a million. Few are read again: those that other
minions refer to, and all of them only for a document of the whole run.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.events import NodeFinished
from ensue.store.runs import journal_form
from ensue.store.runs.history_report import report_from_events
from ensue.store.runs.journal_form import JournalHeader, JournalSummary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.model.events import RunEvent
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(list[str])


class PackedRun:
    """The events of one run of a minion, in order.

    Args:
        minion: its id.
    """

    def __init__(self, minion: str) -> None:
        self._minion = minion
        self._parts: list[bytes] = []

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same events, packed in the same parts."""
        return isinstance(other, PackedRun) and (self._minion, self._parts) == (other._minion, other._parts)

    __hash__ = None  # type: ignore[assignment] # it grows

    @property
    def size_bytes(self) -> int:
        """How much memory the events take."""
        return sum(map(len, self._parts))

    def add(self, lines: Sequence[str]) -> None:
        """Pack lines that were read, and are events of the run."""
        if lines:
            self._parts.append(zlib.compress(_ENCODER.encode(lines), 1))

    def report(self) -> RunReport:
        """Return the report of the run, as far as it was reported, with all returns."""
        return report_from_events([*self._events()], self._minion)

    def returned(self, tag: str) -> Return | None:
        """Return the last return of a state of the top scope; None if there is none.

        Args:
            tag: its tag.
        """
        # Lines are written by the same encoder, so that only few of them have to be read.
        own = [event.returned for event in self._events(_in_json(tag)) if isinstance(event, NodeFinished)]
        return next(
            (
                state_return
                for state_return in reversed(own)
                if state_return.tag == tag and is_of_top_scope(state_return)
            ),
            None,
        )

    def _events(self, text: str = "") -> Iterator[RunEvent]:
        for part in self._parts:
            for line in _DECODER.decode(zlib.decompress(part)):
                event = journal_form.decode(line.encode()) if text in line else None
                if event is not None and not isinstance(event, JournalHeader | JournalSummary):
                    yield event


def is_of_top_scope(returned: Return) -> bool:
    """Return whether a return is of a state of a minion's top scope, which others may refer to."""
    return not returned.scope_identity


def _in_json(text: str) -> str:
    return msgspec.json.encode(text).decode()
