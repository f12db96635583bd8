"""Data made of nothing but what JSON and YAML have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SCALARS: Final = frozenset({str, bool, int, float, type(None)})
"""Classes of values that are kept as they are."""

_TEXT: Final = frozenset({str})


def plain(data: Any) -> Any:
    """Return a copy of data that is masked already, made of nothing but mappings, lists and scalars."""
    if isinstance(data, dict):
        mapping = cast("Mapping[Any, Any]", data)
        return mapping if _is_flat(mapping) else _plain_mapping(mapping)
    if data is None or isinstance(data, str | bool | int | float):
        return data
    if isinstance(data, list | tuple):
        items = cast("Sequence[Any]", data)
        return [item if item.__class__ in _SCALARS else plain(item) for item in items]
    if isinstance(data, set | frozenset):
        members = cast("Iterable[Any]", data)
        return sorted((plain(member) for member in members), key=str)
    if isinstance(data, bytes):
        return data.decode("utf-8", "backslashreplace")
    return str(data)


def _plain_mapping(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        key if isinstance(key, str) else _key(key): value if value.__class__ in _SCALARS else plain(value)
        for key, value in mapping.items()
    }


def _is_flat(mapping: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is presentable as it is: text for keys, scalars for values."""
    return _TEXT.issuperset(map(type, mapping)) and _SCALARS.issuperset(map(type, mapping.values()))


def _key(key: Any) -> str:
    return key.decode("utf-8", "backslashreplace") if isinstance(key, bytes) else str(key)
