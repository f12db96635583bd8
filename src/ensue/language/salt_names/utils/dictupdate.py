"""`salt.utils.dictupdate`: merging of mappings."""
# pyright: basic
# Custom code may pass values of any type.

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ensue.language.salt_names.absent import not_there


def update(dest: Any, upd: Any, recursive_update: bool = True, merge_lists: bool = False) -> Any:
    """Merge a mapping into another one in place, and return the latter.

    Args:
        dest: the mapping to change.
        upd: the mapping that takes precedence.
        recursive_update: merge nested mappings, too.
        merge_lists: append to a list the items of the other one that it lacks.
    """
    if not isinstance(dest, Mapping) or not isinstance(upd, Mapping):
        raise TypeError("Cannot update using non-dict types in dictupdate.update()")
    target: Any = dest
    for key, value in upd.items():
        before = target.get(key)
        if recursive_update and isinstance(before, Mapping) and isinstance(value, Mapping):
            target[key] = update(before, value, merge_lists=merge_lists)
        elif recursive_update and merge_lists and isinstance(before, list) and isinstance(value, list):
            target[key] = [*before, *(item for item in value if item not in before)]
        else:
            target[key] = value
    return target


def merge_list(obj_a: Mapping[Any, Any], obj_b: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return both mappings as one; a key of both has a list of the two values."""
    merged = dict(obj_a)
    for key, value in obj_b.items():
        merged[key] = [merged[key], value] if key in merged else value
    return merged


def merge_recurse(obj_a: Any, obj_b: Any, merge_lists: bool = False) -> Any:
    """Return the second mapping merged over a copy of the first one."""
    return update(copy.deepcopy(obj_a), obj_b, merge_lists=merge_lists)


def merge_overwrite(obj_a: Any, obj_b: Any, merge_lists: bool = False) -> Any:
    """Return the second mapping merged over the first one; values of common keys are replaced whole."""
    for key in obj_b:
        if key in obj_a:
            obj_a[key] = obj_b[key]
    return merge_recurse(obj_a, obj_b, merge_lists=merge_lists)


def merge(
    obj_a: Any, obj_b: Any, strategy: str = "smart", renderer: str = "yaml", merge_lists: bool = False
) -> Any:
    """Return two mappings merged into one.

    Args:
        obj_a: the base mapping.
        obj_b: the mapping that takes precedence.
        strategy: `smart`, `recurse`, `list` or `overwrite`; any other name means `recurse`.
        renderer: without effect; only aggregation in pillar files would use it.
        merge_lists: append to a list the items of the other one that it lacks.
    """
    del renderer
    if strategy == "list":
        return merge_list(obj_a, obj_b)
    if strategy == "overwrite":
        return merge_overwrite(obj_a, obj_b, merge_lists)
    if strategy == "none":
        return merge_recurse(obj_a, obj_b)
    return merge_recurse(obj_a, obj_b, merge_lists)


def set_dict_key_value(
    in_dict: Any, keys: str, value: Any, delimiter: str = ":", ordered_dict: bool = False
) -> Any:
    """Set a value at a path of keys, creating missing ones; the mapping is changed in place and returned."""
    del ordered_dict
    inner = in_dict
    *path, last = keys.split(delimiter)
    for key in path:
        inner = inner.setdefault(key, {})
    inner[last] = value
    return in_dict


def ensure_dict_key(in_dict: Any, keys: str, delimiter: str = ":", ordered_dict: bool = False) -> Any:
    """Ensure that there is a mapping at a path of keys; the whole is changed in place and returned."""
    del ordered_dict
    inner = in_dict
    for key in keys.split(delimiter):
        inner = inner.setdefault(key, {})
    return in_dict


__getattr__ = not_there(__name__)
