"""Checks the argument `sensitive` of states: the property paths of secrets.

A project's own function may take an argument of this name that is no text and no list; it is left alone.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, leaf_places
from ensue.core.model.declared_secrets import SENSITIVE, as_path
from ensue.core.model.sensitive_paths import path_problem, written
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration

_HELP: Final = (
    "join keys by colons, put indexes in brackets, and quote keys that contain either: `users[*]:token`"
)
_MOST_COMPARED: Final = 500


def check_sensitive(
    declaration: Declaration, arguments: Mapping[str, Any], refused: Collector, *, takes_paths_only: bool
) -> None:
    """Refuse what is no property path in a state's argument `sensitive`.

    Args:
        declaration: the state.
        arguments: its arguments.
        refused: collects the errors.
        takes_paths_only: whether the `sensitive` of the function can be nothing else.
    """
    given = arguments[SENSITIVE]
    listed: list[Any] = given if is_list(given) else [given] if isinstance(given, str) else []
    problems = {number: _problem(path) for number, path in enumerate(listed)}
    if not listed and takes_paths_only and given is not None and not is_list(given):
        problems[0] = "it is a list of property paths"
    for number, problem in problems.items():
        if problem:
            path = listed[number] if listed else given
            document, keys = declaration.written_at(SENSITIVE, *([number] if is_list(given) else []))
            refused.error(
                "E0410",
                f"`sensitive` of {declaration.id!r} has {path!r}, which is no property path",
                document.locate(keys),
                detail=problem,
                help=_near(str(path), arguments.get("new_state")) or _HELP,
            )


def _problem(path: Any) -> str:
    if isinstance(path, str) and "${" in path:
        return ""  # It is checked after the reference is resolved.
    return path_problem(as_path(path))


def _near(path: str, new_state: Any) -> str:
    """Return the paths that were probably meant, if the SLS says what `new_state` is."""
    places = islice(leaf_places(new_state), _MOST_COMPARED)
    return near_names(path, [written(place) for place, _ in places if place])
