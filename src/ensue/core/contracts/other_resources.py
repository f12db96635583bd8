"""The derived resources of a run over minions, which the coordinator of the run keeps for all of them.

A minion that registers a resource manages it. The others know its name, and ask the minion that manages it to
call states on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.model.resource import RegistrationRequest
    from ensue.core.model.resource_call import ResourceCall, ResourceReturn
    from ensue.core.model.srn import Srn

Withdrawal = Literal["invalidated", "orphaned", "forgotten"]
"""What has happened to a resource that can no longer be targeted."""


class CallsElsewhere(Protocol):
    """Calls states on resources that other minions manage, as the engine sees them."""

    def manages(self, srn: Srn) -> bool:
        """Return whether states on a resource are called by another minion, which manages it."""
        ...

    async def called(self, call: ResourceCall) -> ResourceReturn:
        """Have a state called by the minion that manages its resource.

        Raises:
            RemoteError: that minion does not answer, or cannot carry out the call.
        """
        ...


class OtherResources(CallsElsewhere, Protocol):
    """The resources of the other minions of a run."""

    async def look(self) -> Mapping[str, Sequence[Srn]]:
        """Return the resources that can be targeted now, by the minion that manages them.

        Raises:
            RemoteError: the coordinator does not answer.
        """
        ...

    def manager(self, name: str) -> str:
        """Return the minion that managed a resource when `look` was last called; empty: no other minion.

        Args:
            name: the resource's name, or its id alone.
        """
        ...

    def assign(self, managing: Mapping[Srn, str]) -> None:
        """Have states on resources called by the minions that manage them.

        Args:
            managing: the minion of each resource, none of which this minion has itself.
        """
        ...

    async def share(self, requests: Sequence[RegistrationRequest]) -> None:
        """Register resources with the coordinator; states that start later on other minions see them.

        Raises:
            ResourceError: another minion manages one of them with another configuration, or one has an id
                that is taken; nothing is registered.
            RemoteError: the coordinator does not answer.
        """
        ...

    async def withdraw(self, srns: Sequence[Srn], how: Withdrawal, reason: str) -> None:
        """Tell the coordinator that resources which this minion manages can no longer be targeted.

        Raises:
            RemoteError: the coordinator does not answer.
        """
        ...
