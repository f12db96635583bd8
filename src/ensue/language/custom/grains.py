"""A project's own grains: the public functions of its `_grains` files, each of which returns some.

They run on this machine, for this machine. If one fails, its grains are missing and a warning is logged. One
that has a parameter `grains` receives what is known so far.

Source: Salt's `salt.loader.grains`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from ensue.core.contracts.callables import parameters
from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import PluginError
from ensue.language.custom.dunders import calling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.custom.folders import CustomFiles
    from ensue.language.custom.loading import LoadedFile

_logger = logging.getLogger(__name__)


class CustomGrains:
    """The grain functions of one project.

    Args:
        files: its `_grains` files.
        surroundings: makes the globals of a call.
    """

    def __init__(self, files: CustomFiles, surroundings: Callable[[], Mapping[str, Any]]) -> None:
        self._files = files
        self._surroundings = surroundings

    def __bool__(self) -> bool:
        """Return whether there are any functions."""
        return bool(self._files)

    def add_to(self, grains: dict[str, Any]) -> None:
        """Add the grains of all functions to a mapping, in the order of files and names.

        Args:
            grains: what is known; functions see it as `__grains__` and in `__salt__`.
        """
        for name in self._files.names():
            try:
                loaded = self._files.load(name)
            except PluginError as error:
                _warn(str(error))
                continue
            if loaded is not None and not loaded.refusal:
                for function in sorted(loaded.functions):
                    self._add(loaded, function, grains)

    def _add(self, loaded: LoadedFile, name: str, grains: dict[str, Any]) -> None:
        function = loaded.functions[name]
        try:
            takes = (
                {"grains": grains}
                if any(parameter.name == "grains" for parameter in parameters(function))
                else {}
            )
            with calling(self._surroundings()):
                made = function(**takes)
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- a plug-in call
            _warn(f"{loaded}: {name}() raised {type(error).__name__}: {error}")
            return
        if isinstance(made, dict):
            grains.update(cast("dict[str, Any]", made))


def _warn(summary: str) -> None:
    fault = Diagnostic(code="E0608", summary=summary, severity=Severity.WARNING)
    _logger.warning("%s: %s", fault.code, fault.message)
