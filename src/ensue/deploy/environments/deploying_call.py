"""The part of a state's call that provisioning needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ensue.core.contracts.registry import DerivedRegistry

if TYPE_CHECKING:
    from ensue.core.contracts.clock import Clock
    from ensue.core.contracts.growth import Plan
    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.returns import Return, ScopeReturn
    from ensue.core.model.srn import Srn
    from ensue.engine.plans.asked_growth import AskedGrowth
    from ensue.language.functions.functions import Functions


class CallRegistry(DerivedRegistry, Protocol):
    """The registry as a run sees it."""

    def on_behalf_of(self, by: Srn) -> DerivedRegistry:
        """Return this registry for registrations after a state has ended.

        Args:
            by: the resource on which the state ran.
        """
        ...


class DeployingCall(Protocol):
    """The call of a state that deploys, provisions or removes resources.

    Args:
        srn: the target of the call.
        test: whether the run is a plan.
    """

    srn: Srn
    test: bool

    @property
    def clock(self) -> Clock:
        """Time."""
        ...

    @property
    def masker(self) -> Masker:
        """The project's secrets."""
        ...

    @property
    def vault(self) -> Vault:
        """The project's keys."""
        ...

    @property
    def registry(self) -> CallRegistry:
        """The registry as the run sees it, for this call."""
        ...

    @property
    def plan(self) -> Plan:
        """The plan that the state is in."""
        ...

    def states_of(self, srn: Srn) -> Functions:
        """Return the state functions that a target has."""
        ...

    async def resolved(self, target: str) -> Srn:
        """Return the resource that a text names."""
        ...

    def earlier_state(self, returned: Return) -> EnforcedState | None:
        """Return what a state enforced earlier, if this run has skipped it; None for any other."""
        ...

    async def grow(self, asked: AskedGrowth) -> ScopeReturn:
        """Run a requested plan as growth under the state."""
        ...
