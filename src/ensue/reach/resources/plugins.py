"""Resource types and environment providers by name, each loaded when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ensue.core.errors import NotAvailableError, ResourceTypeError
from ensue.core.model.near_names import not_there
from ensue.reach.resources.loaded_type import LoadedType
from ensue.reach.resources.providers import Providers
from ensue.reach.resources.type_sources import TypeSources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.provider import EnvironmentProvider
    from ensue.core.model.data import ReadOnlyDataMap
    from ensue.core.model.srn import Srn


class Plugins:
    """Resource types and providers.

    Args:
        sources: where types are found.
        providers: where environment providers are found.
        opts: the project's options, for the hooks of types.
    """

    def __init__(
        self,
        sources: TypeSources | None = None,
        opts: Mapping[str, Any] | None = None,
        providers: Providers | None = None,
    ) -> None:
        self._sources = sources or TypeSources()
        self._providers = providers or Providers()
        self._opts = opts or {}
        self._types: dict[str, LoadedType | ResourceTypeError] = {}

    def resource_type(self, name: str) -> LoadedType:
        """Return a resource type.

        Raises:
            NotAvailableError: the type does not exist.
            ResourceTypeError: it does not load, or violates its contract.
        """
        if name not in self._types:
            try:
                source = self._sources.find(name)
                if source is None:
                    raise NotAvailableError(not_there("resource type", name, self._sources.names()))
                self._types[name] = LoadedType(source, self._sources, self._opts)
            except ResourceTypeError as error:
                # A broken type is not loaded a second time for its next resource.
                self._types[name] = error
        type_ = self._types[name]
        if isinstance(type_, ResourceTypeError):
            raise type_
        return type_

    @property
    def sources(self) -> TypeSources:
        """The places of resource types."""
        return self._sources

    @property
    def providers(self) -> Providers:
        """The environment providers."""
        return self._providers

    @property
    def of_project(self) -> list[str]:
        """The names of the types in the project's `_resources`."""
        return self._sources.of_project

    @property
    def loaded(self) -> list[LoadedType]:
        """The types that were used so far."""
        return [type_ for type_ in self._types.values() if isinstance(type_, LoadedType)]

    def configuration_faults(self, srn: Srn, config: ReadOnlyDataMap) -> list[str]:
        """Return what is wrong with a resource's configuration, one sentence per error.

        Args:
            srn: the resource.
            config: its configuration; keys must be text for every type.

        Raises:
            NotAvailableError: the type does not exist.
            PluginError: the type does not load.
        """
        type_ = self.resource_type(srn.type)
        odd = [key for key in cast("Mapping[object, object]", config) if not isinstance(key, str)]
        if odd:
            return [f"the key {key!r} is not text (put it in quotes)" for key in odd]
        return type_.check(config)

    def provider(self, name: str) -> EnvironmentProvider:
        """Return an environment provider.

        Raises:
            NotAvailableError: the provider does not exist.
            PluginError: it does not load, or lacks a function.
        """
        return self._providers.find(name)

    async def shutdown(self) -> None:
        """Call the `shutdown` of every type that was used, one after the other."""
        for loaded_type in self.loaded:
            await loaded_type.shutdown()
