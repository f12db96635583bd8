"""The interface of an opened project for its own parts.

`Services` implements it and creates these parts, so they import this Protocol instead of `Services`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ensue.core.contracts.context import FunctionContext

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.enforced import EnforcedStates
    from ensue.core.contracts.function_docs import Documentation
    from ensue.core.contracts.further_functions import BridgeToSalt
    from ensue.core.contracts.growth import Plan
    from ensue.core.contracts.mine import Mine
    from ensue.core.contracts.other_minions import OtherMinions
    from ensue.core.contracts.registry import DerivedRegistry
    from ensue.core.contracts.vault import KeyedVault
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.masking import Masker
    from ensue.core.model.srn import Srn
    from ensue.engine.binding.insertions import Insertions
    from ensue.language.compiler import Compiler
    from ensue.language.custom.master_tops import MasterTops
    from ensue.language.functions.functions import Functions
    from ensue.language.functions.type_functions import TypeLoaders
    from ensue.language.inline_work import InlineWork
    from ensue.language.pillars import Pillars
    from ensue.language.renderers.rendering import SlsRenderer
    from ensue.language.settings.file_sources import ProjectFiles
    from ensue.language.settings.roots import Roots
    from ensue.language.settings.settings import Settings
    from ensue.language.targeting import TargetSubject, Vocabulary
    from ensue.language.targets.directory import Directory
    from ensue.language.top_files import OwnMatchers
    from ensue.reach.connections.exposed_secrets import ExposedSecrets
    from ensue.reach.resources.plugins import Plugins


class CalledContext(FunctionContext, Protocol):
    """The context of a function that `ensue call` calls."""

    reported_code: int | None
    """The exit code that the function has reported, by `command_ended`."""


class TopFileCode(Protocol):
    """The project's own code, as top files use it."""

    @property
    def unused(self) -> tuple[Diagnostic, ...]:
        """A warning for each folder of code that nothing uses."""
        ...

    def matchers(self, context: FunctionContext) -> OwnMatchers | None:
        """Return the project's matchers for the top files of a target; None if it has none."""
        ...

    def master_tops(self, context: FunctionContext) -> MasterTops | None:
        """Return what assigns SLS to a target beside the top file; None if the project has none."""
        ...


class PreparedPillars(Protocol):
    """Compiles the pillars of targets.

    Raises:
        CompileError: pillar has errors, and the exception has all of them; `prepare_all` never raises it.
    """

    async def prepare(self, srn: Srn) -> None:
        """Compile a target's pillar, once, and open its connection."""
        ...

    async def prepare_all(self, srns: Sequence[Srn]) -> None:
        """Compile the pillars of many targets in one thread; `prepare` reports errors in one."""
        ...

    async def renew(self, srn: Srn) -> None:
        """Compile a target's pillar again."""
        ...

    async def rediscover(self) -> None:
        """Compile this machine's pillar again, and discover resources again."""
        ...


class ProjectServices(Protocol):
    """One opened project, as its contexts, pillar, mine, custom code and target matcher use it."""

    settings: Settings
    masker: Masker
    plugins: Plugins
    other_minions: OtherMinions | None
    directory: Directory
    exposed: ExposedSecrets
    insertions: Insertions
    inline: InlineWork
    loop: asyncio.AbstractEventLoop
    minion: Srn
    pillars: Pillars
    pillar_roots: Roots
    roots: Roots
    states: Functions
    modules: Functions
    loaders: TypeLoaders

    @property
    def code(self) -> TopFileCode:
        """The project's own code, as top files use it."""
        ...

    @property
    def preparation(self) -> PreparedPillars:
        """Compiles the pillar of each target before it is used."""
        ...

    @property
    def registry(self) -> DerivedRegistry:
        """The derived resources of the project."""
        ...

    @property
    def bridge(self) -> BridgeToSalt:
        """What an installed Salt provides."""
        ...

    @property
    def enforced(self) -> EnforcedStates:
        """What earlier applies enforced."""
        ...

    @property
    def vault(self) -> KeyedVault:
        """Encrypts with the project's keys."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """The nodegroups and resource types that targets may name."""
        ...

    @property
    def mine(self) -> Mine:
        """The mine: values of targets for other targets."""
        ...

    def modules_of(self, type_name: str) -> Functions:
        """Return the execution functions that resources of a type have."""
        ...

    def states_of(self, type_name: str) -> Functions:
        """Return the state functions that resources of a type have."""
        ...

    def grains_from_thread(self, srn: Srn) -> Mapping[str, Any]:
        """Return a target's grains; called in a thread."""
        ...

    def files_of(self, saltenv: str) -> ProjectFiles:
        """Return the reader of sources; `saltenv` is the environment of sources that name none."""
        ...

    def context(self, srn: Srn, *, test: bool) -> CalledContext:
        """Return the context of a target."""
        ...

    def renderer(self, srn: Srn, *, test: bool) -> SlsRenderer:
        """Return the renderer of a target."""
        ...

    def make_renderer(self, roots: Roots, srn: Srn, *, test: bool, has_states: bool = True) -> SlsRenderer:
        """Return a renderer of files below some roots, for a target."""
        ...

    def compiler(self, srn: Srn, *, test: bool, renderer: SlsRenderer | None = None) -> Compiler:
        """Return the compiler of a target, with another renderer than the target's own if given."""
        ...

    def look_for_secrets(self, plan: Plan) -> None:
        """Mask the passwords of URLs in the arguments of a plan, and record secrets on its command lines."""
        ...

    def documentation(self, type_name: str) -> Documentation:
        """Return the documentation of the functions that targets of a type have."""
        ...

    def subject(self, srn: Srn) -> TargetSubject:
        """Return a target as the matcher sees it; called in a thread."""
        ...

    def pillar(self, srn: Srn) -> dict[str, Any]:
        """Return a target's pillar; `prepare` has compiled it."""
        ...

    def pillar_as_written(self, srn: Srn) -> dict[str, Any]:
        """Return a target's pillar with the marks of its authors."""
        ...

    @property
    def options_as_written(self) -> Mapping[str, Any]:
        """The project's options with the marks of their author."""
        ...

    def compiled_pillar(self, srn: Srn) -> dict[str, Any] | None:
        """Return a target's pillar; None until it has been compiled."""
        ...
