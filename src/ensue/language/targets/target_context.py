"""The context of execution functions and templates: the contract `FunctionContext`, wired to a project."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.from_thread import from_thread
from ensue.core.errors import CompileError, NotAvailableError, NotOfferedError, StateFailedError
from ensue.core.model.lazy_mapping import LazyMapping
from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.language.settings.environments import saltenv_of
from ensue.language.targeting import TargetSubject, TargetSyntaxError, matches, reads_grains
from ensue.language.targeting.unasked_grains import lacks_pillar, refuse_to_wait

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.context import FileSources, FunctionContext
    from ensue.core.contracts.function_docs import Documentation
    from ensue.core.contracts.mine import Mine
    from ensue.core.masking import Masker
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import DataMap, ReadOnlyDataMap
    from ensue.language.functions.functions import Functions
    from ensue.language.renderers.rendering import SlsRenderer
    from ensue.language.renderers.stage import Stream
    from ensue.language.targets.targets import Targets


class TargetContext:
    """A `FunctionContext`: one target of one project, made wherever it is needed.

    Args:
        services: the project.
        srn: the target.
        test: whether the run is a plan.
    """

    reported_code: int | None = None
    """The exit code that the called function has reported, by `command_ended`."""

    _calls_in_progress = 0

    def __init__(self, services: Targets, srn: Srn, *, test: bool) -> None:
        self._services = services
        self.srn = srn
        self.test = test
        self._opts: Mapping[str, Any] | None = None

    @property
    def opts(self) -> Mapping[str, Any]:
        """The project's configuration, with the target's id and `test`."""
        if self._opts is None:
            self._opts = {**self._services.stores.settings.values, "test": self.test, "id": self.srn.id}
        return self._opts

    @property
    def saltenv(self) -> str:
        """The environment in which sources and templates are looked up."""
        return saltenv_of(self._services.stores.settings)

    @property
    def connection(self) -> Connection:
        """The connection to the target."""
        return self._watched(None)

    def _watched(self, chunk: Chunk | None) -> Connection:
        services = self._services
        return services.stores.exposed.watched(services.directory.connection(self.srn), chunk)

    @property
    def pillar(self) -> DataMap:
        """The target's pillar."""
        return self._services.pillar(self.srn)

    @property
    def for_templates(self) -> TargetContext:
        """This context, with the marks of their authors in pillar and options."""
        return TemplateContext(self._services, self.srn, test=self.test)

    @property
    def config(self) -> ReadOnlyDataMap:
        """The target's configuration in the clear."""
        return self._services.directory.config(self.srn) or {}

    async def grains(self) -> DataMap:
        """Return the target's grains."""
        return await self._services.directory.grains(self.srn)

    async def grains_changed(self) -> None:
        """Drop the cached grains of the target."""
        await self._services.directory.grains_changed([self.srn])

    async def ping(self) -> bool:
        """Return whether the target answers."""
        return await self._services.directory.ping(self.srn)

    def grains_from_thread(self) -> Mapping[str, Any]:
        """Return the target's grains; called in a thread."""
        stores, directory = self._services.stores, self._services.directory
        gathered = directory.gathered_grains(self.srn)
        if gathered is not None:
            return gathered
        refuse_to_wait(self.srn)
        return from_thread(directory.grains(self.srn), stores.loop)

    def minion(self) -> FunctionContext:
        """Return the context of the managing minion."""
        return TargetContext(self._services, self._services.minion, test=self.test)

    @property
    def execution_functions(self) -> Functions:
        """The execution functions that the target has."""
        return self._services.compilation.modules_of(self.srn.type)

    @property
    def state_functions(self) -> Functions:
        """The state functions that the target has."""
        return self._services.compilation.states_of(self.srn.type)

    def template_variables(self) -> dict[str, Any]:
        """Return what templates see: `salt grains pillar opts`, pillar as written; Idem calls it `params`."""
        from ensue.language.functions.salt_functions import SaltFunctions

        reading, stores = self.for_templates, self._services.stores
        pillar = LazyMapping(lambda: reading.pillar) if lacks_pillar(self.srn) else reading.pillar
        return {
            "salt": SaltFunctions(self.execution_functions, self, reading, stores.loop),
            "grains": LazyMapping(self.grains_from_thread, {"id": self.srn.id}),
            "pillar": pillar,
            "params": pillar,
            "opts": dict(reading.opts),
        }

    def subject(self) -> TargetSubject:
        """Return the target as the matcher sees it; called in a thread."""
        services, srn = self._services, self.srn
        return TargetSubject(
            srn=srn,
            managing_minions=(services.minion.id,),
            grains=self.grains_from_thread,
            pillar=lambda: services.pillar(srn) or services.pillar(services.minion),
            vocabulary=services.vocabulary,
        )

    async def matches(
        self, target: str, *, engine: str | None = None, delimiter: str = ":", minion_id: str = ""
    ) -> bool:
        """Return whether an expression matches this target."""
        vocabulary = self._services.vocabulary
        try:
            # In a thread, because a type that is new to the project is imported.
            if engine is None:
                parsed = await asyncio.to_thread(vocabulary.parse, target)
            else:
                parsed = await asyncio.to_thread(vocabulary.word, engine, target, delimiter)
        except TargetSyntaxError as error:
            raise StateFailedError(str(error)) from None
        grains = await self.grains() if reads_grains(parsed) else {}
        subject = TargetSubject(
            srn=Srn(MINION_TYPE, minion_id) if minion_id else self.srn,
            managing_minions=(self._services.minion.id,),
            grains=lambda: grains,
            pillar=lambda: self.pillar,
            vocabulary=vocabulary,
        )
        return matches(parsed, subject)

    async def targets(self, target: str, *, engine: str | None = None) -> Sequence[FunctionContext]:
        """Return the contexts of all targets that an expression matches."""
        srns = await self.matching(target, function="publish.publish", engine=engine)
        return [TargetContext(self._services, srn, test=self.test) for srn in srns]

    async def matching(self, target: str, *, function: str, engine: str | None = None) -> Sequence[Srn]:
        """Return all targets that an expression matches; `function` is what asks, for messages."""
        from ensue.language.targets.project_targets import project_targets

        return await project_targets(self._services, target, function=function, engine=engine)

    @property
    def documentation(self) -> Documentation:
        """The documentation of the functions that the target offers."""
        return self._services.compilation.documentation(self.srn.type)

    @property
    def mine(self) -> Mine:
        """The project's mine."""
        return self._services.mine()

    async def pillar_changed(self) -> None:
        """Compile the target's pillar again, unless it is just being compiled."""
        if self._services.compiled_pillar(self.srn) is not None:
            await self._services.preparation.renew(self.srn)

    @property
    def files(self) -> FileSources:
        """The reader of sources."""
        return self._services.stores.files.of(self.saltenv)

    @property
    def masker(self) -> Masker:
        """The project's secrets."""
        return self._services.stores.masker

    @property
    def cache_dir(self) -> Path:
        """The project's cachedir."""
        return self._services.stores.settings.cachedir

    async def call(self, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call an execution function on the same target."""
        module, _, name = function.rpartition(".")
        functions = self.execution_functions
        await functions.get_ready(module)
        execution_function = functions.find(module, name)
        if execution_function is None:
            raise NotAvailableError(functions.not_available(module, name, self.srn.type))
        self._calls_in_progress += 1
        try:
            returned = execution_function(self, *args, **kwargs)
            return await returned if inspect.isawaitable(returned) else returned
        except NotOfferedError as error:
            raise error.needed_by(function) from None
        finally:
            self._calls_in_progress -= 1

    def command_ended(self, exit_code: int) -> None:
        """Keep an exit code that the function itself reports, not one that it calls."""
        if self._calls_in_progress == 1:
            self.reported_code = exit_code

    async def render_template(
        self, text: str, *, renderer: str = "jinja", name: str = "", context: Mapping[str, Any] | None = None
    ) -> str:
        """Render template text with the target's context."""
        stream = await self._rendered(text, renderer, name, context)
        rendered: str = self._services.stores.insertions.inserted(stream.text)
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
        return self._services.stores.insertions.inserted(stream.data if stream.is_data else stream.text)

    async def _rendered(self, text: str, pipe: str, name: str, context: Mapping[str, Any] | None) -> Stream:
        if "jinja" in pipe:
            self._services.stores.insertions.check(text, name)
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
        return renderer_of(self._services, self.srn, test=self.test)


class TemplateContext(TargetContext):
    """The context of functions that only read and combine data, called by templates.

    Pillar and options have the marks of their authors.
    """

    @property
    def opts(self) -> Mapping[str, Any]:
        """The options, as their author wrote them."""
        return {**self._services.stores.options_as_written, "test": self.test, "id": self.srn.id}

    @property
    def pillar(self) -> DataMap:
        """The target's pillar with the marks of its authors."""
        return self._services.pillar_as_written(self.srn)


def renderer_of(services: Targets, srn: Srn, *, test: bool) -> SlsRenderer:
    """Return the renderer of a target.

    Args:
        services: the project.
        srn: the target.
        test: whether the run is a plan.
    """
    return services.compilation.renderers.of(srn, lambda: TargetContext(services, srn, test=test))
