"""What one opened project shares among all its targets: functions, files, resources, keys, secrets."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ensue.app.context import TargetContext
from ensue.app.custom import CustomModules
from ensue.app.directory import Directory
from ensue.app.environments import pillar_options
from ensue.app.file_sources import ProjectFiles
from ensue.app.functions import Functions
from ensue.app.inline import InlineWork
from ensue.app.lazy import LazyMapping
from ensue.app.nodegroups import OPTION as NODEGROUPS
from ensue.app.nodegroups import parse_nodegroups
from ensue.app.resource_types import Plugins
from ensue.app.salt_bridge import SaltBridge
from ensue.app.static_resources import read_static
from ensue.language.collector import Collector
from ensue.language.compiler import Compiler
from ensue.language.merging import merge
from ensue.language.pillar import PillarCompiler
from ensue.language.plain_files import PlainFiles
from ensue.language.rendering import SlsRenderer
from ensue.language.roots import Roots
from ensue.model.data import is_mapping
from ensue.model.srn import MINION_TYPE, Srn
from ensue.registry.secret_values import secret_values
from ensue.targeting import Subject

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.app.settings import Settings
    from ensue.contracts.context import FunctionContext
    from ensue.contracts.registry import DerivedRegistry
    from ensue.contracts.vault import Vault
    from ensue.masking import Masker
    from ensue.registry.enforced import EnforcedStore
    from ensue.targeting.expression import Target


_SHORTEST_PILLAR_SECRET_CHARS: Final = 8


class Services:
    """The shared parts of one opened project. Made once, on the event loop that runs everything.

    Args:
        settings: its options.
        masker: its secrets.
        registry: its derived resources.
        enforced: what its states last made true.
        vault: its keys.
        pillar_override: `--pillar`.
        loop: the event loop.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        masker: Masker,
        registry: DerivedRegistry,
        enforced: EnforcedStore,
        vault: Vault,
        pillar_override: Mapping[str, Any],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.settings = settings
        self.masker = masker
        self.registry = registry
        self.enforced = enforced
        self.vault = vault
        self.pillar_override = pillar_override
        self.loop = loop
        self.inline = InlineWork()
        self._contexts: dict[tuple[Srn, bool], TargetContext] = {}
        self._files: dict[str, ProjectFiles] = {}
        self._renderers: dict[Srn, SlsRenderer] = {}
        self._pillars: dict[Srn, dict[str, Any]] = {}
        self._own_pillars: dict[Srn, dict[str, Any]] = {}
        self._wire(settings)

    def _wire(self, settings: Settings) -> None:
        self.minion = Srn(MINION_TYPE, settings.minion_id)
        self.roots = Roots(settings.file_roots, settings.root)
        self.pillar_roots = Roots(settings.pillar_roots, settings.root)
        self._plain_pillar = PlainFiles(
            settings.option("renderer", "jinja|yaml"),
            jinja_is_usual=not settings.option("jinja_env") and not settings.option("jinja_sls_env"),
        )
        folders = [folder for listed in settings.file_roots.values() for folder in listed]
        self.bridge = SaltBridge(settings, lambda: self._pillars.get(self.minion, {}))
        self.states = self._functions("ensue.states", [folder / "_states" for folder in folders])
        self.modules = self._functions("ensue.modules", [folder / "_modules" for folder in folders])
        self.plugins = Plugins()
        self.directory = Directory(
            minion=self.minion,
            minion_config=self._minion_config(),
            opts=settings.values,
            cache_dir=settings.cachedir,
            plugins=self.plugins,
            registry=self.registry,
            masker=self.masker,
        )

    def _functions(self, package: str, folders: list[Path]) -> Functions:
        return Functions(package, CustomModules(folders, self.surroundings) or None, self.bridge)

    def _minion_config(self) -> dict[str, Any]:
        root = self.settings.option("minion_root")
        return {"root": str((self.settings.root / root).resolve())} if root else {}

    def surroundings(self, context: FunctionContext) -> dict[str, Any]:
        """Return `salt grains pillar opts` for templates and custom modules, in a thread beside the loop."""
        from ensue.app.salt_functions import SaltFunctions

        return {
            "salt": SaltFunctions(self.modules, context, self.loop, self.inline),
            "grains": LazyMapping(lambda: self._grains_from_thread(context.srn)),
            "pillar": context.pillar,
            "opts": dict(context.opts),
        }

    def _grains_from_thread(self, srn: Srn) -> Mapping[str, Any]:
        gathered = self.directory.gathered_grains(srn)
        if gathered is not None:
            return gathered
        self.inline.give_up()
        return asyncio.run_coroutine_threadsafe(self.directory.grains(srn), self.loop).result()

    def files_of(self, saltenv: str) -> ProjectFiles:
        """Return the reader of sources whose environment is this one where they name none."""
        if saltenv not in self._files:
            self._files[saltenv] = ProjectFiles(self.roots, saltenv)
        return self._files[saltenv]

    def context(self, srn: Srn, *, test: bool) -> TargetContext:
        """Return the context of a target."""
        key = (srn, test)
        if key not in self._contexts:
            self._contexts[key] = TargetContext(self, srn, test=test)
        return self._contexts[key]

    def renderer(self, srn: Srn, *, test: bool) -> SlsRenderer:
        """Return the renderer of a target."""
        if srn not in self._renderers:
            self._renderers[srn] = self._make_renderer(self.roots, srn, test=test)
        return self._renderers[srn]

    def _make_renderer(self, roots: Roots, srn: Srn, *, test: bool, has_states: bool = True) -> SlsRenderer:
        settings = self.settings
        return SlsRenderer(
            roots,
            lambda: self.surroundings(self.context(srn, test=test)),
            jinja_options={
                **(settings.option("jinja_env") or {}),
                **(settings.option("jinja_sls_env") or {}),
            },
            default_pipe=settings.option("renderer", "jinja|yaml"),
            allow_undefined=bool(settings.option("allow_undefined", default=False)),
            has_states=has_states,
        )

    def compiler(self, srn: Srn, *, test: bool, renderer: SlsRenderer | None = None) -> Compiler:
        """Return the compiler of a target, with a renderer that sees more than the target's own, if given."""
        return Compiler(
            roots=self.roots,
            renderer=renderer or self.renderer(srn, test=test),
            catalog=self.states,
            target=srn,
            auto_order=bool(self.settings.option("state_auto_order", default=True)),
            enforced=self.enforced,
        )

    def subject(self, srn: Srn) -> Subject:
        """Return a target as the matcher sees it, from a thread beside the loop."""
        return Subject(
            srn=srn,
            managing_minions=(self.minion.id,),
            grains=lambda: self._grains_from_thread(srn),
            pillar=lambda: self.pillar(srn) or self.pillar(self.minion),
            nodegroups=self.nodegroups,
        )

    @cached_property
    def nodegroups(self) -> Mapping[str, Target]:
        """The groups of targets that the project's options name.

        Raises:
            TargetSyntaxError: one does not parse.
        """
        return parse_nodegroups(self.settings.option(NODEGROUPS) or {})

    def pillar(self, srn: Srn) -> dict[str, Any]:
        """Return a target's pillar; `prepare` has compiled it."""
        return self.compiled_pillar(srn) or {}

    def compiled_pillar(self, srn: Srn) -> dict[str, Any] | None:
        """Return a target's pillar, None as long as it has not been compiled."""
        if srn not in self._pillars and srn in self._own_pillars:
            self._pillars[srn] = self._on_top_of_minions(self._own_pillars[srn])
        return self._pillars.get(srn)

    def _on_top_of_minions(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """Return a copy of the minion's pillar with what is a resource's own.

        What declares the resources is shared: a copy of all for each would grow with their square.
        """
        key = str(self.settings.option("resource_pillar_key"))
        rest = dict(self._pillars[self.minion])
        declared = rest.pop(key, None)
        merged = merge(merge(rest, own), self.pillar_override)
        if key in merged and is_mapping(declared) and is_mapping(merged[key]):
            merged[key] = merge(declared, merged[key])
        elif declared is not None:
            merged.setdefault(key, declared)
        return merged

    async def prepare(self, srn: Srn) -> None:
        """Compile a target's pillar, once; the minion's brings in the resources that pillar declares.

        Raises:
            CompileError: with everything that is wrong in pillar.
        """
        if self.minion not in self._pillars:
            await asyncio.to_thread(self._compile_minion_pillar)
        if srn not in self._pillars and srn not in self._own_pillars:
            await asyncio.to_thread(self._compile_pillar_of, srn)

    async def renew_pillar(self, srn: Srn) -> None:
        """Compile a target's pillar anew.

        Raises:
            CompileError: with everything that is wrong in pillar.
        """
        await asyncio.to_thread(self._compile_minion_pillar)
        if srn != self.minion:
            await asyncio.to_thread(self._compile_pillar_of, srn)

    def _compile_minion_pillar(self) -> None:
        found = Collector()
        compiler = self._pillar_compiler(self.minion)
        pillar = compiler.compile(self.subject(self.minion), self.pillar_override, found)
        if self.settings.option("pillar_opts"):
            # What Salt shows there of the master's options are here the project's.
            pillar["master"] = {
                name: value for name, value in self.settings.values.items() if name != "store_url"
            }
        key = str(self.settings.option("resource_pillar_key"))
        static = read_static(
            pillar.get(key), key=key, minion_id=self.minion.id, locate=compiler.locate, found=found
        )
        self._check_static(static, key, compiler, found)
        found.stop_on_errors()
        self._mask_secrets(pillar)
        self._pillars[self.minion] = pillar
        self.directory.set_static(static)

    def _mask_secrets(self, pillar: Mapping[str, Any]) -> None:
        """Mask what stands under the usual names; a short value would eat ordinary text."""
        found = secret_values(pillar)
        self.masker.add(*(value for value in found if len(value) >= _SHORTEST_PILLAR_SECRET_CHARS))

    def _check_static(
        self, static: Mapping[Srn, Mapping[str, Any]], key: str, compiler: PillarCompiler, found: Collector
    ) -> None:
        from ensue.errors import NotAvailableError

        for srn, config in static.items():
            place = compiler.locate([key, srn.type, "hosts", srn.id]) or compiler.locate(
                [key, srn.type, srn.id]
            )
            try:
                problems = self.plugins.resource_type(srn.type).check(config)
            except NotAvailableError as error:
                found.error("E0704", str(error), place or compiler.locate([key]))
                continue
            for problem in problems:
                found.error("E0703", f"{srn}: {problem}", place or compiler.locate([key]))

    def _compile_pillar_of(self, srn: Srn) -> None:
        """A resource has its managing minion's pillar, and on top what pillar's top file gives itself."""
        found = Collector()
        own = self._pillar_compiler(srn).compile(self.subject(srn), {}, found)
        found.stop_on_errors()
        self._mask_secrets(own)
        self._own_pillars[srn] = own
        self._pillars.pop(srn, None)

    def _pillar_compiler(self, srn: Srn) -> PillarCompiler:
        renderer = self._make_renderer(self.pillar_roots, srn, test=False, has_states=False)
        return PillarCompiler(self.pillar_roots, renderer, pillar_options(self.settings), self._plain_pillar)

    async def close(self) -> None:
        """Close all connections."""
        self.bridge.close()
        await self.directory.close()
