"""The parts of one opened project that all targets share: functions, files, resources, keys, secrets."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.deadlines import HTTP_TOTAL_S
from ensue.core.contracts.from_thread import from_thread
from ensue.core.files.local_content import LocalDigests
from ensue.core.model.data import mapped
from ensue.core.model.lazy_mapping import LazyMapping
from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.engine.binding.insertions import Insertions
from ensue.language.argument_check import OnUnknown
from ensue.language.checks import Checks
from ensue.language.compiler import Compiler
from ensue.language.custom.pillar_before_files import pillar_before_files
from ensue.language.custom.project_code import ProjectCode
from ensue.language.declared_literals import DeclaredLiterals
from ensue.language.functions.functions import Functions
from ensue.language.functions.state_catalog import StateCatalog
from ensue.language.functions.type_functions import TypeLoaders
from ensue.language.inline_work import InlineWork
from ensue.language.jinja_settings import JinjaSettings
from ensue.language.pillars import Pillars
from ensue.language.pipe import DEFAULT_PIPE
from ensue.language.renderers.pgp_messages import PgpMessages
from ensue.language.renderers.project_rendering import ProjectRendering
from ensue.language.renderers.rendering import SlsRenderer
from ensue.language.settings.file_sources import ProjectFiles
from ensue.language.settings.roots import Roots
from ensue.language.targeting import TargetSubject
from ensue.language.targeting.unasked_grains import lacks_pillar, refuse_pillar, refuse_to_wait
from ensue.language.targets.directory import Directory
from ensue.language.targets.known_resources import KnownResources
from ensue.language.targets.nodegroups import project_vocabulary
from ensue.language.targets.pillar_compilation import PillarCompilation
from ensue.language.targets.pillar_preparation import PillarPreparation
from ensue.language.targets.registers_check import RegistersCheck
from ensue.language.targets.target_context import TargetContext
from ensue.reach.connections.exposed_secrets import ExposedSecrets
from ensue.salt.bridge.salt_bridge import SaltBridge

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ensue.core.contracts.function_docs import Documentation
    from ensue.core.contracts.growth import Plan
    from ensue.core.contracts.mine import Mine
    from ensue.core.contracts.other_minions import OtherMinions
    from ensue.core.masking import Masker
    from ensue.deploy.drivers.loading import Drivers
    from ensue.deploy.environments.deployment_reader import DeploymentReader
    from ensue.language.jinja.compiled_templates import CompiledTemplates
    from ensue.language.settings.settings import Settings
    from ensue.language.targeting import Vocabulary
    from ensue.reach.resources.plugins import Plugins
    from ensue.store.registry.active_store import ActiveResourceStore
    from ensue.store.registry.deployment_store import DeploymentStore
    from ensue.store.registry.grains_cache import GrainsCache
    from ensue.store.secret_stores.secret_stores import SecretStores
    from ensue.store.stores import Stores


class Services:
    """The shared parts of one opened project. Made once, on the event loop that runs everything.

    Args:
        settings: its options.
        masker: its secrets.
        stores: its stores: derived resources, enforced states, keys.
        plugins: its resource types and providers.
        drivers: makes its drivers, when one is requested.
        pillar_override: `--pillar`.
        other_minions: the other minions of a run over minions; None in other runs.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        masker: Masker,
        stores: Stores,
        plugins: Plugins,
        drivers: Callable[[], Drivers],
        pillar_override: Mapping[str, Any],
        other_minions: OtherMinions | None = None,
    ) -> None:
        self.other_minions = other_minions
        self.settings = settings
        self.masker = masker
        self.exposed = ExposedSecrets(masker)
        self.registry = stores.lazy_registry
        self.plugins = plugins
        self.enforced = stores.enforced()
        self.store_thread = stores.thread
        self._stores = stores
        self.vault = stores.lazy_vault
        self._make_drivers = drivers
        self.loop = asyncio.get_running_loop()
        self.inline = InlineWork()
        self.insertions = Insertions()
        self._contexts: dict[tuple[Srn, bool], TargetContext] = {}
        self._files: dict[str, ProjectFiles] = {}
        self._digests = LocalDigests()
        self._renderers: dict[Srn, SlsRenderer] = {}
        self._wire(settings, pillar_override)

    def _wire(self, settings: Settings, pillar_override: Mapping[str, Any]) -> None:
        self.minion = Srn(MINION_TYPE, settings.minion_id)
        resources_key = str(settings.option("resource_pillar_key"))
        self.pillars = Pillars(self.minion, resources_key, pillar_override)
        self.roots = Roots(settings.file_roots, settings.root)
        self.pillar_roots = Roots(settings.pillar_roots, settings.root)
        self.bridge = SaltBridge(settings, lambda: self.pillars.of(self.minion) or {})
        self.code = ProjectCode(self)
        self.states = Functions("ensue.library.states", self.code.states(), self.bridge)
        self.modules = Functions("ensue.library.modules", self.code.modules(), self.bridge)
        self.loaders = TypeLoaders(self.states, self.modules, self.plugins, self.plugins.sources)
        self.directory = Directory(
            minion=self.minion,
            settings=settings,
            plugins=self.plugins,
            registry=self.registry,
            masker=self.masker,
            cached_grains=self._cached_grains,
            custom_grains=self.code.grains(),
        )
        if self.other_minions is not None:
            self.directory.index.manager = self.other_minions.resources.manager
        known = KnownResources(self.directory, self.plugins, self.loaders, self.masker, resources_key)
        self.preparation = PillarPreparation(
            PillarCompilation(self, known, self.code.external_pillar, self.code.matchers),
            known=known,
            directory=self.directory,
            pillars=self.pillars,
            minion=self.minion,
        )

    def modules_of(self, type_name: str) -> Functions:
        """Return the execution functions that resources of a type have."""
        return self.loaders.of("modules", type_name)

    def states_of(self, type_name: str) -> Functions:
        """Return the state functions that resources of a type have."""
        return self.loaders.of("states", type_name)

    def _cached_grains(self) -> GrainsCache:
        from ensue.store.registry.grains_cache import DEFAULT_EXPIRATION_S, GrainsCache

        return GrainsCache(
            self.settings.cachedir,
            vault=self.vault,
            masker=self.masker,
            expiration_s=self.settings.option("grains_cache_expiration", DEFAULT_EXPIRATION_S),
            waits=self._stores.waits,
        )

    def template_variables(self, context: TargetContext) -> dict[str, Any]:
        """Return what templates see: `salt grains pillar opts`, pillar as written; Idem calls it `params`."""
        from ensue.language.functions.salt_functions import SaltFunctions

        reading, modules = context.for_templates, self.modules_of(context.srn.type)
        pillar = LazyMapping(lambda: reading.pillar) if lacks_pillar(context.srn) else reading.pillar
        return {
            "salt": SaltFunctions(modules, context, reading, self.loop, self.inline),
            "grains": LazyMapping(lambda: self.grains_from_thread(context.srn), {"id": context.srn.id}),
            "pillar": pillar,
            "params": pillar,
            "opts": dict(reading.opts),
        }

    def grains_from_thread(self, srn: Srn) -> Mapping[str, Any]:
        """Return a target's grains; called in a thread."""
        gathered = self.directory.gathered_grains(srn)
        if gathered is not None:
            return gathered
        refuse_to_wait(srn)
        self.inline.give_up()
        return from_thread(self.directory.grains(srn), self.loop)

    def files_of(self, saltenv: str) -> ProjectFiles:
        """Return the reader of sources; `saltenv` is the environment of sources that name none."""
        if saltenv not in self._files:
            self._files[saltenv] = ProjectFiles(
                self.roots,
                saltenv,
                digests=self._digests,
                downloads=self.settings.cachedir,
                http_total_s=self.settings.option("http_request_timeout", default=HTTP_TOTAL_S),
            )
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
            self._renderers[srn] = self.make_renderer(self.roots, srn, test=test)
        return self._renderers[srn]

    def make_renderer(self, roots: Roots, srn: Srn, *, test: bool, has_states: bool = True) -> SlsRenderer:
        """Return a renderer of files below some roots, for a target.

        Args:
            roots: the roots.
            srn: the target.
            test: whether the run is a plan.
            has_states: whether the files are SLS, not pillar.
        """
        return SlsRenderer(
            roots,
            lambda: self.template_variables(self.context(srn, test=test)),
            project=self._rendering,
            own_stage=lambda name: self.code.renderer(name, self.context(srn, test=test)),
            has_states=has_states,
        )

    @cached_property
    def _rendering(self) -> ProjectRendering:
        option = self.settings.option
        jinja = JinjaSettings(
            options={**(option("jinja_env") or {}), **(option("jinja_sls_env") or {})},
            allow_undefined=bool(option("allow_undefined", default=False)),
            kept=lambda: self._kept_templates,
        )
        return ProjectRendering(
            jinja=jinja,
            default_pipe=option("renderer", DEFAULT_PIPE),
            decrypt=PgpMessages(self.settings, self.masker, self.inline, self.loop),
            see_source=self.masker.add_source,
        )

    @property
    def options_as_written(self) -> Mapping[str, Any]:
        """The project's options with the marks of their author; values from an `sdb` store have none."""
        return self._options_as_written

    @cached_property
    def _options_as_written(self) -> Mapping[str, Any]:
        from ensue.language.authored_text import Authored

        def marked(value: Any) -> Any:
            return Authored(value) if isinstance(value, str) and value not in self.settings.secrets else value

        return {name: mapped(value, marked, marked) for name, value in self.settings.values.items()}

    @cached_property
    def _kept_templates(self) -> CompiledTemplates:
        from ensue.language.jinja.compiled_templates import CompiledTemplates

        return CompiledTemplates(self.settings.cachedir / "templates", self.masker.text)

    @cached_property
    def _literals(self) -> DeclaredLiterals:
        return DeclaredLiterals(
            self.masker, lambda: self._kept_templates, lambda: "_kept_templates" in self.__dict__
        )

    def compiler(self, srn: Srn, *, test: bool, renderer: SlsRenderer | None = None) -> Compiler:
        """Return the compiler of a target, with another renderer than the target's own if given."""
        return Compiler(
            roots=self.roots,
            renderer=renderer or self.renderer(srn, test=test),
            catalog=StateCatalog(self.loaders, srn.type),
            target=srn,
            auto_order=bool(self.settings.option("state_auto_order", default=True)),
            enforced=self.enforced,
            checks=Checks(
                vocabulary=self.vocabulary,
                registers=RegistersCheck(self.plugins, self.directory.declared_as),
                on_unknown=OnUnknown.of(self.settings.option),
                literals=self._literals,
                minion=self.minion.id if self.other_minions is not None else "",
                is_resource=srn != self.minion,
            ),
        )

    def documentation(self, type_name: str) -> Documentation:
        """Return the documentation of the functions that targets of a type have."""
        from ensue.output.documentation import documentation_of

        return documentation_of(self, type_name)

    def subject(self, srn: Srn) -> TargetSubject:
        """Return a target as the matcher sees it; called in a thread."""
        return TargetSubject(
            srn=srn,
            managing_minions=(self.minion.id,),
            grains=lambda: self.grains_from_thread(srn),
            pillar=lambda: self.pillar(srn) or self.pillar(self.minion),
            vocabulary=self.vocabulary,
        )

    @property
    def drivers(self) -> Drivers:
        """The project's drivers, each loaded when it is first used."""
        return self._make_drivers()

    @property
    def active(self) -> ActiveResourceStore:
        """The active resources of all deployments."""
        return self._stores.active()

    @property
    def history(self) -> DeploymentStore:
        """The deployments of all environments."""
        return self._stores.history()

    @property
    def mine(self) -> Mine:
        """The mine: values of targets for other targets."""
        return self._mine

    @cached_property
    def _mine(self) -> Mine:
        from ensue.store.registry.project_mine import ProjectMine

        return ProjectMine(self)

    @property
    def secret_stores(self) -> SecretStores:
        """Reads the secrets that definitions refer to."""
        return self._secret_stores

    @cached_property
    def _secret_stores(self) -> SecretStores:
        from ensue.store.secret_stores.secret_stores import SecretStores

        return SecretStores(self.settings, self.masker)

    def deployments(self, definitions: Path | None) -> DeploymentReader:
        """Return what reads resource definitions.

        Args:
            definitions: where they are; None: as `ensue.yaml` says.
        """
        from ensue.deploy.environments.deployment_reader import DeploymentReader

        return DeploymentReader(self.settings, self.masker, self.drivers, definitions)

    @property
    def vocabulary(self) -> Vocabulary:
        """The nodegroups and resource types that targets may name."""
        return self._vocabulary

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return project_vocabulary(self)

    def pillar(self, srn: Srn) -> dict[str, Any]:
        """Return a target's pillar; `prepare` has compiled it."""
        refuse_pillar(srn)
        return pillar_before_files(srn) or self.pillars.of(srn) or {}

    def pillar_as_written(self, srn: Srn) -> dict[str, Any]:
        """Return a target's pillar with the marks of its authors."""
        refuse_pillar(srn)
        return pillar_before_files(srn) or self.pillars.as_written(srn)

    def compiled_pillar(self, srn: Srn) -> dict[str, Any] | None:
        """Return a target's pillar; None until it has been compiled."""
        return self.pillars.of(srn)

    def look_for_secrets(self, plan: Plan) -> None:
        """Mask the passwords of URLs in the arguments of a plan, and record secrets on its command lines."""
        for chunk in plan.chunks:
            self.masker.add_from_urls(chunk.id, chunk.name, chunk.arguments)
            self.exposed.see_chunk(chunk)

    def take_over_leftovers(self) -> None:
        """Remove the temporary files that killed processes left; this blocks, call it in a thread."""
        cachedir = self.settings.cachedir
        if not cachedir.is_dir():
            return
        from ensue.core.files.private_files import remove_left

        with suppress(OSError):  # They do no harm, and the next apply tries again.
            remove_left(cachedir)
            self.directory.leftovers.take_over()

    async def close(self) -> None:
        """Close all connections, and store the code of templates for the next process."""
        if "_kept_templates" in self.__dict__:
            self._kept_templates.write()
        self.bridge.close()
        await self.directory.close()
