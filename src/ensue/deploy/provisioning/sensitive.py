"""Secret and foreign parts of data: marked while values are combined, and listed by path afterwards.

A path is a tuple of keys and indices, from the top of the data to the value.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.property_grammar import quoted
from ensue.core.model.sensitive_paths import at, scalar_texts
from ensue.core.model.unknown import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ensue.core.contracts.driver import ForeignPart

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indices that lead to a value."""

ForeignParts: TypeAlias = "Mapping[Path, tuple[ForeignPart, ...]]"
"""The parts of data that are outputs of resources, by path."""

NOTHING_FOREIGN: Final[ForeignParts] = MappingProxyType({})


class Sensitive(msgspec.Struct, frozen=True):
    """A secret value within data.

    Args:
        value: the value in the clear.
    """

    value: Any


class Foreign(msgspec.Struct, frozen=True):
    """A value in data that comes from outputs of resources, wholly or in parts of its text.

    Args:
        value: the value; it may contain `Sensitive` values.
        parts: its foreign parts.
    """

    value: Any
    parts: tuple[ForeignPart, ...]


class Parted(NamedTuple):
    """Data without marks, and the paths of the marks.

    Args:
        data: the data; the same object if nothing was marked.
        secret_paths: the paths of its secrets.
        foreign: its foreign parts.
    """

    data: Any
    secret_paths: tuple[Path, ...]
    foreign: dict[Path, tuple[ForeignPart, ...]]


def marked(data: Any, paths: Iterable[Path]) -> Any:
    """Return data with the values at some paths marked; a path that leads nowhere is ignored."""
    for path in paths:
        data = _marked(data, path)
    return data


def separated(data: Any) -> tuple[Any, tuple[Path, ...]]:
    """Return data without marks, and the paths of secrets; the same object if there are no marks."""
    return parted(data)[:2]


def parted(data: Any) -> Parted:
    """Return data without marks, and the paths of the marks."""
    paths: list[Path] = []
    foreign: dict[Path, tuple[ForeignPart, ...]] = {}
    plain = note_marks(data, (), paths, foreign)
    return Parted(plain, tuple(paths), foreign)


def below(paths: Iterable[Path], path: Path) -> list[Path]:
    """Return the paths of secrets in the value at a path, relative to it; `()` means all of it."""
    size = len(path)
    return [known[size:] for known in paths if overlap(known, path)]


def below_field(paths: Iterable[Path], field: str) -> tuple[Path, ...]:
    """Return the paths that begin with a field, without it."""
    return tuple(path[1:] for path in paths if path[:1] == (field,))


def overlap(first: Path, other: Path) -> bool:
    """Return whether two paths are equal, or one leads below the other."""
    return all(str(a) == str(b) for a, b in zip(first, other, strict=False))


def colon_paths(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return paths as in returns of states: joined by colons.

    A number may be an index or a key of a mapping, so it has the older form of an index (`list:0`), which
    means both.
    """
    return tuple(dict.fromkeys(":".join(quoted(str(part)) for part in path) for path in paths))


def _marked(data: Any, path: Path) -> Any:
    if isinstance(data, Sensitive | Unknown):
        return data
    if not path:
        return Sensitive(data)
    if is_mapping(data) and path[0] in data:
        return {**data, path[0]: _marked(data[path[0]], path[1:])}
    if is_list(data) and isinstance(path[0], int) and path[0] < len(data):
        items = list(data)
        items[path[0]] = _marked(items[path[0]], path[1:])
        return items
    return data


def note_marks(data: Any, path: Path, paths: list[Path], foreign: dict[Path, tuple[ForeignPart, ...]]) -> Any:
    """Return data without marks; the same object if nothing was marked.

    Args:
        data: the data.
        path: its path.
        paths: receives the paths of its secrets.
        foreign: receives its foreign parts.
    """
    if isinstance(data, Sensitive):
        paths.append(path)
        return note_marks(data.value, path, [], foreign)
    if isinstance(data, Foreign):
        foreign[path] = data.parts
        return note_marks(data.value, path, paths, {})
    if is_mapping(data):
        read = {key: note_marks(value, (*path, key), paths, foreign) for key, value in data.items()}
        return read if any(read[key] is not data[key] for key in data) else data
    if is_list(data):
        items = [note_marks(value, (*path, place), paths, foreign) for place, value in enumerate(data)]
        return items if _differs(items, data) else data
    return data


def _differs(items: Sequence[Any], others: Sequence[Any]) -> bool:
    return any(item is not other for item, other in zip(items, others, strict=True))


def differing(data: Any, masked: Any, path: Path = ()) -> tuple[Path, ...]:
    """Return the paths of all values that masking has changed.

    Args:
        data: data in the clear.
        masked: the same, masked.
        path: the path of both.
    """
    if data is masked:
        return ()
    if is_mapping(data):
        if data.keys() != masked.keys():
            return (path,)
        return tuple(place_ for key in data for place_ in differing(data[key], masked[key], (*path, key)))
    if is_list(data):
        pairs = enumerate(zip(data, masked, strict=True))
        return tuple(place_ for place, (a, b) in pairs for place_ in differing(a, b, (*path, place)))
    return () if data == masked else (path,)


def texts_in(data: Any, paths: Iterable[Path] = ((),)) -> Iterator[str]:
    """Yield, as text, every scalar at or below some paths, for a masker."""
    for path in paths:
        yield from scalar_texts(at(data, path))


def leaf_paths(data: Any, path: Path = ()) -> list[Path]:
    """Return the paths of the leaves of data, so that the keys around secrets can be shown."""
    if is_mapping(data):
        return [leaf for key, value in data.items() for leaf in leaf_paths(value, (*path, key))]
    return [path]


def same_at(first: Any, other: Any, path: Path) -> bool:
    """Return whether two trees have the same value at a path."""
    try:
        return bool(at(first, path) == at(other, path))
    except (LookupError, TypeError):
        return False
