"""Environment providers by name: a project's `_providers/`, ensue's own, and installed distributions.

Source: derived-resources document, "The pattern". `_providers` is what Salt's `_states` is for states.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.errors import NotAvailableError, PluginError
from ensue.model.regular_files import is_folder
from ensue.resources.near_names import not_there

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ensue.contracts.provider import EnvironmentProvider

FOLDER: Final = "_providers"
"""The folder below a file root that holds a project's own providers, a file each."""

_SHIPPED: Final = {
    "sandbox": "ensue.resources.sandbox.provider",
    "command": "ensue.resources.command_environment",
    "terraform": "ensue.resources.terraform_environment",
}
_NEEDS: Final = ("observe", "deploy", "connection_info", "destroy")
_GROUP: Final = "ensue.providers"
_NAME: Final = r"[a-z_][a-z0-9_]*\Z"


class Providers:
    """All providers that there are, each loaded when first used.

    Args:
        folders: `_providers` of every file root, the first one wins; those that do not exist are skipped.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._project = {
            path.stem: path
            for folder in reversed(folders)
            if is_folder(folder)
            for path in sorted(folder.glob("*.py"))
            if not path.name.startswith(("_", "."))
        }
        self._loaded: dict[str, EnvironmentProvider] = {}

    def find(self, name: str) -> EnvironmentProvider:
        """Return a provider. A project's own wins over ensue's, and ensue's over one of a distribution.

        Raises:
            NotAvailableError: there is none of this name.
            PluginError: it does not load, or lacks a function.
        """
        if name not in self._loaded:
            self._loaded[name] = self._checked(name)
        return self._loaded[name]

    def _checked(self, name: str) -> EnvironmentProvider:
        loaded: Any = None
        if name in self._project:
            loaded = _from_file(name, self._project[name])
        elif name in _SHIPPED:
            loaded = importlib.import_module(_SHIPPED[name])
        elif re.match(_NAME, name):
            loaded = _from_entry_points(name)
        if loaded is None:
            raise NotAvailableError(not_there("environment provider", name, self._names()))
        lacking = [one for one in _NEEDS if not callable(getattr(loaded, one, None))]
        if lacking:
            place = self._project.get(name, loaded.__name__)
            msg = f"the environment provider {name!r} ({place}) lacks {', '.join(lacking)}"
            raise PluginError(msg)
        return cast("EnvironmentProvider", loaded)

    def _names(self) -> list[str]:
        from importlib.metadata import entry_points

        return sorted({*self._project, *_SHIPPED, *entry_points(group=_GROUP).names})


def _from_file(name: str, path: Path) -> Any:
    full_name = f"ensue_provider_{name}"
    spec = importlib.util.spec_from_file_location(full_name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"the environment provider {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        msg = f"the environment provider {name!r} ({path}) does not load: {type(error).__name__}: {error}"
        raise PluginError(msg) from error
    return module


def _from_entry_points(name: str) -> Any:
    from importlib.metadata import entry_points

    for entry in entry_points(group=_GROUP, name=name):
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
