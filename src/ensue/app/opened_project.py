"""An opened project folder: its options, secrets, plug-ins and stores."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from ensue.app.opened_stores import opened_stores
from ensue.app.services import services_of
from ensue.core.masking import Masker
from ensue.core.model.secret_values import secret_values
from ensue.language.settings.sdb_options import with_sdb_values
from ensue.language.settings.settings import Settings, read_settings
from ensue.reach.processes.threads import Threads
from ensue.reach.resources.plugins import Plugins
from ensue.reach.resources.providers import FOLDER as PROVIDERS_FOLDER
from ensue.reach.resources.providers import Providers
from ensue.reach.resources.type_sources import FOLDER, TypeSources
from ensue.store.stores import Stores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ensue.app.services import Services
    from ensue.core.contracts.function_docs import Documentation
    from ensue.core.contracts.other_minions import OtherMinions
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.data import Data
    from ensue.core.model.srn import Srn
    from ensue.deploy.drivers.loading import Drivers
    from ensue.language.targets.targets import Targets
    from ensue.output.part_documentation import PartDocumentation


Result = TypeVar("Result")

_MOST_THREADS = 256
"""How many threads there are: renderings wait in threads for calls that need threads themselves."""


class ProjectOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line says about the project as a whole.

    Args:
        minion_id: `--id`; None: ensue.yaml's `id`, else the host name.
        pillar: `--pillar` and `--pillar-file`, merged; nested by colon keys already.
        overrides: options that override ensue.yaml, by their names there.
        other_minions: the other minions of a run over minions; None in other runs.
    """

    minion_id: str | None = None
    pillar: Mapping[str, Data] = msgspec.field(default_factory=dict[str, "Data"])
    overrides: Mapping[str, Data] = msgspec.field(default_factory=dict[str, "Data"])
    other_minions: OtherMinions | None = None


class OpenedProject:
    """An opened project folder. An async context manager that closes it.

    Args:
        settings: its options.
        options: what the command line says.
    """

    def __init__(self, settings: Settings, options: ProjectOptions) -> None:
        self.settings = settings
        self.root = settings.root
        self.cachedir = settings.cachedir
        self.minion_id = settings.minion_id
        self.masker = Masker()
        # Before anything is read whose error message might quote one of them.
        self.masker.add_guessed(*secret_values(settings.values), *secret_values(options.pillar))
        self.masker.add(*settings.secrets)
        self._pillar = options.pillar
        self._other_minions = options.other_minions
        folders = self._code_folders()
        sources = TypeSources([folder / FOLDER for folder in folders], settings.root)
        providers = Providers([folder / PROVIDERS_FOLDER for folder in folders])
        self._plugins = Plugins(sources, settings.values, providers)
        self._opened: Services | None = None
        self._stores = Stores(settings, self.masker, self._plugins, self._claimed_by_pillar)

    @classmethod
    def open(cls, root: Path, options: ProjectOptions) -> Self:
        """Read ensue.yaml and return the project; no other I/O is done.

        Raises:
            ConfigurationError: ensue.yaml is broken; the error has every diagnostic.
        """
        return cls(read_settings(root, options.minion_id, options.overrides, with_sdb_values), options)

    def _services(self) -> Services:
        """Return the shared parts of the project, made on the event loop that first requests them."""
        if self._opened is None:
            asyncio.get_running_loop().set_default_executor(Threads(_MOST_THREADS, "ensue"))
            stores = opened_stores(
                self._stores,
                self._plugins,
                lambda: self._drivers,
                pillar_override=self._pillar,
                other_minions=self._other_minions,
            )
            self._opened = services_of(stores)
        return self._opened

    async def documented(self, read: Callable[[Documentation], Result]) -> Result:
        """Read from the documentation of the project's functions, in a thread.

        Args:
            read: gets the documentation; its value is returned.

        Raises:
            PluginError: a file of the project does not load.
        """
        from ensue.output.documentation import project_documentation

        sources = self._plugins.sources
        docs = project_documentation(self._services().compilation, lambda: sources.of_project)
        return await asyncio.to_thread(read, docs)

    async def documented_parts(self, read: Callable[[PartDocumentation], Result]) -> Result:
        """Read from the documentation of drivers, resource types, providers and topics, in a thread.

        Args:
            read: gets the documentation; its value is returned.

        Raises:
            PluginError: a file of the project does not load.
        """
        from ensue.output.part_documentation import PartDocumentation

        plugins = self._plugins
        docs = PartDocumentation(self._drivers, plugins.sources, plugins.providers)
        return await asyncio.to_thread(read, docs)

    @cached_property
    def _drivers(self) -> Drivers:
        from ensue.deploy.drivers.loading import FOLDER, Drivers

        return Drivers([folder / FOLDER for folder in self._code_folders()])

    def _code_folders(self) -> list[Path]:
        """Return the folders that may have a project's own types, providers and drivers below them."""
        return [folder for listed in self.settings.file_roots.values() for folder in listed]

    def _claimed_by_pillar(self, resource_id: str, /) -> Srn | None:
        if self._opened is None:
            return None
        return self._opened.targets.directory.index.declared_as(resource_id)

    async def _prepared(self) -> Targets:
        targets = self._services().targets
        await targets.preparation.prepare(targets.minion)
        return targets

    def warnings(self) -> tuple[Diagnostic, ...]:
        """Return the warnings about `ensue.yaml`, and about the pillar of every target that was compiled."""
        return (*self.settings.warnings, *(self._opened.stores.pillars.warnings if self._opened else ()))

    async def unnamed_pillar(self) -> tuple[Diagnostic, ...]:
        """Return the warnings about pillar files that no target gets."""
        from ensue.language.unnamed_pillar import unnamed_pillar

        roots, saltenvs = self._services().stores.pillar_roots, self.settings.pillar_roots
        return await asyncio.to_thread(lambda: tuple(unnamed_pillar(roots, saltenvs)))

    async def __aenter__(self) -> Self:
        """Return the project."""
        return self

    def end_waits(self) -> None:
        """End every wait for another process that has locked a store; any thread may call.

        What waits fails, and so does what would have to wait afterwards.
        """
        self._stores.waits.end()

    async def __aexit__(self, error: type[BaseException] | None = None, *_: object) -> None:
        """Close connections and the store."""
        if error is not None:
            self.end_waits()
        if self._opened is not None:
            await self._opened.close()
            self._opened = None
        self._stores.close()
