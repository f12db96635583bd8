"""One run over many minions of a Salt master: publish jobs, collect what minions report, write one journal.

Each minion compiles and runs its own scope with the ensue that is shipped to it. This process owns the run:
its journal, its lock, its batches and its exit code.
"""

from __future__ import annotations

import asyncio
import base64
from datetime import UTC, datetime
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.app.fleet_channel import MinionChannel
from ensue.app.fleet_collection import Collection
from ensue.app.fleet_courier import Courier
from ensue.core.contracts.deadlines import FLEET_RUN_S
from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import ConfigurationError
from ensue.core.model.data import is_mapping
from ensue.core.model.events import JobPublished, RunFinished, RunStarted
from ensue.core.model.fleet import FleetOrder, FleetReport, MinionReport
from ensue.language.settings.minion_options import options_for_minions
from ensue.language.targeting.bare_lists import refuse_bare_lists
from ensue.language.targeting.batch import Portion
from ensue.salt.fleet.admission import Admission, rsa_key
from ensue.salt.fleet.bundle import FOLDER, abi, shipped_program, shipped_relay, shipped_tree
from ensue.salt.fleet.bus import Bus
from ensue.salt.fleet.exchange import Exchange
from ensue.salt.fleet.master import SaltMaster
from ensue.salt.fleet.renaming import Numbers, event_of_run
from ensue.salt.fleet.sealing import RunKey
from ensue.salt.fleet.value_messages import held_name
from ensue.store.runs.journal import Journal, new_run_id
from ensue.store.runs.journal_writer import JournalWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.errors import StoreError
    from ensue.core.masking import Masker
    from ensue.core.model.events import RunEvent
    from ensue.core.model.report import RunStatus
    from ensue.language.settings.settings import Settings

_BEATS: Final = 4
"""How many signs of life a minion gives in the time after which it counts as silent."""


class FleetRun:
    """One order to minions.

    Args:
        settings: the options of the project on the master.
        masker: the secrets of this process.
        order: what minions are asked for.
    """

    def __init__(self, settings: Settings, masker: Masker, order: FleetOrder) -> None:
        self._settings = settings
        self._masker = masker
        self._order = order
        self._key = RunKey()
        self._run_id = new_run_id(datetime.now(UTC))
        self._admission = Admission(self._run_id)
        self._numbers = Numbers()
        self._journal: JournalWriter | None = None
        self._journal_error: StoreError | None = None

    async def go(self, on_minion: Callable[[MinionReport], None]) -> FleetReport:
        """Execute the order.

        Args:
            on_minion: called with the report of each minion when it has ended.

        Raises:
            ConfigurationError: Salt's master cannot be used, nothing can be shipped, a limit is neither a
                number nor a percentage, or an option does not reach minions; nothing was run.
            TargetSyntaxError: the target has a list without its sign.
        """
        started = perf_counter()
        refuse_bare_lists(self._order.tgt)
        options = options_for_minions(self._settings)
        batch_portion = _portion(self._order.batch, "batch")
        fail_portion = _portion(self._order.fail_limit, "fail limit", least=0)
        master = await asyncio.to_thread(SaltMaster, _config(self._settings))
        await asyncio.to_thread(master.require_running)
        minions = await asyncio.to_thread(master.matching, self._order.tgt)
        if not minions:
            return self._nothing_matched()
        batches = _batches(minions, batch_portion)
        limit = fail_portion.of(len(minions)) if fail_portion is not None else None
        wire = await asyncio.to_thread(self._shipped, master, options)
        await self._begin()
        courier = Courier(MinionChannel(master, wire["parts"], self._run_id))
        exchange = Exchange(minions, courier.send, self._opened)
        reports: list[MinionReport] = []
        status: RunStatus = "succeeded"
        deadline = asyncio.get_running_loop().time() + _deadline_s(self._settings)
        try:
            with Bus(master.opts, self._admission) as bus:
                for batch in batches:
                    known, unknown = await asyncio.to_thread(_with_keys, master, batch)
                    reports += unknown
                    exchange.expect(batch)
                    for report in unknown:
                        exchange.ended(report.id, report.problem)
                        on_minion(report)
                    collection = Collection(
                        self._key,
                        [*known],
                        self._order.timeout_s,
                        deadline,
                        self._happened,
                        exchange=exchange,
                    )
                    try:
                        wire["remaining_s"] = deadline - asyncio.get_running_loop().time()
                        await self._publish(master, courier.channel, wire, known)
                        async for report in collection.reports(bus):
                            reports.append(report)
                            on_minion(report)
                    except asyncio.CancelledError:
                        reports += collection.interrupted()
                        raise
                    too_many = limit is not None and sum(not one.ok for one in reports) > limit
                    if too_many or collection.is_over:
                        break
        except asyncio.CancelledError:
            status = "interrupted"
        finally:
            if status == "succeeded" and not (
                len(reports) == len(minions) and all(one.ok for one in reports)
            ):
                status = "failed"
            if self._order.verb == "apply":
                exchange.give_up(f"the coordinator has ended the run: {status}")
            await courier.end()
            ended = self._report(status, reports, minions, perf_counter() - started, courier.faults)
            await self._end(ended)
        return ended

    async def _publish(
        self,
        master: SaltMaster,
        channel: MinionChannel,
        wire: dict[str, Any],
        public_keys: Mapping[str, bytes],
    ) -> None:
        if not public_keys:
            return
        jid = await asyncio.to_thread(master.new_jid)
        self._admission.expect(jid, public_keys)
        channel.expect(jid, public_keys)
        self._write(JobPublished(jid, tuple(public_keys)))
        if self._journal is not None:
            await self._journal.recorded()
        order, minions = {**wire, "jid": jid}, [*public_keys]
        await asyncio.to_thread(master.publish, self._order.tgt, minions, wire["parts"]["relay"], order, jid)

    def _shipped(self, master: SaltMaster, options: Mapping[str, Any]) -> dict[str, Any]:
        """Put below the master's file roots what minions fetch; return the order as they get it."""
        folder = master.shipping_folder()
        order = self._order
        wire: dict[str, Any] = {
            "run_id": self._run_id,
            "verb": order.verb,
            "key": base64.b64encode(self._key.public).decode(),
            "beat_s": order.timeout_s / _BEATS,
            "mods": list(order.mods),
            "test": order.test,
            "concurrency": order.concurrency,
            "failhard": order.failhard,
            "function": order.function,
            "args": list(order.args),
            "kwargs": dict(order.kwargs),
            "options": {
                **master.options(),
                **options,
                **({"saltenv": order.saltenv} if order.saltenv else {}),
            },
            "tree": "",
            "environments": {},
        }
        try:
            wire["bundles"] = {abi(): f"{FOLDER}/{shipped_program(folder)}"}
            if order.verb in {"apply", "call"}:
                tree, wire["environments"] = shipped_tree(folder, master.roots)
                wire["tree"] = f"{FOLDER}/{tree}"
            wire["parts"] = {part: f"{FOLDER}/{name}" for part, name in shipped_relay(folder).items()}
        except OSError as error:
            problem = Diagnostic(
                code="E0847",
                summary=f"ensue cannot be shipped to minions: {error.filename}: {error.strerror}",
                help="run ensue as the user of the master, and let that user write to the first file root",
            )
            raise ConfigurationError([problem]) from error
        return wire

    def _opened(self, minion: str, tag: str, sealed: bytes) -> bytes:
        """Return what a minion holds of a state's return, which it has sealed for this run."""
        return self._key.opened(sealed, held_name(self._run_id, minion, tag))

    def _happened(self, minion: str, event: RunEvent) -> None:
        if (renamed := event_of_run(event, minion, self._numbers)) is not None:
            self._write(renamed)

    def _write(self, event: RunEvent) -> None:
        if self._journal_error is not None:
            raise self._journal_error
        if self._journal is not None:
            self._journal.write(event)

    async def _begin(self) -> None:
        """Create the journal, which only an apply has, with the beginning of the run."""
        if self._order.verb != "apply":
            return
        create = partial(Journal.create, self._settings.cachedir, self._run_id, masker=self._masker)
        self._journal = await JournalWriter.open(create, self._note_error)
        self._write(
            RunStarted(
                run_id=self._run_id,
                test=self._order.test,
                total=0,
                started_at=_now(),
                mods=self._order.mods,
                minion_id=self._settings.minion_id,
                tgt=self._order.tgt,
                fleet="salt",
            )
        )
        await self._journal.recorded()

    def _note_error(self, error: StoreError) -> None:
        self._journal_error = error

    async def _end(self, report: FleetReport) -> None:
        self._write(RunFinished(self._run_id, report.status, report.exit_code, _now()))
        if self._journal is not None:
            await self._journal.close()

    def _report(
        self,
        status: RunStatus,
        reports: Sequence[MinionReport],
        minions: Sequence[str],
        duration_s: float,
        faults: Sequence[Diagnostic] = (),
    ) -> FleetReport:
        asked = {one.id for one in reports}
        return FleetReport(
            run_id=self._run_id,
            test=self._order.test,
            status=status,
            exit_code={"succeeded": 0, "failed": 2, "interrupted": 130}[status],
            minions=tuple(sorted(reports, key=lambda one: one.id)),
            not_asked=tuple(one for one in minions if one not in asked),
            warnings=(*_refused(self._admission.refused), *faults),
            duration_s=duration_s,
        )

    def _nothing_matched(self) -> FleetReport:
        warning = Diagnostic(
            code="E0845",
            summary=f"no minion matches {self._masker.text(self._order.tgt)!r}",
            detail="Salt's master knows no accepted minion of that kind",
            help="`salt-key -L` lists minions; grains and pillar are matched as the master cached them",
        )
        report = self._report("failed", (), (), 0.0)
        return msgspec.structs.replace(report, warnings=(warning,))


def _config(settings: Settings) -> str | None:
    given = settings.option("fleet")
    path = given.get("config") if is_mapping(given) else None
    return str(settings.root / str(path)) if path else None


def _deadline_s(settings: Settings) -> float:
    given = settings.option("fleet")
    return float(given.get("deadline_s", FLEET_RUN_S)) if is_mapping(given) else FLEET_RUN_S


def _with_keys(master: SaltMaster, batch: Sequence[str]) -> tuple[dict[str, bytes], list[MinionReport]]:
    """Return the accepted keys of minions, and reports of the minions that have none."""
    known: dict[str, bytes] = {}
    unknown: list[MinionReport] = []
    for minion in batch:
        pem = master.accepted_key(minion)
        try:
            rsa_key(pem)
        except ValueError as error:
            problem = f"the master has no accepted key to check its reports with: {error}"
            unknown.append(MinionReport(id=minion, problem=problem, ok=False))
        else:
            known[minion] = pem
    return known, unknown


def _refused(counts: Mapping[str, int]) -> Iterator[Diagnostic]:
    """Yield a warning for each sender of frames that are not its own."""
    for sender, count in sorted(counts.items()):
        frames = "1 frame that is" if count == 1 else f"{count} frames that are"
        yield Diagnostic(
            code="E0875",
            summary=f"minion {sender} sent {frames} not its own"
            if sender
            else f"somebody who is no minion of this run sent {frames} no minion's own",
            detail="each was refused: no minion of this run signed it for its job; Salt names the sender",
            help="look at what runs on that machine: ensue sends no such frames",
            severity=Severity.WARNING,
        )


def _portion(text: str | None, what: str, *, least: int = 1) -> Portion | None:
    return None if text is None else Portion.parse(text, what, least=least)


def _batches(minions: Sequence[str], portion: Portion | None) -> Iterator[Sequence[str]]:
    size = len(minions) if portion is None else portion.of(len(minions))
    for at in range(0, len(minions), size):
        yield minions[at : at + size]


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="microseconds")
