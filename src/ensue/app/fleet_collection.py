"""Collects the reports of the minions of one job, until each has ended or is given up."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.events import NodeFinished
from ensue.core.model.fleet import MinionReport
from ensue.output.history import report_from_events
from ensue.salt.fleet.admission import Admitted, Exceeded, SaltFailed
from ensue.salt.fleet.bus import BusClosed
from ensue.salt.fleet.frames import (
    Alive,
    Answered,
    Described,
    Happened,
    MinionEnded,
    MinionMessages,
    Refused,
    Warned,
    too_much,
)
from ensue.salt.fleet.value_messages import Asked, HeldReturn, MinionCompiled, Stalled
from ensue.store.runs import journal_form
from ensue.store.runs.journal_form import JournalHeader, JournalSummary
from ensue.store.runs.line_types import has_types

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from ensue.core.model.events import RunEvent
    from ensue.core.model.report import RunReport
    from ensue.salt.fleet.bus import Bus, Item
    from ensue.salt.fleet.exchange import Exchange
    from ensue.salt.fleet.frames import Message
    from ensue.salt.fleet.sealing import RunKey

_MAY_RUN: Final = "what it was doing may still be running there"


class _Minion:
    """What is known about one minion.

    Args:
        deadline: when it counts as silent, on the loop's clock.
    """

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.has_begun = False
        self.has_ended = False
        self.messages = MinionMessages()
        self.events: list[RunEvent] = []
        self.warnings: tuple[str, ...] = ()
        self.problem = ""
        self.salt_problem = ""
        self.answer: Answered | None = None
        self.status: dict[str, Any] = {}

    def fail(self, problem: str) -> None:
        """End it with a problem; the first one counts."""
        self.problem = self.problem or problem
        self.has_ended = True

    def report(self, minion: str) -> MinionReport:
        """Return the report of the minion."""
        run = self._run(minion)
        answered_well = self.answer is None or self.answer.ok
        return MinionReport(
            id=minion,
            problem=self.problem,
            report=run,
            warnings=self.warnings,
            answer=self.answer.value if self.answer else None,
            ok=not self.problem and answered_well and (run is None or run.exit_code == 0),
            status=self.status,
        )

    def _run(self, minion: str) -> RunReport | None:
        return report_from_events(self.events, minion) if self.events else None


class Collection:
    """Collects what the minions of one job report.

    Args:
        key: the key that frames are sealed for.
        minions: who is asked.
        silence_s: how long a minion may be silent.
        deadline: when the whole run is over, on the loop's clock.
        on_event: called with each event of a minion's run, in order.
        exchange: hands returns to the minions that refer to them.
    """

    def __init__(
        self,
        key: RunKey,
        minions: Sequence[str],
        silence_s: float,
        deadline: float,
        on_event: Callable[[str, RunEvent], None],
        *,
        exchange: Exchange,
    ) -> None:
        self._exchange = exchange
        self._key = key
        self._silence_s = silence_s
        self._deadline = deadline
        self._on_event = on_event
        self._is_closed = False
        self._minions = {one: _Minion(self._later()) for one in minions}

    @property
    def is_over(self) -> bool:
        """Whether nobody can report any more: the deadline of the run has passed, or the bus is closed."""
        return self._is_closed or self._deadline <= asyncio.get_running_loop().time()

    def _later(self) -> float:
        return asyncio.get_running_loop().time() + self._silence_s

    async def reports(self, bus: Bus) -> AsyncIterator[MinionReport]:
        """Yield a report for each minion, as they end."""
        for minion in self._minions.values():
            minion.deadline = self._later()
        while self._minions:
            nearest = min(one.deadline for one in self._minions.values())
            try:
                async with asyncio.timeout_at(min(nearest, self._deadline)):
                    item = await bus.next()
            except TimeoutError:
                self._give_up()
                concerned = [*self._minions]
            else:
                self._take(item)
                concerned = [*self._minions] if isinstance(item, BusClosed) else [item.minion]
            for name in concerned:
                if (ended := self._minions.get(name)) is not None and ended.has_ended:
                    report = self._minions.pop(name).report(name)
                    returns = report.report.returns if report.report else None
                    self._exchange.ended(name, report.problem.partition("\n")[0], returns)
                    yield msgspec.structs.replace(report, needs=tuple(self._exchange.needs(name)))

    def interrupted(self) -> list[MinionReport]:
        """Return reports of the minions that have not ended."""
        for minion in self._minions.values():
            minion.problem = minion.problem or f"interrupted; {_MAY_RUN}"
        return [minion.report(name) for name, minion in self._minions.items()]

    def _give_up(self) -> None:
        """Fail the minions that have been silent for too long; all of them when the run is over."""
        now = asyncio.get_running_loop().time()
        for minion in self._minions.values():
            if minion.deadline <= now:
                minion.fail(f"{_silence(minion)} (for {self._silence_s:g} s; --timeout)")
            elif self._deadline <= now:
                minion.fail(f"it had not ended at the deadline of the run; {_MAY_RUN}")

    def _take(self, item: Item) -> None:
        """Take what was admitted; anything from a minion that nobody waits for is ignored."""
        if isinstance(item, BusClosed):
            self._is_closed = True
            for waiting in self._minions.values():
                waiting.fail(f"Salt's master has closed its event bus; {_MAY_RUN}")
            return
        minion = self._minions.get(item.minion)
        if minion is None:
            return
        match item:
            case SaltFailed(problem=problem):
                # Anybody may have said this, so that it explains a silence, and ends nothing.
                minion.salt_problem = problem
            case Exceeded():
                minion.fail(too_much())
            case Admitted():
                minion.deadline, minion.has_begun = self._later(), True
                try:
                    self._read(minion, item)
                except ValueError as error:
                    minion.fail(f"what it reported cannot be read: {error}")

    def _read(self, minion: _Minion, frame: Admitted) -> None:
        content = self._key.opened(frame.sealed, frame.name)
        for message in minion.messages.add(frame.number, content):
            if not minion.has_ended:
                self._heard(frame.minion, minion, message)

    def _happened(self, name: str, minion: _Minion, event: RunEvent) -> None:
        minion.events.append(event)
        self._on_event(name, event)
        if isinstance(event, NodeFinished):
            self._exchange.returned(name, event.returned)

    def _heard(self, name: str, minion: _Minion, message: Message) -> None:
        match message:
            case Alive():
                pass
            case Happened(lines=lines):
                for line in lines:
                    self._happened(name, minion, _event(line, name))
            case Refused(messages=messages):
                minion.problem = "\n".join(messages)
            case Warned(messages=messages):
                minion.warnings += messages
            case Answered():
                minion.answer = message
            case Described(status=status):
                minion.status = status
            case MinionCompiled() | Asked() | Stalled() | HeldReturn():
                self._exchange.heard(name, message)
            case MinionEnded(problem=problem):
                minion.problem = minion.problem or problem
                minion.has_ended = True


def _silence(minion: _Minion) -> str:
    if minion.messages.has_gap:
        return f"its frame {minion.messages.next} has not come, and later ones have"
    if minion.has_begun:
        return "it has not been heard of since it began"
    return f"it does not answer: {minion.salt_problem}" if minion.salt_problem else "it does not answer"


def _event(line: str, minion: str) -> RunEvent:
    """Return the event of a line that a minion wrote.

    Raises:
        ValueError: it is none, or it is about another minion.
    """
    event = journal_form.decode(line.encode()) if has_types(line) else None
    if event is None or isinstance(event, JournalHeader | JournalSummary):
        msg = "a line is no event of a run"
        raise ValueError(msg)
    target = str(getattr(getattr(event, "returned", event), "target", ""))
    if target.startswith("minion:") and target != f"minion:{minion}":
        msg = f"an event is about {target}"
        raise ValueError(msg)
    return event
