"""Compiling the pillar of one target: its files, external pillar, and the resources that pillar declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.model.secret_values import secret_values
from ensue.language.collector import Collector
from ensue.language.command_line_pillar import warn_of_command_line
from ensue.language.custom.pillar_before_files import seen_before_files
from ensue.language.pillar import PillarCompiler
from ensue.language.pillars import CompiledPillar
from ensue.language.plain_files import PlainFiles
from ensue.language.settings.environments import pillar_options
from ensue.language.targets.nodegroups import (
    check_nodegroup_types,
    warn_of_misspelt_members,
    warn_of_misspelt_targets,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.core.model.srn import Srn
    from ensue.language.custom.project_code import ProjectCode
    from ensue.language.renderers.renderers import Renderers
    from ensue.language.targets.known_resources import KnownResources
    from ensue.language.targets.nodegroups import TargetNames
    from ensue.language.targets.project_stores import ProjectStores
    from ensue.language.targets.target_context import TargetContext


class PillarCompilation:
    """Compiles the pillars of one project, in threads beside the event loop.

    Args:
        stores: the project before anything of it is compiled.
        renderers: make the renderers of pillar files.
        code: the project's own code.
        names: the names that targets may use.
        known: reads the resources that pillar declares.
        context: returns the context of a target.
    """

    def __init__(
        self,
        stores: ProjectStores,
        *,
        renderers: Renderers,
        code: ProjectCode,
        names: TargetNames,
        known: KnownResources,
        context: Callable[[Srn], TargetContext],
    ) -> None:
        self._stores = stores
        self._renderers = renderers
        self._code = code
        self._names = names
        self._known = known
        self._context = context
        self._settings = stores.settings
        # By the files that pillar's top file assigns: plain files give all targets the same pillar.
        self._shared: dict[tuple[tuple[str, str, bool], ...], CompiledPillar] = {}
        self._plain_files = PlainFiles(
            self._settings.option("renderer", "jinja|yaml"),
            jinja_is_usual=not self._settings.option("jinja_env")
            and not self._settings.option("jinja_sls_env"),
        )

    def of_minion(self) -> tuple[CompiledPillar, dict[Srn, dict[str, Any]]]:
        """Compile this machine's pillar; return it, and the resources that it declares.

        Raises:
            CompileError: it has errors; the exception has all of them.
        """
        stores, collector = self._stores, Collector()
        self._shared.clear()
        check_nodegroup_types(self._names, collector)
        compiler, first = self._compiler(stores.minion, collector)
        override = stores.pillars.override_as_written
        with seen_before_files(stores.minion, first):
            compiled = compiler.compile(self._context(stores.minion).subject(), override, collector)
        if self._settings.option("pillar_opts"):
            # Where Salt has the master's options, ensue has the project's.
            options = self._settings.values.items()
            compiled["master"] = {name: value for name, value in options if name != "store_url"}
        both = CompiledPillar.of(compiled)
        pillar = both.plain
        self._mask(pillar)
        static = self._known.read(pillar, compiler, collector)
        warn_of_misspelt_members(self._names, static, collector)
        ids = [srn.id for srn in static]
        warn_of_misspelt_targets(self._names, compiler.target_notes.unmatched, ids, collector)
        collector.stop_on_errors()
        stores.pillars.warn(stores.minion, collector.warnings)
        return both, static

    def _mask(self, pillar: Mapping[str, Any]) -> None:
        self._stores.masker.add_guessed(*secret_values(pillar))

    def of(self, srn: Srn) -> CompiledPillar:
        """Compile a target's pillar.

        A resource has its managing minion's pillar, overridden by what pillar's top file assigns to it.

        Raises:
            CompileError: it has errors; the exception has all of them.
        """
        collector = Collector()
        compiler, first = self._compiler(srn, collector)
        with seen_before_files(srn, first):
            matched = compiler.matches(self._context(srn).subject(), collector)
            key = tuple((match.name, match.saltenv, match.names_subject) for match in matched)
            own = None if self._has_external_pillar else self._shared.get(key)
            if own is None:
                compiled = compiler.of(matched, {}, collector)
                own = CompiledPillar.of(compiled)
                self._mask(own.plain)
        warn_of_command_line(own.plain, self._stores.pillars.override, collector)
        collector.stop_on_errors()
        self._stores.pillars.warn(srn, collector.warnings)
        if compiler.is_plain:
            self._shared[key] = own
        return own

    @property
    def _has_external_pillar(self) -> bool:
        return bool(self._settings.option("ext_pillar"))

    def _compiler(self, srn: Srn, collector: Collector) -> tuple[PillarCompiler, dict[str, Any]]:
        """Return the compiler of a target's pillar, and the external pillar that its files see, if any."""
        roots, context = self._stores.pillar_roots, self._context(srn)
        renderer = self._renderers.make(roots, context, has_states=False)
        options = pillar_options(self._settings)
        top = msgspec.structs.replace(options.top, matchers=self._code.matchers(context))
        options = msgspec.structs.replace(options, top=top)
        external = self._code.external_pillar(context, options.merging)
        if external is None:
            return PillarCompiler(roots, renderer, options, self._plain_files), {}
        first, beyond = external.before_and_after_files(
            collector, comes_first=bool(self._settings.option("ext_pillar_first"))
        )
        return PillarCompiler(roots, renderer, options, beyond=beyond), first
