"""Collects the reports of the minions of one job, until each has ended or been silent for too long."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_mapping
from ensue.core.model.fleet import MinionReport
from ensue.output.history import report_from_events
from ensue.salt.fleet.frames import Answered, Collected, Happened, Piece, Refused, Warned, frame_name, read
from ensue.store.runs import journal_form
from ensue.store.runs.journal_form import JournalHeader, JournalSummary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from ensue.core.model.events import RunEvent
    from ensue.salt.fleet.bus import Bus
    from ensue.salt.fleet.frames import Message
    from ensue.salt.fleet.sealing import RunKey

_LONGEST_CHARS: Final = 400


class _Minion:
    """What is known about one minion.

    Args:
        deadline: when it counts as silent, on the loop's clock.
    """

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.has_begun = False
        self.frames = Collected()
        self.events: list[RunEvent] = []
        self.warnings: tuple[str, ...] = ()
        self.problem = ""
        self.answer: Answered | None = None
        self.returned: dict[str, Any] | None = None

    @property
    def has_ended(self) -> bool:
        """Whether it has returned, and all frames that it sent are here."""
        return self.returned is not None and self.frames.complete >= int(self.returned.get("frames", 0))

    def report(self, minion: str) -> MinionReport:
        """Return the report of the minion."""
        returned = self.returned or {}
        run = report_from_events(self.events, minion) if self.events else None
        problem = self.problem or str(returned.get("problem", ""))
        answered_well = self.answer is None or self.answer.ok
        return MinionReport(
            id=minion,
            problem=problem,
            report=run,
            warnings=self.warnings,
            answer=self.answer.value if self.answer else None,
            ok=not problem and answered_well and (run is None or run.exit_code == 0),
            status=status if is_mapping(status := returned.get("status")) else {},
        )


class Collection:
    """Collects what the minions of one job report.

    Args:
        run_id: the run.
        key: the key that frames are sealed for.
        minions: who is asked.
        silence_s: how long a minion may be silent.
        on_event: called with each event of a minion's run, in order.
    """

    def __init__(
        self,
        run_id: str,
        key: RunKey,
        minions: Sequence[str],
        silence_s: float,
        on_event: Callable[[str, RunEvent], None],
    ) -> None:
        self._run_id = run_id
        self._key = key
        self._silence_s = silence_s
        self._on_event = on_event
        self._minions = {one: _Minion(self._later()) for one in minions}

    def _later(self) -> float:
        return asyncio.get_running_loop().time() + self._silence_s

    async def reports(self, bus: Bus) -> AsyncIterator[MinionReport]:
        """Yield a report for each minion, as they end."""
        for minion in self._minions.values():
            minion.deadline = self._later()
        while self._minions:
            try:
                async with asyncio.timeout_at(min(one.deadline for one in self._minions.values())):
                    tag, data = await bus.next()
            except TimeoutError:
                for late in self._silent():
                    yield late
                continue
            if (name := self._take(tag, data, bus.prefix)) and self._minions[name].has_ended:
                yield self._minions.pop(name).report(name)

    def interrupted(self) -> list[MinionReport]:
        """Return reports of the minions that have not ended."""
        for minion in self._minions.values():
            minion.problem = minion.problem or "interrupted; what it was doing may still be running there"
        return [minion.report(name) for name, minion in self._minions.items()]

    def _silent(self) -> list[MinionReport]:
        now = asyncio.get_running_loop().time()
        late = [name for name, minion in self._minions.items() if minion.deadline <= now]
        reports: list[MinionReport] = []
        for name in late:
            minion = self._minions.pop(name)
            what = "it has not been heard of since it began" if minion.has_begun else "it does not answer"
            minion.problem = minion.problem or f"{what} (for {self._silence_s:g} s; --timeout)"
            reports.append(minion.report(name))
        return reports

    def _take(self, tag: str, data: dict[str, Any], prefix: str) -> str:
        """Take an event; return the minion that it is from, empty if nobody waits for that one."""
        # The master has checked who sent an event, and wrote the sender's id into it.
        name = str(data.get("id", ""))
        minion = self._minions.get(name)
        if minion is None:
            return ""
        minion.deadline, minion.has_begun = self._later(), True
        if not tag.startswith(prefix):
            minion.returned = _returned(data)
        elif (piece := _piece(data.get("data"))) is not None:
            for number, text in minion.frames.add(piece):
                self._open(name, minion, number, text)
        return name

    def _open(self, name: str, minion: _Minion, number: int, text: str) -> None:
        try:
            message = read(text, self._key, frame_name(self._run_id, name, number))
        except ValueError as error:
            minion.problem = f"what it reported cannot be read: {error}"
            return
        self._heard(name, minion, message)

    def _heard(self, name: str, minion: _Minion, message: Message) -> None:
        match message:
            case Happened(lines=lines):
                for line in lines:
                    event = journal_form.decode(line.encode())
                    if event is not None and not isinstance(event, JournalHeader | JournalSummary):
                        minion.events.append(event)
                        self._on_event(name, event)
            case Refused(messages=messages):
                minion.problem = "\n".join(messages)
            case Warned(messages=messages):
                minion.warnings = messages
            case Answered():
                minion.answer = message


def _piece(said: object) -> Piece | None:
    """Return the part of a frame that an event carries; None for a sign of life, or for what is no part."""
    try:
        return msgspec.convert(said, Piece)
    except msgspec.ValidationError:
        return None


def _returned(data: dict[str, Any]) -> dict[str, Any]:
    """Return what the relay returned; what Salt returned instead of it becomes a problem."""
    returned = data.get("return")
    if isinstance(returned, dict) and isinstance(returned.get("frames"), int):  # pyright: ignore[reportUnknownMemberType]
        return returned  # pyright: ignore[reportUnknownVariableType]  # what a host says: read key by key
    lines = [line for line in str(returned).strip().splitlines() if line.strip()]  # pyright: ignore[reportUnknownArgumentType]
    return {
        "frames": 0,
        "problem": f"Salt could not run ensue there: {lines[-1][:_LONGEST_CHARS] if lines else ''}",
    }
