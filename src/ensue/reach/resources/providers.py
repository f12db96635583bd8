"""Environment providers by name: a project's `_providers/`, ensue's own, and installed distributions.

Source: derived-resources document, "The pattern". `_providers` is what Salt's `_states` is for states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from ensue.core.contracts.plugin_modules import PluginKind, PluginModules

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ensue.core.contracts.provider import EnvironmentProvider

FOLDER: Final = "_providers"
"""The folder below a file root with a project's own providers, one file each."""

_KIND: Final = PluginKind(
    words="environment provider",
    group="ensue.providers",
    shipped={
        "sandbox": "ensue.reach.resources.sandbox",
        "command": "ensue.reach.resources.command_environment",
        "terraform": "ensue.reach.resources.terraform_environment",
    },
    functions=("observe", "deploy", "connection_info", "destroy"),
)


class Providers:
    """All environment providers, each loaded when first used.

    Args:
        folders: `_providers` of every file root, the first one wins; those that do not exist are skipped.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._modules = PluginModules(_KIND, folders)

    def names(self) -> list[str]:
        """Return the names of all providers, sorted."""
        return self._modules.names()

    def find(self, name: str) -> EnvironmentProvider:
        """Return a provider: the project's own, else ensue's, else that of a distribution.

        Raises:
            NotAvailableError: the provider does not exist.
            PluginError: it does not load, or lacks a function.
        """
        return cast("EnvironmentProvider", self._modules.find(name))
