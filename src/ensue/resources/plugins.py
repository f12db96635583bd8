"""Loading resource types and environment providers by name: ours, then entry points."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.errors import NotAvailableError, PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.contracts.provider import EnvironmentProvider
    from ensue.contracts.resource_type import ResourceType
    from ensue.model.data import ReadOnlyDataMap
    from ensue.model.srn import Srn

_OWN_TYPES: Final = {
    name: f"ensue.resources.{name}" for name in ("minion", "ssh_host", "container", "k8s_pod")
}
_OWN_PROVIDERS: Final = {
    "sandbox": "ensue.resources.sandbox.provider",
    "command": "ensue.resources.command_environment",
}
_TYPE_NEEDS: Final = ("connect", "ping", "grains", "check", "SECRET_KEYS")
_PROVIDER_NEEDS: Final = ("observe", "deploy", "destroy")
_NAME: Final = r"[a-z_][a-z0-9_]*\Z"


class Plugins:
    """Resource types and providers, each loaded when first used."""

    def __init__(self) -> None:
        self._types: dict[str, ResourceType] = {}
        self._providers: dict[str, EnvironmentProvider] = {}

    def resource_type(self, name: str) -> ResourceType:
        """Return a resource type.

        Raises:
            NotAvailableError: there is none of this name.
            PluginError: it does not load, or lacks a function.
        """
        if name not in self._types:
            loaded = _load(name, _OWN_TYPES, "ensue.resources", "resource type", _TYPE_NEEDS)
            self._types[name] = cast("ResourceType", loaded)
        return self._types[name]

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
            loaded = _load(name, _OWN_PROVIDERS, "ensue.providers", "environment provider", _PROVIDER_NEEDS)
            self._providers[name] = cast("EnvironmentProvider", loaded)
        return self._providers[name]


def _load(name: str, own: dict[str, str], group: str, kind: str, needs: tuple[str, ...]) -> Any:
    loaded: Any = None
    if name in own:
        loaded = importlib.import_module(own[name])
    elif re.match(_NAME, name):
        loaded = _from_entry_points(name, group, kind)
    if loaded is None:
        import difflib

        close = difflib.get_close_matches(name, own, n=2)
        meant = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(sorted(own))}"
        msg = f"there is no {kind} {name!r} ({meant})"
        raise NotAvailableError(msg)
    lacking = [one for one in needs if not hasattr(loaded, one)]
    if lacking:
        msg = f"the {kind} {name!r} ({loaded.__name__}) lacks {', '.join(lacking)}"
        raise PluginError(msg)
    return loaded


def _from_entry_points(name: str, group: str, kind: str) -> Any:
    from importlib.metadata import entry_points

    for entry in entry_points(group=group, name=name):
        try:
            return entry.load()
        except Exception as error:
            distribution = entry.dist.name if entry.dist else "an unknown distribution"
            msg = f"the {kind} {name!r} of {distribution} does not load: {type(error).__name__}: {error}"
            raise PluginError(msg) from error
    return None
