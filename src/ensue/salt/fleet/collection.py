"""Collects the reports of the minions of one job, until each has ended or is given up."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from ensue.core.model.events import FannedOut, NodeFinished, RunStarted
from ensue.core.model.fleet import MinionReport
from ensue.core.model.json_levels import has_too_many_levels
from ensue.core.model.srn import MINION_TYPE
from ensue.salt.fleet.admission import Admitted, Exceeded, SaltFailed, SaltStarted, Twin
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
from ensue.salt.fleet.packed_run import PackedRun
from ensue.salt.fleet.resource_messages import ResourceAsked, Worked
from ensue.salt.fleet.run_digest import RunDigest
from ensue.salt.fleet.value_messages import Asked, HeldReturn, MinionCompiled, Stalled
from ensue.store.runs import journal_form
from ensue.store.runs.journal_form import JournalHeader, JournalSummary
from ensue.store.runs.line_types import has_types

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionRun
    from ensue.core.model.returns import Return
    from ensue.salt.fleet.bus import Bus, Item
    from ensue.salt.fleet.frames import Message
    from ensue.salt.fleet.resource_messages import ResourceMessage
    from ensue.salt.fleet.sealing import RunKey
    from ensue.salt.fleet.value_messages import ValueMessage

_ASK_AFTER: Final = 0.5
"""The part of the allowed silence after which a minion is asked for its frames: two beats are missing."""

_MAY_RUN: Final = "what it was doing may still be running there"


class Hears(Protocol):
    """What takes the messages of minions that concern others; an `Exchange` does."""

    def heard(self, minion: str, message: ValueMessage | ResourceMessage) -> None:
        """Take a message.

        Raises:
            ValueError: the minion asks for too much.
        """
        ...

    def returned(self, minion: str, returned: Return) -> None:
        """Take the return of a state, as its event has it."""
        ...

    def fanned_out(self, minion: str, event: FannedOut) -> None:
        """Note which states take the place of one with a `tgt`."""
        ...

    def packed(self, minion: str, run: PackedRun) -> None:
        """Take all events of a minion, those of the returns that were taken among them."""
        ...

    def ended(self, minion: str, problem: str, unended: Mapping[str, Return] | None = None) -> None:
        """Note that a minion reports nothing more; see `Exchange.ended`."""
        ...

    def needs(self, minion: str) -> Iterable[str]:
        """Return what states of a minion need of other minions, one line each."""
        ...

    def is_asked(self, minion: str) -> bool:
        """Return whether an id is that of a minion of the run."""
        ...


class _Minion:
    """What is known about one minion.

    Args:
        name: its id.
        now: the loop's clock.
        silence_s: how long it may be silent.
    """

    def __init__(self, name: str, now: float, silence_s: float) -> None:
        self._name = name
        self._silence_s = silence_s
        self.heard(now)
        self.asked_for = -1
        self.has_begun = False
        self.has_ended = False
        self.messages = MinionMessages()
        self.digest: RunDigest | None = None
        self.reported = PackedRun(name)
        self.warnings: tuple[str, ...] = ()
        self.problem = ""
        self.salt_problem = ""
        self.answer: Answered | None = None
        self.status: dict[str, Any] = {}

    def heard(self, now: float) -> None:
        """Note a sign of life."""
        self.deadline = now + self._silence_s
        self.ask_at = now + self._silence_s * _ASK_AFTER

    def fail(self, problem: str) -> None:
        """End it with a problem; the first one counts."""
        self.problem = self.problem or problem
        self.has_ended = True

    def begin_run(self) -> None:
        """Begin a digest: a run that resumes the one before has all of its returns."""
        self.digest, self.reported = RunDigest(), PackedRun(self._name)

    def report(self) -> MinionReport:
        """Return the report of the minion."""
        run = self._run()
        answered_well = self.answer is None or self.answer.ok
        return MinionReport(
            id=self._name,
            problem=self.problem,
            run=run,
            warnings=self.warnings,
            answer=self.answer.value if self.answer else None,
            ok=not self.problem and answered_well and (run is None or run.exit_code == 0),
            status=self.status,
        )

    def unended(self) -> Mapping[str, Return]:
        """Return the states that began, and whose end was not reported."""
        return self.digest.unended() if self.digest else {}

    def _run(self) -> MinionRun | None:
        return self.digest.run(self.reported) if self.digest else None


class Collection:
    """Collects what the minions of one job report.

    Args:
        key: the key that frames are sealed for.
        minions: who is asked.
        silence_s: how long a minion may be silent.
        deadline: when the whole run is over, on the loop's clock.
        on_event: called with each event of a minion's run, in order.
        exchange: hands returns to the minions that refer to them.
        ask_again: called with a minion and the number of the frame that it is asked for, with all after it.

    Attributes:
        closed: why nothing more can come; empty while it can.
        taken: how many frames of each minion that has reported its end were taken.
    """

    def __init__(
        self,
        key: RunKey,
        minions: Sequence[str],
        silence_s: float,
        deadline: float,
        on_event: Callable[[str, RunEvent], None],
        *,
        exchange: Hears,
        ask_again: Callable[[str, int], None],
    ) -> None:
        self._exchange = exchange
        self._key = key
        self._ask_again = ask_again
        self.taken: dict[str, int] = {}
        self._silence_s = silence_s
        self._deadline = deadline
        self._on_event = on_event
        self.closed = ""
        self._minions: dict[str, _Minion] = {}
        self.add(minions)

    def add(self, minions: Iterable[str]) -> None:
        """Collect what further minions report, too."""
        now = asyncio.get_running_loop().time()
        self._minions |= {minion: _Minion(minion, now, self._silence_s) for minion in minions}

    def begun(self, minions: Iterable[str]) -> None:
        """Note that the job of minions is published: their silence counts from now on."""
        now = asyncio.get_running_loop().time()
        for minion in minions:
            self._minions[minion].heard(now)

    @property
    def at_work(self) -> int:
        """How many minions have not ended."""
        return len(self._minions)

    @property
    def is_over(self) -> bool:
        """Whether nobody can report any more: the deadline of the run has passed, or the bus is closed."""
        return bool(self.closed) or self._deadline <= asyncio.get_running_loop().time()

    async def reports(self, bus: Bus) -> AsyncIterator[MinionReport]:
        """Yield a report for each minion, as they end."""
        self.begun(self._minions)
        nearest = 0.0
        while self._minions:
            # A sign of life moves these times to later ones: thousands are not compared for each frame.
            if nearest <= asyncio.get_running_loop().time():
                nearest = min(min(minion.deadline, minion.ask_at) for minion in self._minions.values())
            try:
                async with asyncio.timeout_at(min(nearest, self._deadline)):
                    item = await bus.next()
            except TimeoutError:
                self._ask_silent()
                self._give_up()
                concerned = [*self._minions]
            else:
                self._take(item)
                # A turn of the loop, in which the journal is handed to its thread: there is none while the
                # bus has more.
                await asyncio.sleep(0)
                concerned = [*self._minions] if isinstance(item, BusClosed) else [item.minion]
            for name in concerned:
                if (ended := self._minions.get(name)) is not None and ended.has_ended:
                    del self._minions[name]
                    report = ended.report()
                    self._exchange.ended(name, report.problem.partition("\n")[0], ended.unended())
                    yield msgspec.structs.replace(report, needs=tuple(self._exchange.needs(name)))

    def interrupted(self) -> list[MinionReport]:
        """Return reports of the minions that have not ended."""
        for minion in self._minions.values():
            minion.problem = minion.problem or f"interrupted; {_MAY_RUN}"
        return [minion.report() for minion in self._minions.values()]

    def _ask_silent(self) -> None:
        """Ask minions that miss signs of life for their frames: at half of the silence, and once more."""
        now = asyncio.get_running_loop().time()
        for name, minion in self._minions.items():
            if minion.ask_at <= now:
                minion.ask_at = now + self._silence_s * _ASK_AFTER / 2
                self._ask_again(name, minion.messages.next)

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
            self.closed = "Salt's master has closed its event bus"
            for waiting in self._minions.values():
                waiting.fail(f"{self.closed}; {_MAY_RUN}")
            return
        minion = self._minions.get(item.minion)
        if minion is None:
            return
        match item:
            case SaltFailed(problem=problem):
                # Anybody may have said this, so that it explains a silence, and ends nothing.
                minion.salt_problem = problem
            case SaltStarted():
                # Its job has ended with the Salt before, and goes on if it is asked for.
                self._ask_again(item.minion, minion.messages.next)
            case Twin():
                minion.fail(f"two machines answer as {item.minion}, which have the same id and the same key")
            case Exceeded():
                minion.fail(too_much())
            case Admitted():
                minion.heard(asyncio.get_running_loop().time())
                minion.has_begun = True
                try:
                    self._read(minion, item)
                    self._ask_for_missing(item.minion, minion)
                except ValueError as error:
                    minion.fail(f"what it reported cannot be read: {error}")

    def _read(self, minion: _Minion, frame: Admitted) -> None:
        content = self._key.opened(frame.sealed, frame.name)
        for message in minion.messages.add(frame.number, content):
            if not minion.has_ended:
                self._heard(frame.minion, minion, message)

    def _happened(self, name: str, minion: _Minion, lines: Iterable[str]) -> None:
        """Take the events of a message, up to one that cannot be read."""
        taken: list[str] = []
        try:
            for line in lines:
                event = _event(line, name, self._exchange)
                if isinstance(event, RunStarted) or minion.digest is None:
                    minion.begin_run()
                    taken.clear()
                taken.append(line)
                self._digested(name, minion, event)
        finally:
            minion.reported.add(taken)
            self._exchange.packed(name, minion.reported)

    def _digested(self, name: str, minion: _Minion, event: RunEvent) -> None:
        if minion.digest is not None:
            minion.digest.add(event)
        self._on_event(name, event)
        if isinstance(event, NodeFinished):
            self._exchange.returned(name, event.returned)
        elif isinstance(event, FannedOut):
            self._exchange.fanned_out(name, event)

    def _ask_for_missing(self, name: str, minion: _Minion) -> None:
        """Ask for a frame that has not come although later ones have, once."""
        missing = minion.messages.next
        if minion.messages.has_gap and minion.asked_for != missing:
            minion.asked_for = missing
            self._ask_again(name, missing)

    def _heard(self, name: str, minion: _Minion, message: Message) -> None:
        match message:
            case Alive():
                pass
            case Happened(lines=lines):
                self._happened(name, minion, lines)
            case Refused(messages=messages):
                minion.problem = "\n".join(messages)
            case Warned(messages=messages):
                minion.warnings += messages
            case Answered():
                minion.answer = message
            case Described(status=status):
                minion.status = status
            case MinionCompiled() | Asked() | Stalled() | HeldReturn() | ResourceAsked() | Worked():
                self._exchange.heard(name, message)
            case MinionEnded(problem=problem):
                minion.problem = minion.problem or problem
                minion.has_ended = True
                self.taken[name] = minion.messages.next


def _silence(minion: _Minion) -> str:
    if minion.messages.has_gap:
        return f"its frame {minion.messages.next} has not come, and later ones have"
    if minion.has_begun:
        return "it has not been heard of since it began"
    return f"it does not answer: {minion.salt_problem}" if minion.salt_problem else "it does not answer"


def _event(line: str, minion: str, exchange: Hears) -> RunEvent:
    """Return the event of a line that a minion wrote.

    A minion may have resources of the type `minion`; what it may not report about is another minion of the
    run.

    Raises:
        ValueError: it is none, or it is about another minion.
    """
    is_event = not has_too_many_levels(line) and has_types(line)
    event = journal_form.decode(line.encode()) if is_event else None
    if event is None or isinstance(event, JournalHeader | JournalSummary):
        msg = "a line is no event of a run"
        raise ValueError(msg)
    target = str(getattr(getattr(event, "returned", event), "target", ""))
    type_, _, id_ = target.partition(":")
    if type_ == MINION_TYPE and id_ != minion and exchange.is_asked(id_):
        msg = f"an event is about {target}"
        raise ValueError(msg)
    return event
