"""Finds and hides the secrets in a state's data by the paths that the state declares.

The paths are property paths, as references have them (`property_grammar`): `password`, `users[*]:token`,
`nics[-1]:key`. An index may have its older form, `list:0`. `engine/sensitive_returns.py` refuses a path that
leads nowhere; here it is ignored.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.masking import MASK
from ensue.core.model.data import is_list, is_mapping, leaves
from ensue.core.model.numbers import whole_number
from ensue.core.model.unknown import Unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ensue.core.model.property_path import Step
    from ensue.core.model.property_values import Place

_WHOLE: Final[dict[Any, Any]] = {}
"""In a tree of places, the end of a path."""


def values_at(data: Any, paths: Iterable[str]) -> Iterator[str]:
    """Yield, as text, every scalar below the paths, for a masker."""
    for place in secret_places(data, paths):
        yield from scalar_texts(at(data, place))


def secret_places(data: Any, paths: Iterable[str]) -> Iterator[Place]:
    """Yield the place of every value that the paths lead to."""
    for path in paths:
        yield from _places(data, path)


def secrets_read(data: Any, paths: Iterable[str], steps: Sequence[Step]) -> Iterator[Any]:
    """Yield the secret values that a property path leads to, wholly or as a part of its value.

    Args:
        data: the data.
        paths: the paths of its secrets.
        steps: the property path that is read.
    """
    from ensue.core.model.property_values import PathError, places

    try:
        read = places(data, steps)
    except PathError:
        return
    for secret in secret_places(data, paths):
        for place in read:
            if place == secret[: len(place)]:
                yield at(data, secret)
            elif secret == place[: len(secret)]:
                yield at(data, place)


def scalar_texts(data: Any) -> Iterator[str]:
    """Yield every scalar as text, except null, true, false and unknown values, which no text gives away."""
    for value in leaves(data):
        if isinstance(value, bytes):
            yield value.decode("utf-8", "backslashreplace")
        elif value is not None and not isinstance(value, bool | Unknown):
            yield str(value)


def hide_paths(data: Any, paths: Collection[str]) -> Any:
    """Return a `new_state` with the values at the paths replaced by `(sensitive)`; the rest is shared."""
    return hide_places(data, secret_places(data, paths)) if paths else data


def hide_in_changes(changes: Any, paths: Iterable[str]) -> Any:
    """Return changes, or an `old_state`, with the values at the paths replaced by `(sensitive)`.

    Unlike in `new_state`, an index stands for every item of its list. Levels `new` and `old` are passed
    through.
    """
    places = [place for path in paths for place in _places(changes, path, in_changes=True)]
    if () in places and is_mapping(changes):
        places = [(key,) for key in changes]
    return hide_places(changes, places)


def hide_places(data: Any, places: Iterable[Place]) -> Any:
    """Return data with the values at some places replaced by `(sensitive)`; the rest is shared.

    Args:
        data: the data.
        places: the places; those that the data lacks are passed over.
    """
    tree: dict[Any, Any] | None = None
    for place in places:
        if not place:
            return data if data is None else MASK
        if tree is None:
            tree = {}
        branch = tree
        for key in place[:-1]:
            branch = branch.setdefault(key, {})
            if branch is _WHOLE:
                break
        else:
            branch[place[-1]] = _WHOLE
    return data if tree is None else _hidden(data, tree)


def path_problem(path: object) -> str:
    """Return what is wrong with a path as such; empty if it is a property path."""
    if not isinstance(path, str):
        return "a path is a text"
    from ensue.core.model.property_grammar import read_property

    steps = read_property(path)
    return steps if isinstance(steps, str) else ""


def nowhere(data: Any, path: str) -> str:
    """Return why a path leads nowhere; empty if it leads to a value, or to every item of an empty list."""
    from ensue.core.model.property_values import PathError, places

    try:
        places(data, _readings(path)[0])
    except PathError as error:
        return str(error)
    return ""


def at(data: Any, place: Place) -> Any:
    """Return the value at a place."""
    for key in place:
        data = data[key]
    return data


def written(place: Place) -> str:
    """Return the path to a place."""
    from ensue.core.model.property_grammar import quoted

    path = ""
    for key in place:
        if key.__class__ is int:
            path += f"[{key}]"
        else:
            path += f":{quoted(key)}" if path else quoted(key)
    return path


def changed_paths(data: Any, masked: Any) -> Iterator[str]:
    """Yield the path of every value that masking has changed.

    Args:
        data: data in the clear.
        masked: the same data, masked; for a masked key, the path of its mapping is yielded.
    """
    return map(written, _changed((), data, masked))


def _changed(place: Place, data: Any, masked: Any) -> Iterator[Place]:
    if is_mapping(data):
        if data.keys() == masked.keys():
            for key, value in data.items():
                yield from _changed((*place, str(key)), value, masked[key])
            return
    elif is_list(data):
        for number, (item, other) in enumerate(zip(data, masked, strict=True)):
            yield from _changed((*place, number), item, other)
        return
    if data != masked:
        yield place


def _places(data: Any, path: str, *, in_changes: bool = False) -> Iterator[Place]:
    from ensue.core.model.property_values import PathError, places

    for steps in _readings(path):
        try:
            yield from places(data, steps, in_changes=in_changes)
        except PathError:
            continue


@lru_cache(maxsize=4096)
def _readings(path: str) -> tuple[tuple[Step, ...], ...]:
    """Return the steps of a path.

    What was recorded by earlier releases, or comes from a function, may have keys with brackets as they are.
    Therefore the second reading takes everything between colons as a key.
    """
    from ensue.core.model.property_grammar import read_property

    steps = read_property(path)
    keys = tuple(path.split(":"))
    if isinstance(steps, str):
        return (keys,)
    return (steps,) if steps == keys or not path else (steps, keys)


def _hidden(data: Any, tree: dict[Any, Any]) -> Any:
    if tree is _WHOLE:
        return data if data is None else MASK
    if not is_mapping(data) and not isinstance(data, list | tuple):
        return data  # It has none of the places.
    # A tuple has no places that can be assigned to.
    changed: Any = dict(data) if is_mapping(data) else [*cast("Iterable[Any]", data)]
    for key, branch in tree.items():
        for own in _keys_like(changed, key):
            changed[own] = _hidden(changed[own], branch)
    return changed


def _keys_like(data: Any, key: Any) -> list[Any]:
    """Return the keys of a mapping, or the indices of a list, that a key of a place means."""
    if is_list(data):
        index = whole_number(key) if isinstance(key, str) else key
        return [index] if isinstance(index, int) and -len(data) <= index < len(data) else []
    return [key] if key in data else [own for own in data if str(own) == str(key)]
