"""One run over many minions of a Salt master: publish jobs, collect what minions report, write one journal.

Each minion compiles and runs its own scope with the ensue that is shipped to it. This process owns the run:
its journal, its lock, its batches and its exit code.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.deadlines import FLEET_RESUME_S
from ensue.core.errors import ConfigurationError, StoreError
from ensue.core.model.events import (
    JobPublished,
    ResourceOrphaned,
    ResourceRegistered,
    RunFinished,
    RunStarted,
)
from ensue.core.model.fleet import FleetOrder, FleetReport, MinionReport
from ensue.language.settings.minion_options import options_for_minions
from ensue.language.targeting.bare_lists import refuse_bare_lists
from ensue.language.targeting.resource_words import refuse_resources
from ensue.salt.fleet.admission import Admission
from ensue.salt.fleet.batches import deadline_s, master_config, portion
from ensue.salt.fleet.bus import Bus
from ensue.salt.fleet.channel import MinionChannel
from ensue.salt.fleet.courier import Courier
from ensue.salt.fleet.desk import ResourceDesk
from ensue.salt.fleet.exchange import Exchange
from ensue.salt.fleet.jobs import FleetJobs, FleetWays, JobsDone, JobsLimits
from ensue.salt.fleet.kept_reports import KeptReports
from ensue.salt.fleet.master import SaltMaster
from ensue.salt.fleet.renaming import Numbers, event_of_run
from ensue.salt.fleet.sealing import RunKey
from ensue.salt.fleet.shipping import shipped_order
from ensue.salt.fleet.value_messages import held_name
from ensue.salt.fleet.warnings import nothing_matched, refused_frames, stopped_run
from ensue.salt.fleet.work import FleetWork, WorkSettings
from ensue.store.runs.journal import Journal, new_run_id
from ensue.store.runs.journal_writer import JournalWriter
from ensue.store.runs.kept_fleet import KeptFleet, forget_fleet, keep_fleet
from ensue.store.runs.run_history import fleet_path

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ensue.core.contracts.fleet_watcher import FleetWatcher
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.masking import Masker
    from ensue.core.model.events import RunEvent
    from ensue.core.model.report import RunStatus
    from ensue.language.settings.settings import Settings
    from ensue.salt.fleet.shipped_files import ShippedFiles
    from ensue.store.registry.lock import Lock
    from ensue.store.runs.kept_fleet import ResumedFleet
    from ensue.store.stores import Stores


_KEPT_VERBS: Final = frozenset({"apply", "call"})
"""The orders whose frames minions keep until they are acknowledged; others are answered anew."""

_SHOWN_AS_THEY_ARE: Final = (RunStarted, ResourceRegistered, ResourceOrphaned)
"""Events that concern the minion alone, so that the journal of the whole run does not have them."""


class FleetRun:
    """One order to minions.

    Args:
        settings: the options of the project on the master.
        masker: the secrets of this process.
        order: what minions are asked for.
        stores: what the coordinator keeps: derived resources, and keys.
        resumed: the run that is resumed; None: a new one.
        lock: locks the minions of a run that changes something; None: nothing is locked.
    """

    def __init__(
        self,
        settings: Settings,
        masker: Masker,
        order: FleetOrder,
        stores: Stores,
        resumed: ResumedFleet | None = None,
        *,
        lock: Callable[[str, Sequence[str]], Awaitable[Lock]] | None = None,
    ) -> None:
        self._settings = settings
        self._masker = masker
        self._order = order
        self._stores = stores
        self._resumed = resumed
        self._lock = lock
        self._run_id = new_run_id(datetime.now(UTC))
        self._key = RunKey(resumed.kept.private_key if resumed else b"")
        # Minions know the run by the id that it had when its first job was published.
        self._minions_run_id = resumed.kept.wire["run_id"] if resumed else self._run_id
        self._admission = Admission(self._minions_run_id)
        self._numbers = Numbers()
        self._journal: JournalWriter | None = None
        self._journal_error: StoreError | None = None
        self._stopped = ""
        self._watcher: FleetWatcher | None = None

    async def go(self, watcher: FleetWatcher) -> FleetReport:
        """Execute the order.

        Args:
            watcher: sees what happens.

        Raises:
            ConfigurationError: Salt's master cannot be used, nothing can be shipped, a limit is neither a
                number nor a percentage, or an option does not reach minions; nothing was run.
            TargetSyntaxError: the target has a list without its sign, or resources.
            LockHeldError: another run works on one of the minions.
        """
        started = perf_counter()
        self._watcher = watcher
        refuse_bare_lists(self._order.tgt)
        refuse_resources(self._order.tgt)
        options = options_for_minions(self._settings)
        batch_portion = portion(self._order.batch, "batch")
        fail_portion = portion(self._order.fail_limit, "fail limit", least=0)
        master = await asyncio.to_thread(SaltMaster, master_config(self._settings))
        await asyncio.to_thread(master.require_running)
        minions = await self._minions(master)
        if not minions:
            return self._nothing_matched()
        with (
            await self._lock(self._run_id, minions) if self._lock else nullcontext(),
            await asyncio.to_thread(self._shipped_files, master) as shipped,
        ):
            wire = await asyncio.to_thread(self._wire, master, shipped, options)
            await self._begin(wire, minions)
            limit = fail_portion.of(len(minions)) if fail_portion is not None else None
            size = batch_portion.of(len(minions)) if batch_portion is not None else len(minions)
            return await self._carried_out(master, wire, minions, started, size=size, limit=limit)

    async def _carried_out(
        self,
        master: SaltMaster,
        wire: dict[str, Any],
        minions: Sequence[str],
        started: float,
        *,
        size: int,
        limit: int | None,
    ) -> FleetReport:
        status: RunStatus = "succeeded"
        done = JobsDone(KeptReports(), {}, limit)
        channel = MinionChannel(master, wire, self._admission.watch, self._asked_again)
        courier = Courier(channel)
        deadline = asyncio.get_running_loop().time() + deadline_s(self._settings)
        work = FleetWork(
            master,
            WorkSettings(wire=wire, key=self._key, silence_s=self._order.timeout_s, deadline=deadline),
            self._published,
            self._resumed.calls if self._resumed else {},
        )
        desk = ResourceDesk(self._stores.registry, courier.send, work.called, minions)
        exchange = Exchange(minions, courier.send, self._opened, desk.asked)
        try:
            with Bus(master.opts, self._admission) as bus:
                jobs = FleetJobs(
                    FleetWays(master, bus, channel, exchange, wire),
                    self._key,
                    JobsLimits(self._order.timeout_s, deadline, size),
                    publish=partial(self._publish, master, channel),
                    happened=self._happened,
                    ended=self._minion_ended,
                    done=done,
                )
                async with channel, desk, work:
                    self._stopped = await jobs.run(*self._asked_and_rest(minions))
        except asyncio.CancelledError:
            status = "interrupted"
        except ConfigurationError as error:
            # The master ended between two jobs.
            self._stopped = error.diagnostics[0].summary
        except StoreError as error:
            # Such as a full disk of this machine: minions go on, and wait for the run to be resumed.
            self._stopped = str(error)
            raise
        finally:
            reports = done.reports
            if status == "succeeded" and (reports.failed or reports.lack(minions)):
                status = "failed"
            if self._order.verb == "apply":
                self._let_go(exchange, status)
            await courier.end()
            ended = self._report(status, reports, minions, perf_counter() - started, courier.unsent)
            await self._end(ended)
        if not self._can_be_resumed(ended):
            await self._settle(channel, done.taken, work.taken)
        return ended

    def _let_go(self, exchange: Exchange, status: RunStatus) -> None:
        """Tell minions that wait for others that nothing comes any more, or not before the run is resumed."""
        if self._journal is None or self._order.test or not (status == "interrupted" or self._stopped):
            exchange.give_up(f"the coordinator has ended the run: {status}")
        else:
            exchange.pause(FLEET_RESUME_S)

    def _asked_again(self, minion: str) -> None:
        if self._order.verb not in _KEPT_VERBS:
            self._admission.expect_anew(minion)

    async def _minions(self, master: SaltMaster) -> Sequence[str]:
        if self._resumed is not None:
            return self._resumed.kept.minions
        return await asyncio.to_thread(master.matching, self._order.tgt)

    def _asked_and_rest(self, minions: Sequence[str]) -> tuple[Mapping[str, Sequence[str]], Sequence[str]]:
        """Return the minions of each job that was published, or was about to be, and the others."""
        published = self._resumed.jobs if self._resumed else {}
        asked = {minion for batch in published.values() for minion in batch}
        return published, [minion for minion in minions if minion not in asked]

    async def _publish(
        self, master: SaltMaster, channel: MinionChannel, known_jid: str, public_keys: Mapping[str, bytes]
    ) -> None:
        """Publish a job, or ask for the frames of one that was published by an earlier process."""
        if not public_keys:
            return
        jid = known_jid or await asyncio.to_thread(master.new_jid)
        self._admission.expect(jid, public_keys)
        channel.expect(jid, public_keys)
        await self._published(JobPublished(jid, tuple(public_keys)))
        if not known_jid:
            await channel.begin(self._order.tgt, jid, [*public_keys])
            return
        for minion in public_keys:
            channel.ask_again(minion, 0)

    async def _published(self, job: JobPublished) -> None:
        """Record a job before it is published."""
        self._of_run(job)
        if self._journal is not None:
            await self._journal.recorded()

    async def _settle(
        self, channel: MinionChannel, taken: Mapping[str, int], work: Mapping[str, Mapping[str, int]]
    ) -> None:
        """Let minions forget what is in the journal, and forget what only a resumed run needs."""
        if self._order.verb in _KEPT_VERBS:
            with suppress(ConfigurationError):  # Minions forget frames by themselves, later.
                await channel.acknowledge(taken, work)
        for run_id in (self._run_id, *(self._resumed.chain if self._resumed else ())):
            await asyncio.to_thread(forget_fleet, self._settings.cachedir, run_id)

    def _can_be_resumed(self, report: FleetReport) -> bool:
        return self._journal is not None and (report.status == "interrupted" or bool(self._stopped))

    def _shipped_files(self, master: SaltMaster) -> ShippedFiles:
        """Return what minions fetch; a resumed run goes on with the claim of the run before."""
        is_kept = self._order.verb == "apply" and not self._order.test
        kept = fleet_path(self._settings.cachedir, self._minions_run_id) if is_kept else None
        return master.shipped_files(self._minions_run_id, kept, self._stores.waits)

    def _wire(self, master: SaltMaster, shipped: ShippedFiles, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the order as minions get it; a resumed run has that of the run before."""
        if self._resumed is not None:
            return self._resumed.kept.wire
        return shipped_order(
            master, shipped, self._order, self._run_id, public_key=self._key.public, options=options
        )

    def _opened(self, minion: str, tag: str, sealed: bytes) -> bytes:
        """Return what a minion holds of a state's return, which it has sealed for this run."""
        return self._key.opened(sealed, held_name(self._minions_run_id, minion, tag))

    def _happened(self, minion: str, event: RunEvent) -> None:
        if isinstance(event, RunStarted):
            self._numbers.restart(minion)
        if (renamed := event_of_run(event, minion, self._numbers)) is not None:
            self._write(renamed)
        shown = event if isinstance(event, _SHOWN_AS_THEY_ARE) else renamed
        if self._watcher is not None and shown is not None:
            self._watcher.of_minion(minion, shown)

    def _minion_ended(self, report: MinionReport) -> None:
        self._numbers.forget(report.id)
        if self._watcher is not None:
            self._watcher.ended(report)

    def _of_run(self, event: RunEvent) -> None:
        """Record and show an event of the run as a whole."""
        self._write(event)
        if self._watcher is not None:
            self._watcher.of_minion("", event)

    def _write(self, event: RunEvent) -> None:
        if self._journal_error is not None:
            raise self._journal_error
        if self._journal is not None:
            self._journal.write(event)

    async def _begin(self, wire: dict[str, Any], minions: Sequence[str]) -> None:
        """Create the journal, which only an apply has, with the beginning of the run."""
        if self._order.verb != "apply":
            return
        self._stores.begin_run(self._run_id)
        if not self._order.test:
            kept = KeptFleet(
                order=self._order, wire=wire, minions=tuple(minions), private_key=self._key.private
            )
            await asyncio.to_thread(
                keep_fleet, self._settings.cachedir, self._run_id, kept, self._stores.lazy_vault
            )
        create = partial(
            Journal.create,
            self._settings.cachedir,
            self._run_id,
            masker=self._masker,
            resumes=self._resumed.chain if self._resumed else (),
        )
        self._journal = await JournalWriter.open(create, self._note_error)
        self._of_run(
            RunStarted(
                run_id=self._run_id,
                test=self._order.test,
                total=0,
                started_at=_now(),
                mods=self._order.mods,
                minion_id=self._settings.minion_id,
                tgt=self._order.tgt,
                fleet="salt",
                resumes=self._resumed.run_id if self._resumed else "",
            )
        )
        await self._journal.recorded()

    def _note_error(self, error: StoreError) -> None:
        self._journal_error = error

    async def _end(self, report: FleetReport) -> None:
        if self._journal is None:
            return
        self._of_run(
            RunFinished(self._run_id, report.status, report.exit_code, _now(), stopped=self._stopped)
        )
        await self._journal.close()

    def _report(
        self,
        status: RunStatus,
        reports: KeptReports,
        minions: Sequence[str],
        duration_s: float,
        unsent: Sequence[Diagnostic] = (),
    ) -> FleetReport:
        return FleetReport(
            run_id=self._run_id,
            test=self._order.test,
            status=status,
            exit_code={"succeeded": 0, "failed": 2, "interrupted": 130}[status],
            minions=reports.by_id,
            not_asked=reports.lack(minions),
            warnings=(
                *refused_frames(self._admission.refused),
                *stopped_run(self._stopped, self._run_id if self._journal is not None else ""),
                *unsent,
            ),
            duration_s=duration_s,
        )

    def _nothing_matched(self) -> FleetReport:
        warning = nothing_matched(self._masker.text(self._order.tgt))
        report = self._report("failed", KeptReports(), (), 0.0)
        return msgspec.structs.replace(report, warnings=(warning,))


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="microseconds")
