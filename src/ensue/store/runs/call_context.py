"""The context of one call of a state function: the contract `StateContext`, wired to a project."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.context import StateDeclaration
from ensue.core.contracts.enforced import enforced_of_skipped
from ensue.core.contracts.system_clock import SystemClock
from ensue.core.errors import StoreError, UnknownResourceError
from ensue.core.model.events import CommandStarted
from ensue.core.model.requisite import RequisiteKind
from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.core.model.state_identity import StateIdentity
from ensue.engine.plans.asked_growth import AskedGrowth
from ensue.language.targets.target_context import TargetContext
from ensue.reach.connections.announced_commands import announcing
from ensue.reach.connections.umask import narrowed
from ensue.store.runs.process_marks import process_mark

if TYPE_CHECKING:
    from collections import defaultdict
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.accumulators import Accumulators
    from ensue.core.contracts.clock import Clock
    from ensue.core.contracts.connection import Command, Connection
    from ensue.core.contracts.context import FileSources, FunctionContext
    from ensue.core.contracts.following import Follow
    from ensue.core.contracts.growth import Plan
    from ensue.core.contracts.provider import EnvironmentProvider
    from ensue.core.contracts.vault import Vault
    from ensue.core.model.data import DataMap
    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import Return, ScopeReturn
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.environments.project_deployments import ProjectDeployments
    from ensue.engine.services import CallSite
    from ensue.language.functions.functions import Functions
    from ensue.language.renderers.rendering import SlsRenderer
    from ensue.language.renderers.stage import Stream
    from ensue.language.targets.targets import Targets
    from ensue.store.registry.run_registry import RunRegistry
    from ensue.store.runs.call_reads import CallReads


_CLOCK: Final = SystemClock()

_LONGEST_COMMAND_CHARS: Final = 200
"""How much of a command is recorded, enough to recognise it."""


class CallsOfRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a run gives all calls of its state functions.

    Args:
        deploying: the project, as its deployments use it.
        registry_of: returns the registry as the run sees it, for one call.
        gathered: what the run has gathered for files, by target.
        notes: what states have noted for later states of the run, by target.
        on_event: receives an event for each command that calls start on this machine.
        follow: begins to follow a command; None: no command is followed.
        lock_wait_s: how long a state waits for another deployment of an environment; None: without limit.
        for_conditions: whether the calls are conditions: a state's `umask` does not count for them.
    """

    deploying: DeployingProject
    registry_of: Callable[[CallSite], RunRegistry]
    gathered: defaultdict[Srn, Accumulators]
    notes: defaultdict[Srn, dict[str, Any]]
    on_event: Callable[[RunEvent], None]
    follow: Follow | None
    lock_wait_s: float | None = 0.0
    for_conditions: bool = False


class CallContext(TargetContext):
    """A `StateContext`: one call of one state function.

    Args:
        services: the project.
        site: the call.
        run: what the run gives all its calls.
    """

    def __init__(
        self,
        services: Targets,
        site: CallSite,
        run: CallsOfRun,
    ) -> None:
        super().__init__(services, site.target, test=site.test)
        self._site = site
        self._run = run
        self._registry: RunRegistry | None = None
        self._reads: CallReads | None = None

    @property
    def registry(self) -> RunRegistry:
        """The registry as the run sees it, for this call; made when it is first used."""
        if self._registry is None:
            self._registry = self._run.registry_of(self._site)
        return self._registry

    def own_registry(self) -> RunRegistry:
        """Return `registry`."""
        return self.registry

    @property
    def clock(self) -> Clock:
        """The clock."""
        return _CLOCK

    @property
    def connection(self) -> Connection:
        """The connection to the target, with the state's `umask` if it has one."""
        chunk = self._site.chunk
        connection, options = self._watched(chunk), chunk.options
        if self._site.is_announced and self.srn.type == MINION_TYPE and not self.test:
            connection = announcing(connection, self._announce)
        if self._run.follow is not None:
            from ensue.reach.connections.followed_calls import followed_connection

            loop = self._services.stores.loop
            connection = followed_connection(connection, self._run.follow, self._site, loop)
        has_umask = options.other and not self._run.for_conditions
        return narrowed(connection, options) if has_umask else connection

    def _announce(self, command: Command, pid: int) -> None:
        """Announce a running command, which may outlive this process."""
        mark = process_mark(pid)
        if not mark:
            return  # It has ended already.
        # Masked before it is cut: half a secret is a secret, too.
        text = self.masker.text(command.shell_line or " ".join(command.argv or ()))
        event = CommandStarted(
            scope=self._site.plan.scope,
            tag_=self._site.chunk.tag,
            pid=pid,
            process=mark,
            command=text[:_LONGEST_COMMAND_CHARS],
        )
        loop = self._services.stores.loop
        if asyncio.get_running_loop() is loop:
            self._run.on_event(event)
        else:
            loop.call_soon_threadsafe(self._tell, event)

    def _tell(self, event: RunEvent) -> None:
        """Report an event in a turn of the event loop, which cannot handle an error; the run stops anyway."""
        with suppress(StoreError):
            self._run.on_event(event)

    def _noted(self) -> CallReads | None:
        """Return where the call records what it reads; None if that is not needed."""
        reader = self._site.reader
        if self._reads is None and reader is not None and not self.test:
            from ensue.store.runs.call_reads import CallReads

            self._reads = CallReads()
            reader.reads = [*(reader.reads or ()), self._reads]
        return self._reads

    @property
    def pillar(self) -> DataMap:
        """The target's pillar."""
        pillar, reads = super().pillar, self._noted()
        return pillar if reads is None else reads.seen("pillar", self.srn, pillar)

    @property
    def files(self) -> FileSources:
        """The reader of sources."""
        files, reads = super().files, self._noted()
        return files if reads is None else reads.noting(files, self.saltenv)

    def _renderer(self) -> SlsRenderer:
        renderer, reads = super()._renderer(), self._noted()
        if reads is None:
            return renderer
        from ensue.store.runs.recording_context import RecordingContext

        return renderer.seeing(RecordingContext(self._services, self.srn, reads).template_variables())

    async def _rendered(self, text: str, pipe: str, name: str, context: Mapping[str, Any] | None) -> Stream:
        stream = await super()._rendered(text, pipe, name, context)
        if self._reads is not None and stream.templates:
            await asyncio.to_thread(self._reads.note_templates, stream.templates)
        return stream

    @property
    def for_conditions(self) -> CallContext:
        """This context, without the state's `umask`, and without following commands."""
        if not self._site.chunk.options.other and self._run.follow is None:
            return self
        return self._in_run(msgspec.structs.replace(self._run, follow=None, for_conditions=True))

    def _in_run(self, run: CallsOfRun) -> CallContext:
        return CallContext(self._services, self._site, run)

    @property
    def saltenv(self) -> str:
        """The environment of the declaration's SLS."""
        return self._site.chunk.saltenv

    @property
    def pending_states(self) -> tuple[str, ...]:
        """The IDs of the states that it requires and that, in a plan, would change something."""
        return self._site.pending()

    @property
    def accumulators(self) -> Accumulators:
        """The texts that this run has accumulated for the files of this target."""
        return self._run.gathered[self.srn]

    @property
    def run_notes(self) -> dict[str, Any]:
        """What states of this target have noted for each other in this run."""
        return self._run.notes[self.srn]

    @property
    def plan_notes(self) -> dict[str, Any] | None:
        """What states of this target have noted in a plan of what they would make."""
        return self._run.notes[self.srn] if self._site.is_planned else None

    @property
    def enforced(self) -> EnforcedState | None:
        """The enforced state: what the last apply recorded for this state."""
        site = self._site
        identity = StateIdentity(str(site.target), site.plan.identity, site.chunk.tag)
        return self._services.stores.enforced.of_state(identity)

    def earlier_state(self, returned: Return) -> EnforcedState | None:
        """Return what a state enforced earlier, if this run has skipped it; None for any other."""
        return enforced_of_skipped(returned, self._services.stores.enforced.of_state)

    @property
    def declaration(self) -> StateDeclaration:
        """The declaration this call is made for."""
        chunk = self._site.chunk
        return StateDeclaration(
            id=chunk.id,
            sls=chunk.sls,
            function=chunk.full_function,
            scope=self._site.plan.scope,
            span=chunk.span(),
            requires=tuple(
                (required.full_function, required.name)
                for requisite in chunk.requisites
                if requisite.kind is RequisiteKind.REQUIRE
                for required in (self._site.plan.chunks[place] for place in requisite.chunks)
            ),
            declared_below=tuple(
                (f"{module}.{function}", name)
                for module, function, name in self._site.declared_below()
                if function not in self.states_of(self.srn).absences(module)
            ),
            changed_watches=self._site.changed_watches,
        )

    @property
    def vault(self) -> Vault:
        """The project's keys."""
        return self._services.stores.vault

    def provider(self, name: str) -> EnvironmentProvider:
        """Return an environment provider."""
        return self._services.stores.plugins.provider(name)

    async def on(self, target: Srn | str) -> FunctionContext:
        """Return the context of another resource."""
        srn = await self.resolved(target)
        await self._services.preparation.prepare(srn)
        return TargetContext(self._services, srn, test=self.test)

    async def apply(self, target: Srn | str, mods: Sequence[str]) -> ScopeReturn:
        """Run SLS on another resource, as growth under this state."""
        return await self.grow(AskedGrowth(await self.resolved(target), tuple(mods)))

    async def apply_state(self, function: str, name: str, arguments: DataMap) -> ScopeReturn:
        """Run one state on the same target, as growth under this state."""
        from ensue.deploy.environments.driver_services import SingleState

        source = SingleState(self, function, name, arguments)
        return await self.grow(AskedGrowth(self.srn, (function,), source))

    async def grow(self, asked: AskedGrowth) -> ScopeReturn:
        """Run a requested plan as growth under this state."""
        return await self._site.apply(asked)

    @property
    def plan(self) -> Plan:
        """The plan that the state is in."""
        return self._site.plan

    @property
    def deployments(self) -> ProjectDeployments:
        """Builds and provisions resource graphs under this state."""
        from ensue.deploy.environments.project_deployments import ProjectDeployments

        return ProjectDeployments(self._run.deploying, self, self._run.lock_wait_s)

    def states_of(self, srn: Srn) -> Functions:
        """Return the state functions that a target has."""
        return self._services.compilation.states_of(srn.type)

    async def resolved(self, target: Srn | str) -> Srn:
        """Return the resource that a target names.

        Raises:
            UnknownResourceError: as for `on`.
        """
        directory, others = self._services.directory, self._services.stores.other_minions
        try:
            srn = await asyncio.to_thread(directory.resolve, target)
        except UnknownResourceError:
            if others is None:
                raise
            # Another minion may manage it; then the error has its name.
            await others.resources.look()
            srn = await asyncio.to_thread(directory.resolve, target)
        if self._site.is_superseded(srn):
            message = f"{srn} will be registered again by an earlier state"
            raise UnknownResourceError(message, target=str(srn))
        return srn
