"""The three values of an opened project, made in order: its stores, its compilation, its targets."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import msgspec

from ensue.language.targets.compilation import Compilation, compilation_of
from ensue.language.targets.directory import Directory
from ensue.language.targets.known_resources import KnownResources
from ensue.language.targets.nodegroups import TargetNames
from ensue.language.targets.pillar_compilation import PillarCompilation
from ensue.language.targets.pillar_preparation import PillarPreparation
from ensue.language.targets.resource_index import ResourceIndex
from ensue.language.targets.target_context import TargetContext
from ensue.language.targets.targets import Targets
from ensue.salt.bridge.salt_bridge import SaltBridge

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ensue.app.opened_stores import OpenedStores
    from ensue.core.contracts.function_docs import Documentation
    from ensue.core.contracts.mine import Mine
    from ensue.core.model.srn import Srn
    from ensue.language.functions.functions import Functions


class Services(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One opened project.

    Args:
        stores: what it is before anything of it is compiled.
        compilation: what compiles it.
        targets: what is known of its targets.
        bridge: what an installed Salt provides.
    """

    stores: OpenedStores
    compilation: Compilation
    targets: Targets
    bridge: SaltBridge

    async def close(self) -> None:
        """Close all connections, and store the code of templates for the next process."""
        if (templates := self.compilation.templates.opened) is not None:
            templates.write()
        self.bridge.close()
        await self.targets.directory.close()


def services_of(stores: OpenedStores) -> Services:
    """Return an opened project.

    The project's own code, its pillar and its mine call functions on targets, and functions may be the
    project's own, and read pillar and mine. So these parts get a function that makes the context of a target;
    it is not called before all three values are made.

    Args:
        stores: what the project is before anything of it is compiled.
    """

    def context(srn: Srn) -> TargetContext:
        return TargetContext(targets, srn, test=False)

    bridge = SaltBridge(stores.settings, lambda: stores.pillars.of(stores.minion) or {})
    compilation = compilation_of(stores, bridge, context, _documentation)
    targets = _targets(stores, compilation, context)
    return Services(stores=stores, compilation=compilation, targets=targets, bridge=bridge)


def _targets(
    stores: OpenedStores, compilation: Compilation, context: Callable[[Srn], TargetContext]
) -> Targets:
    settings, plugins, others = stores.settings, stores.plugins, stores.other_minions
    index = ResourceIndex(stores.minion, stores.registry, others.resources.manager if others else None)
    names = TargetNames(settings=settings, plugins=plugins, index=index)
    directory = Directory(
        index=index,
        settings=settings,
        plugins=plugins,
        registry=stores.registry,
        masker=stores.masker,
        cached_grains=stores.opened.grains_cache,
        custom_grains=compilation.code.grains(),
    )
    key = str(settings.option("resource_pillar_key"))
    known = KnownResources(directory, plugins, compilation.loaders, stores.masker, key)
    compiling = PillarCompilation(
        stores,
        renderers=compilation.renderers,
        code=compilation.code,
        names=names,
        known=known,
        context=context,
    )
    preparation = PillarPreparation(
        compiling, known=known, directory=directory, pillars=stores.pillars, minion=stores.minion
    )

    @cache
    def mine() -> Mine:
        from ensue.store.registry.project_mine import ProjectMine

        def matching(target: str, engine: str | None) -> Awaitable[Sequence[Srn]]:
            return context(stores.minion).matching(target, function="mine.get", engine=engine)

        return ProjectMine(stores, preparation, context, matching)

    return Targets(
        stores=stores,
        compilation=compilation,
        directory=directory,
        names=names,
        preparation=preparation,
        mine=mine,
    )


def _documentation(states: Functions, modules: Functions) -> Documentation:
    from ensue.output.documentation import ProjectDocumentation

    return ProjectDocumentation(states, modules)
