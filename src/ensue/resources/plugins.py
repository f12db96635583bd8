"""Resource types and environment providers by name, each loaded when first used."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.errors import NotAvailableError, PluginError, ResourceTypeError
from ensue.resources.loaded_type import LoadedType
from ensue.resources.type_sources import TypeSources

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.contracts.provider import EnvironmentProvider
    from ensue.model.data import ReadOnlyDataMap
    from ensue.model.srn import Srn
_OWN_PROVIDERS: Final = {
    "sandbox": "ensue.resources.sandbox.provider",
    "command": "ensue.resources.command_environment",
}
_PROVIDER_NEEDS: Final = ("observe", "deploy", "destroy")
_NAME: Final = r"[a-z_][a-z0-9_]*\Z"


class Plugins:
    """Resource types and providers.

    Args:
        sources: where types are found.
        opts: the project's options, for the hooks of types.
    """

    def __init__(self, sources: TypeSources | None = None, opts: Mapping[str, Any] | None = None) -> None:
        self._sources = sources or TypeSources()
        self._opts = opts or {}
        self._types: dict[str, LoadedType | ResourceTypeError] = {}
        self._providers: dict[str, EnvironmentProvider] = {}

    def resource_type(self, name: str) -> LoadedType:
        """Return a resource type.

        Raises:
            NotAvailableError: there is none of this name.
            ResourceTypeError: it does not load, or breaks its contract.
        """
        if name not in self._types:
            try:
                source = self._sources.find(name)
                if source is None:
                    raise NotAvailableError(_not_there("resource type", name, self._sources.names()))
                self._types[name] = LoadedType(source, self._sources, self._opts)
            except ResourceTypeError as error:
                # A broken type is not loaded a second time for its next resource.
                self._types[name] = error
        found = self._types[name]
        if isinstance(found, ResourceTypeError):
            raise found
        return found

    @property
    def sources(self) -> TypeSources:
        """Where types are found."""
        return self._sources

    @property
    def of_project(self) -> list[str]:
        """The names of the types in the project's `_resources`."""
        return self._sources.of_project

    @property
    def loaded(self) -> list[LoadedType]:
        """The types that were used so far."""
        return [one for one in self._types.values() if isinstance(one, LoadedType)]

    def configuration_faults(self, srn: Srn, config: ReadOnlyDataMap) -> list[str]:
        """Return what is wrong with a resource's configuration, one sentence each.

        Args:
            srn: the resource.
            config: its configuration; keys that are no text are wrong whatever the type.

        Raises:
            NotAvailableError: there is no such resource type.
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
            NotAvailableError: there is none of this name.
            PluginError: it does not load, or lacks a function.
        """
        if name not in self._providers:
            self._providers[name] = cast("EnvironmentProvider", _provider(name))
        return self._providers[name]

    async def shutdown(self) -> None:
        """Call the `shutdown` of every type that was used, one after the other."""
        for one in self.loaded:
            await one.shutdown()


def _provider(name: str) -> Any:
    loaded: Any = None
    if name in _OWN_PROVIDERS:
        loaded = importlib.import_module(_OWN_PROVIDERS[name])
    elif re.match(_NAME, name):
        loaded = _from_entry_points(name)
    if loaded is None:
        raise NotAvailableError(_not_there("environment provider", name, _OWN_PROVIDERS))
    lacking = [one for one in _PROVIDER_NEEDS if not hasattr(loaded, one)]
    if lacking:
        msg = f"the environment provider {name!r} ({loaded.__name__}) lacks {', '.join(lacking)}"
        raise PluginError(msg)
    return loaded


def _not_there(kind: str, name: str, known: Iterable[str]) -> str:
    import difflib

    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=2)
    meant = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(names)}"
    return f"there is no {kind} {name!r} ({meant})"


def _from_entry_points(name: str) -> Any:
    from importlib.metadata import entry_points

    for entry in entry_points(group="ensue.providers", name=name):
        try:
            return entry.load()
        except Exception as error:
            distribution = entry.dist.name if entry.dist else "an unknown distribution"
            msg = (
                f"the environment provider {name!r} of {distribution} does not load: "
                f"{type(error).__name__}: {error}"
            )
            raise PluginError(msg) from error
    return None
