"""The secrets that a state declares by its argument `sensitive`: literals of an SLS at these paths.

The paths lead into `new_state`. A function of a project may build its `new_state` from its arguments, so they
are followed into the arguments themselves, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping, leaves
from ensue.core.model.sensitive_paths import (
    at,
    hide_in_changes,
    hide_paths,
    nowhere,
    path_problem,
    scalar_texts,
    secret_places,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SENSITIVE: Final = "sensitive"
"""The argument."""

_STATE: Final = "new_state"
_NAMES: Final = "names"
_NO_DATA: Final = frozenset({SENSITIVE, _STATE, _NAMES, "state", "fun", "name", "order"})
"""Keys beside the arguments that are not data of the state."""


def declared_paths(arguments: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the property paths that a state's argument `sensitive` lists."""
    given = arguments.get(SENSITIVE)
    listed: list[Any] = [given] if isinstance(given, str) else given if is_list(given) else []
    return tuple(path for path in map(as_path, listed) if not path_problem(path))


def as_path(given: Any) -> Any:
    """Return an entry of `sensitive` as a path: YAML reads a key of digits as a number."""
    return str(given) if given.__class__ is int else given


def declared_secrets(arguments: Mapping[Any, Any]) -> Iterator[str]:
    """Yield, as text, the literals that a state declares to be secrets; a text with a reference is none."""
    for value in _values(arguments):
        yield from (text for text in scalar_texts(value) if "${" not in text)


def declared_literals(arguments: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the same literals as `declared_secrets`, and true and false as YAML has them."""
    yield from declared_secrets(arguments)
    for value in _values(arguments):
        yield from (str(leaf).lower() for leaf in leaves(value) if isinstance(leaf, bool))


def _values(arguments: Mapping[Any, Any]) -> Iterator[Any]:
    paths = declared_paths(arguments)
    for data, own in ((arguments.get(_STATE), paths), (_data_of(arguments), _inner(paths))):
        yield from (at(data, place) for place in secret_places(data, own))


def hide_declared(arguments: Mapping[Any, Any], paths: tuple[str, ...]) -> dict[Any, Any]:
    """Return arguments with `(sensitive)` at the places that paths lead to.

    If a path leads nowhere in `new_state`, the secret is in another place, and every value is hidden.

    Args:
        arguments: arguments by name; the other keys of an entry of low data may be among them.
        paths: the paths.
    """
    state = arguments.get(_STATE)
    is_lost = (is_mapping(state) or is_list(state)) and any(nowhere(state, path) for path in paths)
    hidden = {**arguments, **hide_paths(_data_of(arguments), _inner(paths))}
    for word in _data_of(arguments):
        hidden[word] = hide_in_changes(hidden[word], ("",) if is_lost else paths)
    if _STATE in arguments:
        hidden[_STATE] = hide_paths(state, ("",) if is_lost else paths)
    if is_list(arguments.get(_NAMES)):
        hidden[_NAMES] = [_hidden_name(name, paths) for name in arguments[_NAMES]]
    return hidden


def _hidden_name(entry: Any, paths: tuple[str, ...]) -> Any:
    """Return an entry of `names` with the arguments below it hidden."""
    if not is_mapping(entry):
        return entry
    return {
        name: [hide_declared(arguments, paths) if is_mapping(arguments) else arguments for arguments in below]
        if is_list(below)
        else hide_declared(below, paths)
        if is_mapping(below)
        else below
        for name, below in entry.items()
    }


def _data_of(arguments: Mapping[Any, Any]) -> dict[Any, Any]:
    return {
        word: value
        for word, value in arguments.items()
        if word not in _NO_DATA and not str(word).startswith("__")
    }


def _inner(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths that begin with a key; the others are about `new_state` as a whole."""
    return tuple(path for path in paths if path and not path.startswith("["))
