"""The derived resources of a run over minions, at its coordinator: answers what minions ask about them.

The coordinator's registry has what all minions have registered, each resource with the minion that manages
it. Its configuration is encrypted there, and no other minion gets it: a state of another minion is called by
the minion that manages the resource.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final, assert_never

from ensue.core.errors import ResourceConflictError, ResourceError, StoreError
from ensue.core.model.resource import RegistrationRequest
from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.salt.fleet.resource_messages import (
    MOST_RESOURCES,
    CallOn,
    FindResources,
    ResourceAnswer,
    ResourceAsked,
    Share,
    SharedResource,
    Withdraw,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable
    from types import TracebackType
    from typing import Any, Self

    from ensue.core.model.resource_call import ResourceCall
    from ensue.salt.fleet.resource_messages import Worked
    from ensue.salt.fleet.value_messages import Handed
    from ensue.store.registry.registry import ResourceRegistry

_MOST_PENDING: Final = 1000
"""The most questions of one minion that may wait for their answers."""


class ResourceDesk:
    """Answers the questions of minions about resources. An async context manager.

    What changes or reads the registry is done in the order in which it is asked for; calls run beside that.

    Args:
        registry: opens the registry of the project; called in a thread.
        send: sends a message to a minion, and calls a function when it is sent.
        called: has a call carried out by the minion that manages the resource.
        minions: the minions of the run, whose ids no resource can have.
    """

    def __init__(
        self,
        registry: Callable[[], ResourceRegistry],
        send: Callable[[str, Handed, Callable[[], None]], None],
        called: Callable[[str, str, ResourceCall], Awaitable[Worked]],
        minions: Iterable[str],
    ) -> None:
        self._minions = frozenset(minions)
        self._registry = registry
        self._send = send
        self._called = called
        self._questions: asyncio.Queue[tuple[str, ResourceAsked]] = asyncio.Queue()
        self._pending: dict[str, set[str]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        # A failure that is no answer ends the run, so that no minion waits for an answer that never comes.
        self._group = asyncio.TaskGroup()

    async def __aenter__(self) -> Self:
        """Begin to answer."""
        await self._group.__aenter__()
        self._keep(self._answer_in_order())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Answer nothing more."""
        for task in self._tasks:
            task.cancel()
        try:
            await self._group.__aexit__(kind, error, at)
        except BaseExceptionGroup as failures:
            # The first one ended the run; the caller decides by its class what becomes of it.
            raise failures.exceptions[0] from None

    def asked(self, minion: str, asked: ResourceAsked) -> None:
        """Take a question, which is answered later.

        Raises:
            ValueError: the minion asks too much at a time.
        """
        pending = self._pending.setdefault(minion, set())
        if asked.id in pending:
            return
        if len(pending) >= _MOST_PENDING:
            msg = f"it asks more than {_MOST_PENDING} questions at a time"
            raise ValueError(msg)
        pending.add(asked.id)
        self._questions.put_nowait((minion, asked))

    def _keep(self, answering: Coroutine[Any, Any, None]) -> None:
        task = self._group.create_task(answering)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer_in_order(self) -> None:
        while True:
            minion, asked = await self._questions.get()
            answering = self._answer(minion, asked)
            if isinstance(asked.question, CallOn):
                self._keep(answering)
            else:
                await answering

    async def _answer(self, minion: str, asked: ResourceAsked) -> None:
        try:
            answer = await self._answered(minion, asked)
        except (ResourceError, ValueError) as error:
            answer = ResourceAnswer(id=asked.id, problem=str(error), is_conflict=True)
        except StoreError as error:
            answer = ResourceAnswer(id=asked.id, problem=f"the coordinator's registry: {error}")
        # Until its answer is sent it counts as a question, so that few answers wait in memory.
        self._send(minion, answer, partial(self._pending[minion].discard, asked.id))

    async def _answered(self, minion: str, asked: ResourceAsked) -> ResourceAnswer:
        question = asked.question
        match question:
            case Share(resources=resources):
                await asyncio.to_thread(self._share, minion, resources)
                return ResourceAnswer(id=asked.id)
            case Withdraw():
                await asyncio.to_thread(self._withdraw, minion, question)
                return ResourceAnswer(id=asked.id)
            case FindResources():
                return ResourceAnswer(id=asked.id, resources=await asyncio.to_thread(self._of_others, minion))
            case CallOn():
                return await self._call(asked.id, question)
            case _ as never:
                assert_never(never)

    def _share(self, minion: str, resources: tuple[SharedResource, ...]) -> None:
        requests = [_request(minion, resource) for resource in resources]
        if taken := next((request.srn for request in requests if request.srn.id in self._minions), None):
            msg = f"E0702: {taken} cannot be registered: a minion of this run has its id"
            raise ResourceConflictError(f"{msg} (choose another id)")
        self._registry().register_many(requests)

    def _withdraw(self, minion: str, question: Withdraw) -> None:
        srns = [Srn.parse(name) for name in question.srns]
        self._registry().withdraw(srns, minion=minion, how=question.how, reason=question.reason)

    def _of_others(self, minion: str) -> dict[str, tuple[str, ...]]:
        """Return the names of the active resources that other minions manage."""
        names: dict[str, list[str]] = {}
        count = 0
        for record in self._registry().records():
            (manager,) = record.managing_minions
            if record.status == "active" and manager != minion:
                names.setdefault(manager, []).append(str(record.srn))
                count += 1
        if count > MOST_RESOURCES:
            msg = f"other minions manage {count} resources; a target over minions takes {MOST_RESOURCES}"
            raise ValueError(msg)
        return {manager: tuple(of_manager) for manager, of_manager in names.items()}

    async def _call(self, question: str, asked: CallOn) -> ResourceAnswer:
        srn = Srn.parse(asked.call.srn)
        record = await asyncio.to_thread(lambda: self._registry().record(srn))
        if record is None or record.status != "active" or asked.minion not in record.managing_minions:
            return ResourceAnswer(id=question, problem=f"{asked.minion} does not manage {srn} any more")
        worked = await self._called(asked.minion, question, asked.call)
        return ResourceAnswer(id=question, problem=worked.problem, returned=worked.returned)


def _request(minion: str, resource: SharedResource) -> RegistrationRequest:
    """Return what a minion registers.

    Raises:
        ValueError: its name is malformed, or it is a minion.
    """
    srn = Srn.parse(resource.srn)
    if srn.type == MINION_TYPE:
        msg = f"{srn} cannot be registered over minions, whose ids are those of Salt"
        raise ValueError(msg)
    return RegistrationRequest(
        srn=srn,
        config=resource.config,
        source=Srn.parse(resource.source) if resource.source else None,
        ttl_s=resource.ttl_s,
        declared_by=resource.declared_by,
        minion=minion,
    )
