"""Has minions call states on their resources for other minions, through jobs of Salt, at the coordinator.

One job at a time is published for each managing minion, with all calls that wait for it, sealed for that
minion alone. The id of a job is in the journal, with the calls that it has, before it is published; a resumed
run asks for the reports of such a job, so that no call is made twice.
"""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any, Self

import msgspec

from ensue.core.errors import ConfigurationError
from ensue.core.model.events import JobPublished
from ensue.salt.fleet.admission import Admission, rsa_key
from ensue.salt.fleet.batches import with_keys
from ensue.salt.fleet.bus import Bus
from ensue.salt.fleet.channel import MinionChannel
from ensue.salt.fleet.collection import Collection
from ensue.salt.fleet.resource_messages import ResourceWork, Worked
from ensue.salt.fleet.sealing import sealed_for
from ensue.salt.fleet.signing import message_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from ensue.core.model.events import FannedOut
    from ensue.core.model.resource_call import ResourceCall
    from ensue.core.model.returns import Return
    from ensue.salt.fleet.master import SaltMaster
    from ensue.salt.fleet.packed_run import PackedRun
    from ensue.salt.fleet.resource_messages import ResourceMessage
    from ensue.salt.fleet.sealing import RunKey
    from ensue.salt.fleet.value_messages import ValueMessage


class WorkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What all jobs of one run have in common.

    Args:
        wire: the order of the run, as minions get it.
        key: the key that frames are sealed for.
        silence_s: how long a minion may be silent.
        deadline: when the run is over, on the loop's clock.
    """

    wire: Mapping[str, Any]
    key: RunKey
    silence_s: float
    deadline: float


class FleetWork:
    """The calls of one run on resources. An async context manager, which ends all waits for them.

    Args:
        master: the master.
        settings: what its jobs have in common.
        published: records a job in the journal before it is published.
        known: the jobs that earlier processes of the run have published, by call.

    Attributes:
        taken: how many frames of each job were taken, by minion and job.
    """

    def __init__(
        self,
        master: SaltMaster,
        settings: WorkSettings,
        published: Callable[[JobPublished], Awaitable[None]],
        known: Mapping[str, str],
    ) -> None:
        self._master = master
        self._settings = settings
        self._published = published
        self._known = dict(known)
        self.taken: dict[str, dict[str, int]] = {}
        self._calls: dict[str, dict[str, tuple[ResourceCall, asyncio.Future[Worked]]]] = {}
        self._working: dict[str, asyncio.Task[None]] = {}

    async def called(self, minion: str, question: str, call: ResourceCall) -> Worked:
        """Have a call carried out by the minion that manages its resource, and return the outcome.

        Args:
            minion: the minion that manages the resource.
            question: identifies the call in the run.
            call: the call.
        """
        future: asyncio.Future[Worked] = asyncio.get_running_loop().create_future()
        self._calls.setdefault(minion, {})[question] = (call, future)
        if minion not in self._working:
            self._working[minion] = asyncio.create_task(self._work(minion))
        return await future

    async def __aenter__(self) -> Self:
        """Return this."""
        return self

    async def __aexit__(self, *failure: object) -> None:
        """Wait for no call any longer."""
        tasks = [*self._working.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _work(self, minion: str) -> None:
        """Carry out the calls on a minion's resources until none waits."""
        try:
            while calls := self._calls.pop(minion, {}):
                for known_jid, together in self._by_job(calls).items():
                    await self._job(minion, known_jid, together)
        finally:
            del self._working[minion]

    def _by_job(self, calls: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return calls by the job that was published for them; those of none have an empty id."""
        jobs: dict[str, dict[str, Any]] = {}
        for question, call in calls.items():
            jobs.setdefault(self._known.pop(question, ""), {})[question] = call
        return jobs

    async def _job(
        self,
        minion: str,
        known_jid: str,
        calls: Mapping[str, tuple[ResourceCall, asyncio.Future[Worked]]],
    ) -> None:
        try:
            worked, problem = await self._worked(
                minion, known_jid, {question: call for question, (call, _) in calls.items()}
            )
        except ConfigurationError as error:
            worked, problem = {}, error.diagnostics[0].summary
        except Exception as error:  # noqa: BLE001 -- raised where the calls are awaited, which ends the run
            for _, future in calls.values():
                if not future.done():
                    future.set_exception(error)
            return
        for question, (call, future) in calls.items():
            if future.done():
                continue
            if question in worked:
                future.set_result(worked[question])
            elif known_jid and not problem:
                # The process that had the call was killed before it began, and so was the coordinator.
                self._calls.setdefault(minion, {})[question] = (call, future)
            else:
                why = f"{minion}, which manages {call.srn}, has not called the state"
                future.set_result(Worked(question, problem=f"{why}: {problem or 'it has ended'}"))

    async def _worked(
        self, minion: str, known_jid: str, calls: Mapping[str, ResourceCall]
    ) -> tuple[dict[str, Worked], str]:
        """Publish a job, or ask for the reports of one; return the calls that have ended, and its problem."""
        settings = self._settings
        jid = known_jid or await asyncio.to_thread(self._master.new_jid)
        keys, unknown = await asyncio.to_thread(with_keys, self._master, [minion])
        if unknown:
            return {}, unknown[0].problem
        pem = keys[minion]
        run_id = f"{settings.wire['run_id']}.{jid}"
        content = msgspec.json.encode(ResourceWork(dict(calls)))
        sealed = sealed_for(rsa_key(pem), content, message_name(run_id, jid, minion, "work"))
        wire = {
            **settings.wire,
            "run_id": run_id,
            "verb": "work",
            "sealed": base64.b64encode(sealed).decode(),
        }
        admission, answers = Admission(run_id), _Answers()
        admission.expect(jid, {minion: pem})
        channel = MinionChannel(self._master, wire, admission.watch)
        channel.expect(jid, {minion: pem})
        if not known_jid:
            await self._published(JobPublished(jid, (minion,), calls=tuple(calls)))
        with Bus(self._master.opts, admission) as bus:
            async with channel:
                collection = Collection(
                    settings.key,
                    [minion],
                    settings.silence_s,
                    settings.deadline,
                    lambda _minion, _event: None,
                    exchange=answers,
                    ask_again=channel.ask_again,
                )
                if known_jid:
                    channel.ask_again(minion, 0)
                else:
                    await channel.begin("*", jid, [minion])
                reports = [report async for report in collection.reports(bus)]
        if minion in collection.taken:
            self.taken.setdefault(minion, {})[jid] = collection.taken[minion]
        return answers.worked, reports[0].problem if reports else ""


class _Answers:
    """Takes the answers of one job, in place of an exchange: nothing else of it concerns other minions."""

    def __init__(self) -> None:
        self.worked: dict[str, Worked] = {}

    def heard(self, minion: str, message: ValueMessage | ResourceMessage) -> None:  # noqa: ARG002 -- the contract's
        """Take an answer."""
        if isinstance(message, Worked):
            self.worked[message.id] = message

    def returned(self, minion: str, returned: Return) -> None:
        """Ignore the return of a state."""

    def fanned_out(self, minion: str, event: FannedOut) -> None:
        """Ignore the states that take the place of one."""

    def packed(self, minion: str, run: PackedRun) -> None:
        """Ignore the events."""

    def ended(self, minion: str, problem: str, unended: Mapping[str, Return] | None = None) -> None:
        """Ignore the end."""

    def needs(self, minion: str) -> Iterator[str]:  # noqa: ARG002 -- the contract's
        """Return nothing."""
        return iter(())

    def is_asked(self, minion: str) -> bool:  # noqa: ARG002 -- the contract's
        """Return False: no other minion has a part in the job."""
        return False
