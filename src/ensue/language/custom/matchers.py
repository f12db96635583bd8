"""Matchers of a project's own: `_matchers/NAME_match.py`, which a top file names as `- match: NAME`.

Source: Salt's `matchers`: `confirm_top` calls `match(expression)` of `NAME_match`, with the target's options,
grains and pillar as globals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import PluginError
from ensue.language.custom.dunders import calling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.custom.folders import CustomFiles

_SUFFIX: Final = "_match"


class CustomMatchers:
    """The matchers of a project for one target.

    Args:
        files: the project's `_matchers` files.
        surroundings: makes the globals of a call.
    """

    def __init__(self, files: CustomFiles, surroundings: Callable[[], Mapping[str, Any]]) -> None:
        self._files = files
        self._surroundings = surroundings

    def names(self) -> list[str]:
        """Return the names of all matchers, as a top file writes them."""
        return [name.removesuffix(_SUFFIX) for name in self._files.names() if name.endswith(_SUFFIX)]

    def find(self, kind: str) -> Callable[[str], bool] | None:
        """Return a function that matches the target against an expression; None if there is no such matcher.

        Args:
            kind: the matcher, as a top file names it.

        Raises:
            PluginError: its file does not load, or refuses to be used.
        """
        files = self._files.of(f"{kind}{_SUFFIX}")
        for file in files:
            function = None if file.refusal else file.functions.get("match")
            if function is not None:
                return lambda expression: self._matched(kind, function, expression)
        if refusals := [str(loaded) for loaded in files if loaded.refusal]:
            raise PluginError("; ".join(refusals))
        return None

    def _matched(self, kind: str, function: Callable[[str], Any], expression: str) -> bool:
        with calling(self._surroundings()):
            try:
                return bool(function(expression))
            except Exception as error:
                raise PluginError(f"the matcher {kind!r} failed: {type(error).__name__}: {error}") from error
