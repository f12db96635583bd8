"""The jobs of a run over minions: so many work at a time, and one that ends makes room for another."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from ensue.core.errors import ConfigurationError
from ensue.salt.fleet.batches import with_keys
from ensue.salt.fleet.collection import Collection

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionReport
    from ensue.salt.fleet.bus import Bus
    from ensue.salt.fleet.channel import MinionChannel
    from ensue.salt.fleet.exchange import Exchange
    from ensue.salt.fleet.kept_reports import KeptReports
    from ensue.salt.fleet.master import SaltMaster
    from ensue.salt.fleet.sealing import RunKey


class JobsDone(NamedTuple):
    """The outcome of the jobs of a run.

    Args:
        reports: the reports of minions that have ended.
        taken: how many frames of each minion are in the journal, the last one included.
        limit: how many minions may fail; None: any number.
    """

    reports: KeptReports
    taken: dict[str, int]
    limit: int | None

    @property
    def has_too_many_failed(self) -> bool:
        """Whether no further job may be published."""
        return self.limit is not None and self.reports.failed > self.limit


class FleetWays(NamedTuple):
    """What connects a run with its minions.

    Args:
        master: the master.
        bus: what minions report.
        channel: publishes what they get.
        exchange: hands returns to the minions that refer to them.
        wire: the order as minions get it, which the channel sends.
    """

    master: SaltMaster
    bus: Bus
    channel: MinionChannel
    exchange: Exchange
    wire: dict[str, Any]


class JobsLimits(NamedTuple):
    """The limits of all jobs.

    Args:
        silence_s: how long a minion may be silent.
        deadline: when the run is over, on the loop's clock.
        size: how many minions may be at work.
    """

    silence_s: float
    deadline: float
    size: int


class FleetJobs:
    """Publishes the jobs of one run, and collects what their minions report.

    Args:
        ways: what connects the run with its minions.
        key: the key that frames are sealed for.
        limits: the limits.
        publish: publishes a job for minions with their keys; its id is empty for a new one.
        happened: called with each event of a minion's run, in order.
        ended: called with the report of each minion when it has ended.
        done: receives the outcome.
    """

    def __init__(
        self,
        ways: FleetWays,
        key: RunKey,
        limits: JobsLimits,
        *,
        publish: Callable[[str, Mapping[str, bytes]], Awaitable[None]],
        happened: Callable[[str, RunEvent], None],
        ended: Callable[[MinionReport], None],
        done: JobsDone,
    ) -> None:
        self._ways = ways
        self._limits = limits
        self._publish = publish
        self._ended = ended
        self._done = done
        self._collection = Collection(
            key,
            (),
            limits.silence_s,
            limits.deadline,
            happened,
            exchange=ways.exchange,
            ask_again=ways.channel.ask_again,
        )

    async def run(self, published: Mapping[str, Sequence[str]], rest: Sequence[str]) -> str:
        """Return when all minions have ended; the reason if nothing more can come before that.

        Args:
            published: the minions of each job that an earlier process of the run has published.
            rest: the other minions, in order.

        Raises:
            ConfigurationError: the master does not answer.
        """
        waiting = deque(rest)
        collection, bus = self._collection, self._ways.bus
        try:
            for jid, minions in published.items():
                await self._ask(jid, minions)
            self._ways.exchange.resume(minion for minions in published.values() for minion in minions)
            await self._fill(waiting)
            async for report in collection.reports(bus):
                self._note(report)
                # One job for all that have made room by now.
                if not bus.has_more:
                    await self._fill(waiting)
        except (asyncio.CancelledError, ConfigurationError):
            self._done.reports.add(*collection.interrupted())
            raise
        finally:
            self._done.taken.update(collection.taken)
        return collection.closed

    async def _fill(self, waiting: deque[str]) -> None:
        """Publish jobs until as many minions work as may, or none is left."""
        while waiting and not (self._done.has_too_many_failed or self._collection.is_over):
            free = self._limits.size - self._collection.at_work
            if free <= 0:
                return
            await self._ask("", [waiting.popleft() for _ in range(min(free, len(waiting)))])

    async def _ask(self, jid: str, minions: Sequence[str]) -> None:
        known, unknown = await asyncio.to_thread(with_keys, self._ways.master, minions)
        self._ways.exchange.expect(minions)
        for report in unknown:
            self._ways.exchange.ended(report.id, report.problem)
            self._note(report)
        self._collection.add(known)
        self._ways.wire["remaining_s"] = self._limits.deadline - asyncio.get_running_loop().time()
        await self._publish(jid, known)
        self._collection.begun(known)

    def _note(self, report: MinionReport) -> None:
        self._done.reports.add(report)
        self._ended(report)
