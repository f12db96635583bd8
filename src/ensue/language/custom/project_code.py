"""All custom code of one project, wired: the globals of each kind of file, and what finds it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ensue.core.model.lazy_mapping import LazyMapping
from ensue.language.custom.folders import CustomFiles
from ensue.language.custom.modules import CustomModules
from ensue.language.custom.state_calls import ModInit, StatesMapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.contracts.further_functions import BridgeToSalt
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.srn import Srn
    from ensue.language.custom.code_context import CodeContext
    from ensue.language.custom.ext_pillar import ExternalPillar
    from ensue.language.custom.master_tops import MasterTops
    from ensue.language.custom.matchers import CustomMatchers
    from ensue.language.custom.shared_functions import SharedFunctions
    from ensue.language.merging import Merging
    from ensue.language.renderers.stage import Stage
    from ensue.language.targets.project_stores import ProjectStores


class ProjectCode:
    """The custom code of one project.

    Args:
        stores: the project before anything of it is compiled.
        bridge: what an installed Salt provides.
        context: returns the context of a target.
    """

    def __init__(
        self, stores: ProjectStores, bridge: BridgeToSalt, context: Callable[[Srn], CodeContext]
    ) -> None:
        self._stores = stores
        self._bridge = bridge
        self._context = context
        # `__context__`: what files share for the duration of the command.
        self._kept: dict[Srn, dict[str, Any]] = {}

    def modules(self) -> CustomModules | None:
        """Return the project's execution functions; None if it has none."""
        return CustomModules(self._folders("_modules"), self.surroundings, self.otherwise) or None

    def states(self) -> CustomModules | None:
        """Return the project's state functions; None if it has none."""
        custom_modules = CustomModules(
            self._folders("_states"), self.surroundings, self.otherwise, before=ModInit()
        )
        return custom_modules or None

    def files(self, kind: str) -> CustomFiles:
        """Return the project's files of a kind, such as `_grains`."""
        return CustomFiles(self._folders(kind), self.otherwise)

    def grains(self) -> Callable[[dict[str, Any]], None] | None:
        """Return what adds the project's own grains to this machine's; None if it has none."""
        files = self.files("_grains")
        if not files:
            return None
        from ensue.language.custom.grains import CustomGrains

        return CustomGrains(files, self.otherwise).add_to

    def renderer(self, name: str, context: FunctionContext) -> Stage | None:
        """Return one of the project's own renderers; None if it has none of this name.

        Raises:
            CompileError: its file cannot be used.
        """
        if not self._renderer_files:
            return None
        from ensue.language.custom.renderers import CustomRenderers

        return CustomRenderers(self._renderer_files).stage(name, lambda: self.surroundings(context))

    def external_pillar(self, context: FunctionContext, merging: Merging) -> ExternalPillar | None:
        """Return the external pillar of a target; None if the project has none."""
        listed = self._stores.settings.option("ext_pillar")
        if not listed:
            return None
        from ensue.language.custom.ext_pillar import ExternalPillar

        return ExternalPillar(
            self._pillar_files,
            listed,
            target_id=context.srn.id,
            surroundings=lambda: self.surroundings(context),
            merging=merging,
            of_salt=self._bridge,
        )

    def matchers(self, context: FunctionContext) -> CustomMatchers | None:
        """Return the project's matchers for the top files of a target; None if it has none."""
        if not self._matcher_files:
            return None
        from ensue.language.custom.matchers import CustomMatchers

        return CustomMatchers(self._matcher_files, lambda: self.surroundings(context))

    def master_tops(self, context: FunctionContext) -> MasterTops | None:
        """Return what assigns SLS to a target beside the top file; None if the project has none."""
        option = self._stores.settings.option
        if not option("master_tops"):
            return None
        from ensue.language.custom.master_tops import MasterTops

        return MasterTops(
            self._top_files,
            option("master_tops"),
            comes_first=bool(option("master_tops_first")),
            target_id=context.srn.id,
            surroundings=lambda: self.surroundings(context),
            of_salt=self._bridge,
        )

    def surroundings(self, context: FunctionContext) -> dict[str, Any]:
        """Return the globals of custom files in a call; called in a thread."""
        from ensue.language.custom.functions_for_code import FunctionsForCode

        target, stores = self._context(context.srn), self._stores
        grains = LazyMapping(target.grains_from_thread, {"id": context.srn.id})
        return {
            "salt": FunctionsForCode(target.execution_functions, context, context, stores.loop),
            "grains": grains,
            "pillar": context.pillar,
            "opts": {**context.opts, "grains": grains, "pillar": context.pillar},
            "context": self._kept.setdefault(context.srn, {}),
            "utils": self._shared,
            "states": StatesMapping(target.state_functions, context, stores.loop),
        }

    def otherwise(self) -> Mapping[str, Any]:
        """Return the globals for custom code that runs outside of a call: those of the managing minion."""
        return self.surroundings(self._context(self._stores.minion))

    @cached_property
    def _renderer_files(self) -> CustomFiles:
        return self.files("_renderers")

    @property
    def unused(self) -> tuple[Diagnostic, ...]:
        """Warnings for custom code of a Salt tree that has no effect."""
        return self._unused

    @cached_property
    def _unused(self) -> tuple[Diagnostic, ...]:
        from ensue.language.custom.unused_files import unused_files

        settings = self._stores.settings
        roots = [folder for listed in settings.file_roots.values() for folder in listed]
        aggregates = bool(settings.option("state_aggregate"))
        states = self.files("_states").texts() if aggregates else {}
        return tuple(unused_files(roots, self._matcher_files, states, aggregates=aggregates))

    @cached_property
    def _matcher_files(self) -> CustomFiles:
        return self.files("_matchers")

    @cached_property
    def _top_files(self) -> CustomFiles:
        return self.files("_tops")

    @cached_property
    def _pillar_files(self) -> CustomFiles:
        return self.files("_pillar")

    @cached_property
    def _shared(self) -> SharedFunctions:
        from ensue.language.custom.shared_functions import SharedFunctions

        return SharedFunctions(self.files("_utils"))

    def _folders(self, kind: str) -> list[Path]:
        """Return the folders of a kind: those of file roots, then those that options name."""
        settings = self._stores.settings
        of_roots = [folder / kind for listed in settings.file_roots.values() for folder in listed]
        named = [*(settings.option("module_dirs") or ()), settings.option("extension_modules")]
        return of_roots + [settings.root / folder / kind.removeprefix("_") for folder in named if folder]
