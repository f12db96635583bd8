"""What a driver may use of the run that calls it: secrets, cookies, states as growth under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from ensue.core.errors import DriverError
from ensue.core.model.srn import Srn
from ensue.deploy.drivers.returned import checked_mapping
from ensue.deploy.environments.state_plan import state_plan
from ensue.engine.plans.asked_growth import AskedGrowth
from ensue.language.functions.made_things import MadeThings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ensue.core.contracts.growth import GrowthRequest, Plan
    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.returns import Return, ScopeReturn
    from ensue.deploy.environments.deploying_call import DeployingCall


class ResourceServices:
    """The `DriverServices` of one resource.

    Args:
        context: the call of the resource's state.
        keep: stores a cookie durably.
    """

    def __init__(self, context: DeployingCall, keep: Callable[[DataMap], Awaitable[None]]) -> None:
        self._context = context
        self._keep = keep

    @property
    def vault(self) -> Vault:
        """The project's keys."""
        return self._context.vault

    @property
    def masker(self) -> Masker:
        """The project's secrets."""
        return self._context.masker

    async def keep(self, cookie: DataMap) -> None:
        """Store a cookie durably, at once.

        Raises:
            DriverError: it is not a mapping of data.
            StoreError: it cannot be stored.
        """
        await self._keep(checked_mapping(cookie, "the cookie"))

    async def run_state(
        self, function: str, name: str, arguments: Mapping[str, Data], *, target: str = ""
    ) -> ScopeReturn:
        """Run one state as growth under the resource; see the contract."""
        srn = await self._target(target)
        source = SingleState(self._context, function, name, dict(arguments))
        return self._with_earlier(await self._context.grow(AskedGrowth(srn, (function,), source)))

    async def run_sls(self, mods: Sequence[str], *, target: str = "") -> ScopeReturn:
        """Compile SLS and run them as growth under the resource; see the contract."""
        srn = await self._target(target)
        return self._with_earlier(await self._context.grow(AskedGrowth(srn, tuple(mods))))

    def things_of(self, returned: Return) -> Sequence[str]:
        """Return the things that a state makes; see the contract."""
        made = MadeThings(lambda _type: self._context.states_of(Srn.parse(returned.target))).of(returned)
        return () if made.is_absence else made.things

    def _with_earlier(self, scope_return: ScopeReturn) -> ScopeReturn:
        """Give states that were skipped, as by `creates`, what they enforced before, as references do."""
        returns = dict(scope_return.returns)
        for tag, returned in returns.items():
            if (earlier := self._context.earlier_state(returned)) is not None:
                returns[tag] = msgspec.structs.replace(
                    returned, new_state=earlier.whole, sensitive=earlier.sensitive
                )
        return msgspec.structs.replace(scope_return, returns=returns)

    async def _target(self, target: str) -> Srn:
        return await self._context.resolved(target) if target else self._context.srn


class SingleState:
    """A `PlanSource`: the plan of one state, whose arguments are data.

    Args:
        context: the call that requests it.
        function: `module.function`.
        name: the state's ID and name.
        arguments: what it is called with.
    """

    kind: Literal["state"] = "state"

    def __init__(self, context: DeployingCall, function: str, name: str, arguments: DataMap) -> None:
        self._context = context
        self._function = function
        self._name = name
        self._arguments = arguments

    async def plan(self, request: GrowthRequest) -> Plan:
        """Return the plan.

        Raises:
            DriverError: the target has no such function, or it does not take such arguments.
        """
        functions = self._context.states_of(request.target)
        plan = await state_plan(functions, self._function, self._name, self._arguments, request.target)
        return msgspec.structs.replace(plan, scope=request.scope)


class NothingRuns:
    """The `DriverServices` of a driver that only looks at inputs.

    Args:
        vault: the project's keys.
        masker: the project's secrets.
    """

    def __init__(self, vault: Vault, masker: Masker) -> None:
        self.vault = vault
        self.masker = masker

    async def keep(self, cookie: DataMap) -> None:  # noqa: ARG002 -- the contract's signature
        """Refuse to store a cookie."""
        raise DriverError("nothing is stored before the resource is provisioned")

    async def run_state(
        self,
        function: str,
        name: str,  # noqa: ARG002 -- the contract's signature
        arguments: Mapping[str, Data],  # noqa: ARG002 -- the contract's signature
        *,
        target: str = "",  # noqa: ARG002 -- the contract's signature
    ) -> ScopeReturn:
        """Refuse to run a state."""
        raise DriverError(f"{function} does not run before the resource is provisioned")

    async def run_sls(self, mods: Sequence[str], *, target: str = "") -> ScopeReturn:  # noqa: ARG002
        """Refuse to run SLS."""
        raise DriverError(f"{', '.join(mods)} does not run before the resource is provisioned")

    def things_of(self, returned: Return) -> Sequence[str]:
        """Refuse to judge a state: none has run."""
        raise DriverError(f"{returned.id} does not run before the resource is provisioned")
