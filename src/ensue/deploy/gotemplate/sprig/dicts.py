"""Mappings.

Source: Sprig's documentation, "Dictionaries and Dict Functions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import copied, is_mapping
from ensue.core.model.secret_marks import computed
from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.printing import check_bounded, string_of
from ensue.deploy.gotemplate.values import is_true, type_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def _dict(*values: Any) -> dict[str, Any]:
    padded = [*values, ""] if len(values) % 2 else list(values)
    return {_key(key): value for key, value in zip(padded[::2], padded[1::2], strict=True)}


def _key(value: Any) -> str:
    return value if isinstance(value, str) else computed(string_of(value), (value,))


def _set(mapping: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    mapping[key] = value
    return mapping


def _unset(mapping: dict[str, Any], key: str) -> dict[str, Any]:
    mapping.pop(key, None)
    return mapping


def _keys(*mappings: dict[str, Any]) -> list[str]:
    return [key for mapping in mappings for key in sorted(mapping, key=str)]


def _pick(mapping: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: mapping[key] for key in keys if key in mapping}


def _omit(mapping: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}


def _pluck(key: str, *mappings: dict[str, Any]) -> list[Any]:
    return [mapping[key] for mapping in mappings if key in mapping]


def _merge(into: dict[str, Any], *others: dict[str, Any]) -> dict[str, Any]:
    for other in others:
        check_bounded(other)
        _fill(into, other)
    return into


def _fill(into: dict[str, Any], other: dict[str, Any]) -> None:
    for key, value in other.items():
        present = into.get(key)
        if is_mapping(present) and is_mapping(value):
            _fill(present, value)
        elif key not in into or (not is_true(present) and value is not None):
            into[key] = copied(value)


def _merge_overwrite(into: dict[str, Any], *others: dict[str, Any]) -> dict[str, Any]:
    for other in others:
        check_bounded(other)
        _replace(into, other)
    return into


def _replace(into: dict[str, Any], other: dict[str, Any]) -> None:
    for key, value in other.items():
        present = into.get(key)
        if is_mapping(present) and is_mapping(value):
            _replace(present, value)
        elif not (
            is_mapping(value) and is_true(present)
        ):  # as in Sprig, a mapping never replaces another kind of value
            into[key] = copied(value)


def _dig(*values: Any) -> Any:
    *keys, default, mapping = values
    for index, key in enumerate(keys):
        if not isinstance(key, str):
            raise CallError(f"the key {string_of(key)} is {type_of(key)}", help="Keys of `dig` are strings")
        if not is_mapping(mapping):
            path = ".".join(map(str, keys[:index])) or "its last argument"
            raise CallError(f"{path} is {type_of(mapping)}, not a mapping", help=f"It has no {key}")
        if key not in mapping:
            return default
        mapping = mapping[key]
    return mapping


def _deep_copy(value: Any) -> Any:
    check_bounded(value)
    return copied(value)


DICT_FUNCTIONS: Final[Mapping[str, Function]] = {
    "deepCopy": function(_deep_copy, "a"),
    "dict": function(_dict, "a*"),
    "dig": function(_dig, "aaaa*"),
    "get": function(lambda mapping, key: mapping.get(key, ""), "ds"),
    "hasKey": function(lambda mapping, key: key in mapping, "ds"),
    "keys": function(_keys, "d*"),
    "merge": function(_merge, "dd*"),
    "mergeOverwrite": function(_merge_overwrite, "dd*"),
    "mustDeepCopy": function(_deep_copy, "a"),
    "mustMerge": function(_merge, "dd*"),
    "mustMergeOverwrite": function(_merge_overwrite, "dd*"),
    "omit": function(_omit, "ds*"),
    "pick": function(_pick, "ds*"),
    "pluck": function(_pluck, "sd*"),
    "set": function(_set, "dsa"),
    "unset": function(_unset, "ds"),
    "values": function(lambda mapping: [mapping[key] for key in sorted(mapping, key=str)], "d"),
}
"""The functions by name."""
