"""The context of a state that runs on a resource of this minion for another minion of a fleet.

The other minion may do to the resource whatever a state can do, and nothing to this machine: what it sends is
data, so that no text of it is rendered as a template, and no path of it names a file of this machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import msgspec

from ensue.core.contracts.accumulators import Accumulators
from ensue.core.errors import StateFailedError
from ensue.core.model.enforced import EnforcedState
from ensue.language.settings.file_sources import ProjectFiles
from ensue.store.runs.call_context import CallContext

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.content import SourceContent
    from ensue.core.contracts.context import FileSources, FunctionContext, StateDeclaration
    from ensue.core.contracts.mine import Mine
    from ensue.core.contracts.provider import EnvironmentProvider
    from ensue.core.contracts.vault import Vault
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.resource_call import ResourceCall
    from ensue.core.model.returns import ScopeReturn
    from ensue.core.model.srn import Srn
    from ensue.deploy.environments.project_deployments import ProjectDeployments
    from ensue.engine.plans.asked_growth import AskedGrowth
    from ensue.engine.services import CallSite
    from ensue.language.renderers.stage import Stream
    from ensue.language.targets.targets import Targets
    from ensue.store.registry.run_registry import RunRegistry
    from ensue.store.runs.call_context import CallsOfRun

REFUSED_MODULES: Final = frozenset({"http", "pillar", "sdb"})
"""Execution modules that act from this machine, or read its stores or pillar, whatever their target is."""

_SERVED: Final = "salt://"


class GuardedContext(CallContext):
    """A `CallContext` that reaches the resource and the files of the master alone.

    Args:
        services: the project.
        site: the call.
        run: what the run gives all its calls.
        call: the call as the other minion has sent it.
    """

    def __init__(self, services: Targets, site: CallSite, run: CallsOfRun, *, call: ResourceCall) -> None:
        super().__init__(services, site, run)
        self._call = call

    def _in_run(self, run: CallsOfRun) -> GuardedContext:
        return GuardedContext(self._services, self._site, run, call=self._call)

    @property
    def declaration(self) -> StateDeclaration:
        """The declaration in the run of the other minion."""
        return msgspec.structs.replace(
            super().declaration, requires=self._call.requires, changed_watches=self._call.changed_watches
        )

    @property
    def pending_states(self) -> tuple[str, ...]:
        """The IDs of the states that it requires there and that, in a plan, would change something."""
        return self._call.pending

    @property
    def enforced(self) -> EnforcedState | None:
        """What the last apply of the other minion recorded for this state."""
        call = self._call
        if call.enforced is None:
            return None
        return EnforcedState(
            tag=self._site.chunk.tag,
            module=call.module,
            function=call.function,
            id=call.id,
            name=self._site.chunk.name,
            sls=call.sls,
            new_state=call.enforced,
        )

    @property
    def accumulators(self) -> Accumulators:
        """Nothing: texts are accumulated in the run of the other minion."""
        return NoAccumulators()

    @property
    def pillar(self) -> DataMap:
        """Nothing: the pillar of a resource contains that of this minion."""
        return {}

    @property
    def files(self) -> FileSources:
        """The reader of sources that the master serves."""
        return ServedFiles(self._services.stores.roots, self.saltenv)

    @property
    def registry(self) -> RunRegistry:
        """Refused."""
        _refuse("a registration")

    @property
    def vault(self) -> Vault:
        """Refused."""
        _refuse("the key of the project")

    @property
    def deployments(self) -> ProjectDeployments:
        """Refused."""
        _refuse("a deployment")

    @property
    def mine(self) -> Mine:
        """Refused."""
        _refuse("the mine")

    def provider(self, name: str) -> EnvironmentProvider:
        """Refuse a provider, which runs programs of this machine."""
        _refuse(f"the provider {name}")

    def minion(self) -> FunctionContext:
        """Refuse this machine."""
        _refuse("the minion itself")

    async def on(self, target: Srn | str) -> FunctionContext:
        """Refuse another resource."""
        _refuse(f"the resource {target}")

    async def targets(self, target: str, *, engine: str | None = None) -> Sequence[FunctionContext]:  # noqa: ARG002 -- the contract's
        """Refuse other resources."""
        _refuse(f"the target {target}")

    async def grow(self, asked: AskedGrowth) -> ScopeReturn:  # noqa: ARG002 -- the contract's
        """Refuse further SLS and states."""
        _refuse("growth")

    async def call(self, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call an execution function on the resource."""
        if function.partition(".")[0] in REFUSED_MODULES:
            _refuse(function)
        return await super().call(function, *args, **kwargs)

    async def _rendered(self, text: str, pipe: str, name: str, context: Mapping[str, Any] | None) -> Stream:  # noqa: ARG002 -- the contract's
        """Refuse templates: a text of another minion is data, and a template is code."""
        _refuse("a template")


class NoAccumulators(Accumulators):
    """Has no texts, and takes none: this run ends with the call."""

    def add(self, file: str, name: str, texts: Iterable[Data], receivers: Iterable[str]) -> bool:  # noqa: ARG002 -- the contract's
        """Refuse an accumulated text."""
        _refuse("an accumulated text")


class ServedFiles(ProjectFiles):
    """Reads what the master serves; files of this machine and of servers are refused."""

    async def read(self, source: str, *, saltenv: str = "") -> bytes:
        """Return the content of a `salt://` source; see `ProjectFiles`."""
        return await super().read(_served(source), saltenv=saltenv)

    async def open(self, source: str, *, saltenv: str = "") -> SourceContent:
        """Return the content of a `salt://` source; see `ProjectFiles`."""
        return await super().open(_served(source), saltenv=saltenv)

    def local_path(self, source: str, *, saltenv: str = "") -> Path | None:
        """Return the file of a `salt://` source; see `ProjectFiles`."""
        return super().local_path(_served(source), saltenv=saltenv)


def _served(source: str) -> str:
    if not source.startswith(_SERVED):
        _refuse(f"the source {source}")
    return source


def _refuse(what: str) -> NoReturn:
    """Refuse what a state of another minion may not use.

    Raises:
        StateFailedError: always.
    """
    msg = f"E0897: {what} is not for states of other minions"
    raise StateFailedError(f"{msg} (assign the state to the minion that manages the resource)")
