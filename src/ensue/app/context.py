"""What functions are given: the contexts of `contracts/context.py`, wired to a project."""

from __future__ import annotations

import asyncio
import copy
from typing import TYPE_CHECKING, Any, Final

from ensue.connections.announced_commands import announcing
from ensue.connections.umask import narrowed
from ensue.contracts.callables import is_awaitable
from ensue.contracts.context import Declaration
from ensue.engine.growth import AskedGrowth
from ensue.errors import (
    CompileError,
    NotAvailableError,
    NotOfferedError,
    StateFailedError,
    UnknownResourceError,
)
from ensue.model.events import CommandStarted
from ensue.model.requisite import RequisiteKind
from ensue.model.srn import MINION_TYPE, Srn
from ensue.runs.process_marks import process_mark
from ensue.settings.environments import saltenv_of
from ensue.targeting import Subject, TargetSyntaxError, matches, reads_grains

if TYPE_CHECKING:
    from collections import defaultdict
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from ensue.app.functions import Functions
    from ensue.app.project_deployments import ProjectDeployments
    from ensue.app.run_registry import RunRegistry
    from ensue.app.services import Services
    from ensue.contracts.accumulators import Accumulators
    from ensue.contracts.connection import Command, Connection
    from ensue.contracts.context import FileSources, FunctionContext
    from ensue.contracts.growth import Plan
    from ensue.contracts.mine import Mine
    from ensue.contracts.provider import EnvironmentProvider
    from ensue.contracts.vault import Vault
    from ensue.engine.services import CallSite
    from ensue.language.renderers.stage import Stream
    from ensue.language.rendering import SlsRenderer
    from ensue.masking import Masker
    from ensue.model.chunk import Chunk
    from ensue.model.data import DataMap, ReadOnlyDataMap
    from ensue.model.enforced import EnforcedState
    from ensue.model.events import RunEvent
    from ensue.model.returns import ScopeReturn
    from ensue.runs.call_reads import CallReads


_LONGEST_COMMAND_CHARS: Final = 200
"""So much of a command is enough to know it again."""


class TargetContext:
    """A `FunctionContext`: one target of one project.

    Args:
        services: the project.
        srn: the target.
        test: whether nothing may be changed.
    """

    def __init__(self, services: Services, srn: Srn, *, test: bool) -> None:
        self._services = services
        self.srn = srn
        self.test = test
        self._opts: Mapping[str, Any] | None = None

    @property
    def opts(self) -> Mapping[str, Any]:
        """The project's configuration, with the target's id and `test`."""
        if self._opts is None:
            self._opts = {**self._services.settings.values, "test": self.test, "id": self.srn.id}
        return self._opts

    @property
    def saltenv(self) -> str:
        """The environment in which sources and templates are looked for."""
        return saltenv_of(self._services.settings)

    @property
    def connection(self) -> Connection:
        """The way to the target."""
        return self._watched(None)

    def _watched(self, chunk: Chunk | None) -> Connection:
        services = self._services
        return services.exposed.watched(services.directory.connection(self.srn), chunk)

    @property
    def pillar(self) -> DataMap:
        """The target's pillar."""
        return self._services.pillar(self.srn)

    @property
    def for_templates(self) -> TargetContext:
        """This context, with the marks of its authors in pillar."""
        written = self._services.pillar_as_written(self.srn)
        plain = self._services.pillar(self.srn)
        return self if written is plain else TemplateContext(self._services, self.srn, test=self.test)

    @property
    def config(self) -> ReadOnlyDataMap:
        """The target's configuration in the clear."""
        return self._services.directory.config(self.srn) or {}

    async def grains(self) -> DataMap:
        """Return the target's grains."""
        return await self._services.directory.grains(self.srn)

    async def grains_changed(self) -> None:
        """Keep no grains of the target for later commands."""
        await self._services.directory.grains_changed([self.srn])

    async def ping(self) -> bool:
        """Say whether the target answers."""
        return await self._services.directory.ping(self.srn)

    def minion(self) -> FunctionContext:
        """Return the context of the managing minion."""
        return self._services.context(self._services.minion, test=self.test)

    async def matches(
        self, target: str, *, engine: str | None = None, delimiter: str = ":", minion_id: str = ""
    ) -> bool:
        """Say whether this target is one that an expression means."""
        vocabulary = self._services.vocabulary
        try:
            # In a thread, since a type that is new to the project is imported.
            if engine is None:
                parsed = await asyncio.to_thread(vocabulary.parse, target)
            else:
                parsed = await asyncio.to_thread(vocabulary.word, engine, target, delimiter)
        except TargetSyntaxError as error:
            raise StateFailedError(str(error)) from None
        grains = await self.grains() if reads_grains(parsed) else {}
        subject = Subject(
            srn=Srn(MINION_TYPE, minion_id) if minion_id else self.srn,
            managing_minions=(self._services.minion.id,),
            grains=lambda: grains,
            pillar=lambda: self.pillar,
            vocabulary=vocabulary,
        )
        return matches(parsed, subject)

    async def targets(self, target: str, *, engine: str | None = None) -> Sequence[FunctionContext]:
        """Return the contexts of all targets that an expression means."""
        from ensue.app.project_targets import project_targets

        found = await project_targets(self._services, target, engine=engine)
        return [self._services.context(srn, test=self.test) for srn in found]

    @property
    def mine(self) -> Mine:
        """The project's mine."""
        return self._services.mine

    async def pillar_changed(self) -> None:
        """Compile the target's pillar anew, unless that is what is going on."""
        if self._services.compiled_pillar(self.srn) is not None:
            await self._services.renew_pillar(self.srn)

    @property
    def files(self) -> FileSources:
        """Reader of sources."""
        return self._services.files_of(self.saltenv)

    @property
    def masker(self) -> Masker:
        """The project's secrets."""
        return self._services.masker

    @property
    def cache_dir(self) -> Path:
        """The project's cachedir."""
        return self._services.settings.cachedir

    async def call(self, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call an execution function on the same target."""
        module, _, name = function.rpartition(".")
        functions = self._services.modules_of(self.srn.type)
        await functions.get_ready(module)
        found = functions.find(module, name)
        if found is None:
            raise NotAvailableError(functions.not_available(module, name, self.srn.type))
        try:
            returned = found(self, *args, **kwargs)
            return await returned if is_awaitable(returned) else returned
        except NotOfferedError as error:
            raise error.needed_by(function) from None

    async def render_template(
        self, text: str, *, renderer: str = "jinja", name: str = "", context: Mapping[str, Any] | None = None
    ) -> str:
        """Render template text with the target's context."""
        stream = await self._rendered(text, renderer, name, context)
        rendered: str = self._services.insertions.inserted(stream.text)
        return rendered

    async def render_data(
        self,
        text: str,
        *,
        renderer: str = "jinja|yaml",
        name: str = "",
        context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Render a text with a whole pipe and the target's context."""
        from ensue.language.pipe import pipe_of

        stream = await self._rendered(text, pipe_of(text, renderer), name, context)
        return self._services.insertions.inserted(stream.data if stream.is_data else stream.text)

    async def _rendered(self, text: str, pipe: str, name: str, context: Mapping[str, Any] | None) -> Stream:
        if "jinja" in pipe:
            self._services.insertions.check(text, name)
        try:
            return await asyncio.to_thread(
                self._renderer().render_stream,
                text,
                renderer=pipe,
                name=name or "<template>",
                extra=context or {},
                saltenv=self.saltenv,
            )
        except CompileError as error:
            raise StateFailedError(str(error)) from None

    def _renderer(self) -> SlsRenderer:
        return self._services.renderer(self.srn, test=self.test)


class TemplateContext(TargetContext):
    """The context of functions that only read and combine data, called by templates."""

    @property
    def pillar(self) -> DataMap:
        """The target's pillar with the marks of its authors."""
        return self._services.pillar_as_written(self.srn)


class CallContext(TargetContext):
    """A `StateContext`: one call of one state function.

    Args:
        services: the project.
        site: the call.
        registry: the registry as the run sees it, for this call.
        gathered: what the run has gathered for files, by target.
        on_event: told of the commands that the call starts on this machine.
    """

    obeys_umask = True
    """Whether what it makes on the target is narrowed by the state's `umask`."""

    def __init__(
        self,
        services: Services,
        site: CallSite,
        registry: RunRegistry,
        gathered: defaultdict[Srn, Accumulators],
        on_event: Callable[[RunEvent], None],
    ) -> None:
        # Made for every call of a run: as TargetContext does it, without the detour.
        self._services = services
        self.srn = site.target
        self.test = site.test
        self._opts = None
        self._site = site
        self._registry = registry
        self._gathered = gathered
        self._on_event = on_event
        self._reads: CallReads | None = None

    @property
    def registry(self) -> RunRegistry:
        """The registry as the run sees it, for this call."""
        return self._registry

    @property
    def connection(self) -> Connection:
        """The way to the target, under the state's `umask` if it has one."""
        chunk = self._site.chunk
        connection, options = self._watched(chunk), chunk.options
        if self.srn.type == MINION_TYPE and not self.test:
            connection = announcing(connection, self._announce)
        return narrowed(connection, options) if options.other and self.obeys_umask else connection

    def _announce(self, command: Command, pid: int) -> None:
        """Tell of a command that runs: it may outlive this process."""
        mark = process_mark(pid)
        if not mark:
            return  # It is over already.
        # Masked before it is cut: half a secret is one, too.
        text = self.masker.text(command.shell_line or " ".join(command.argv or ()))
        event = CommandStarted(
            scope=self._site.plan.scope,
            tag_=self._site.chunk.tag,
            pid=pid,
            process=mark,
            command=text[:_LONGEST_COMMAND_CHARS],
        )
        services = self._services
        if asyncio.get_running_loop() is services.loop:
            self._on_event(event)
        else:
            services.loop.call_soon_threadsafe(self._on_event, event)

    def _noted(self) -> CallReads | None:
        """Return where the call notes what it reads; None when nobody asks."""
        reader = self._site.reader
        if self._reads is None and reader is not None and not self.test:
            from ensue.runs.call_reads import CallReads

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
        """Reader of sources."""
        files, reads = super().files, self._noted()
        return files if reads is None else reads.noting(files, self.saltenv)

    def _renderer(self) -> SlsRenderer:
        renderer, reads = super()._renderer(), self._noted()
        if reads is None:
            return renderer
        from ensue.app.noting_context import NotingContext

        return renderer.seeing(NotingContext(self._services, self.srn, reads).variables())

    async def _rendered(self, text: str, pipe: str, name: str, context: Mapping[str, Any] | None) -> Stream:
        stream = await super()._rendered(text, pipe, name, context)
        if self._reads is not None and stream.templates:
            await asyncio.to_thread(self._reads.note_templates, stream.templates)
        return stream

    @property
    def for_conditions(self) -> CallContext:
        """This context, without the state's `umask`."""
        if not self._site.chunk.options.other:
            return self
        context = copy.copy(self)
        context.obeys_umask = False
        return context

    @property
    def saltenv(self) -> str:
        """The environment of the declaration's SLS."""
        return self._site.chunk.saltenv

    @property
    def accumulators(self) -> Accumulators:
        """What was gathered in this run for the files of this target."""
        return self._gathered[self.srn]

    @property
    def enforced(self) -> EnforcedState | None:
        """What the last apply made of this state."""
        site = self._site
        return self._services.enforced.of_state(site.target, site.plan.scope, site.chunk.tag)

    @property
    def declaration(self) -> Declaration:
        """The declaration this call is made for."""
        chunk = self._site.chunk
        return Declaration(
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
            changed_watches=self._site.changed_watches,
        )

    @property
    def vault(self) -> Vault:
        """The project's keys."""
        return self._services.vault

    def provider(self, name: str) -> EnvironmentProvider:
        """Return an environment provider."""
        return self._services.plugins.provider(name)

    async def on(self, target: Srn | str) -> FunctionContext:
        """Return the context of another resource."""
        srn = await self.resolved(target)
        await self._services.prepare(srn)
        return self._services.context(srn, test=self.test)

    async def apply(self, target: Srn | str, mods: Sequence[str]) -> ScopeReturn:
        """Run SLS on another resource, as growth under this state."""
        return await self.grow(AskedGrowth(await self.resolved(target), tuple(mods)))

    async def apply_state(self, function: str, name: str, arguments: DataMap) -> ScopeReturn:
        """Run one state on the same target, as growth under this state."""
        from ensue.app.driver_services import SingleState

        source = SingleState(self, function, name, arguments)
        return await self.grow(AskedGrowth(self.srn, (function,), source))

    async def grow(self, asked: AskedGrowth) -> ScopeReturn:
        """Run what is asked for as growth under this state."""
        return await self._site.apply(asked)

    @property
    def plan(self) -> Plan:
        """The plan that the state is in."""
        return self._site.plan

    @property
    def deployments(self) -> ProjectDeployments:
        """Builds and provisions resource graphs under this state."""
        from ensue.app.project_deployments import ProjectDeployments

        return ProjectDeployments(self._services, self)

    def states_of(self, srn: Srn) -> Functions:
        """Return the state functions that a target has."""
        return self._services.states_of(srn.type)

    async def resolved(self, target: Srn | str) -> Srn:
        """Return the resource that is meant.

        Raises:
            UnknownResourceError: as for `on`.
        """
        srn = await asyncio.to_thread(self._services.directory.resolve, target)
        if self._site.is_superseded(srn):
            raise UnknownResourceError(f"{srn} will be registered anew by an earlier state")
        return srn
