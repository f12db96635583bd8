"""The derived resources of the other minions, as a minion of a run over minions asks for them.

Nothing about them is kept here for longer than a state needs it: each target is matched with what the
coordinator knows at that moment, so that what was registered before is seen.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import RemoteTimeoutError, ResourceConflictError, UnreachableError
from ensue.core.model.srn import Srn
from ensue.engine.promise import Promise
from ensue.salt.fleet.resource_messages import (
    ANSWERED,
    MOST_CALL_BYTES,
    CallOn,
    FindResources,
    ResourceAnswer,
    ResourceAsked,
    Share,
    SharedResource,
    Withdraw,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.other_resources import Withdrawal
    from ensue.core.model.resource import RegistrationRequest
    from ensue.core.model.resource_call import ResourceCall, ResourceReturn
    from ensue.salt.fleet.frames import Message
    from ensue.salt.fleet.resource_messages import Question

_ID_BYTES: Final = 12


class FleetResources:
    """Implements `OtherResources` for the run of one minion.

    Args:
        tell: sends a message to the coordinator.
        deadline: when the run is over, on the loop's clock.
    """

    def __init__(self, tell: Callable[[Message], None], deadline: float) -> None:
        self._tell = tell
        self._deadline = deadline
        self._answers: dict[str, Promise[ResourceAnswer]] = {}
        self._managing: dict[Srn, str] = {}
        self._managers: dict[str, str] = {}
        self._over = ""

    @property
    def handlers(self) -> dict[str, Callable[[Any], None]]:
        """What reads the coordinator's messages, by kind."""
        return {ANSWERED: self._on_answered}

    def manages(self, srn: Srn) -> bool:
        """Return whether states on a resource are called by another minion, which manages it."""
        return srn in self._managing

    async def look(self) -> Mapping[str, Sequence[Srn]]:
        """Return the resources that can be targeted now, by the minion that manages them.

        Raises:
            RemoteError: the coordinator does not answer.
        """
        answer = await self._answer(FindResources())
        by_minion = {
            minion: [Srn.parse(name) for name in names] for minion, names in answer.resources.items()
        }
        self._managers = {
            name: minion for minion, srns in by_minion.items() for srn in srns for name in (str(srn), srn.id)
        }
        return by_minion

    def manager(self, name: str) -> str:
        """Return the minion that managed a resource at the last `look`; see `OtherResources`."""
        return self._managers.get(name, "")

    def assign(self, managing: Mapping[Srn, str]) -> None:
        """Have states on resources called by the minions that manage them; see `OtherResources`."""
        self._managing |= managing

    async def share(self, requests: Sequence[RegistrationRequest]) -> None:
        """Register resources with the coordinator; see `OtherResources`."""
        resources = tuple(
            SharedResource(
                srn=str(request.srn),
                config=dict(request.config),
                source=str(request.source or ""),
                ttl_s=request.ttl_s,
                declared_by=request.declared_by,
            )
            for request in requests
        )
        await self._answer(Share(resources))

    async def withdraw(self, srns: Sequence[Srn], how: Withdrawal, reason: str) -> None:
        """Tell the coordinator that resources can no longer be targeted; see `OtherResources`."""
        await self._answer(Withdraw(tuple(map(str, srns)), how, reason))

    async def called(self, call: ResourceCall) -> ResourceReturn:
        """Have a state called by the minion that manages its resource; see `CallsElsewhere`."""
        minion = self._managing[Srn.parse(call.srn)]
        question = CallOn(minion, call)
        if len(msgspec.json.encode(question, enc_hook=str)) > MOST_CALL_BYTES:
            message = f"the arguments of a call on {call.srn} have more than {MOST_CALL_BYTES >> 10} KiB"
            raise UnreachableError(f"{message}, which cannot be sent to {minion}", target=call.srn)
        answer = await self._answer(question, target=call.srn)
        if answer.returned is None:
            raise UnreachableError(f"{minion}, which manages {call.srn}, did not answer", target=call.srn)
        return answer.returned

    def end(self, why: str) -> None:
        """Let nothing wait any longer: the coordinator has ended the run.

        Args:
            why: why.
        """
        self._over = why
        for question, promise in self._answers.items():
            if not promise.done:
                promise.resolve(ResourceAnswer(id=question, problem=why))

    async def _answer(self, question: Question, target: str = "") -> ResourceAnswer:
        """Ask the coordinator, and return its answer.

        Raises:
            ResourceConflictError: it refuses what it was asked for.
            RemoteError: it does not answer.
        """
        if self._over:
            raise UnreachableError(self._over, target=target)
        name = secrets.token_hex(_ID_BYTES)
        promise = self._answers[name] = Promise[ResourceAnswer]()
        # Values that are no data, such as dates, travel as text, as they do to other minions.
        self._tell(ResourceAsked(name, msgspec.convert(_plain(question), type(question))))
        try:
            async with asyncio.timeout_at(self._deadline):
                answer = await promise.wait()
        except TimeoutError:
            message = "the coordinator had not answered at the deadline of the run"
            raise RemoteTimeoutError(message, target=target) from None
        finally:
            self._answers.pop(name, None)
        if answer.is_conflict:
            raise ResourceConflictError(answer.problem)
        if answer.problem:
            raise UnreachableError(answer.problem, target=target)
        return answer

    def _on_answered(self, content: Any) -> None:
        answer = msgspec.convert(content, ResourceAnswer)
        promise = self._answers.get(answer.id)
        if promise is not None and not promise.done:
            promise.resolve(answer)


def _plain(question: Question) -> Any:
    return msgspec.json.decode(msgspec.json.encode(question, enc_hook=str))
