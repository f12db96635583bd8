"""`salt.utils.dictupdate`: mappings put on top of each other."""
# pyright: basic
# What custom code hands over may be anything.

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ensue.salt_names.absent import not_there


def update(dest: Any, upd: Any, recursive_update: bool = True, merge_lists: bool = False) -> Any:
    """Put one mapping on top of another, which is changed and returned.

    Args:
        dest: what is changed.
        upd: what goes on top.
        recursive_update: mappings below are put on top of each other, too.
        merge_lists: of two lists the second one adds what the first one lacks.
    """
    if not isinstance(dest, Mapping) or not isinstance(upd, Mapping):
        message = "Cannot update using non-dict types in dictupdate.update()"
        raise TypeError(message)
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
    """Return both mappings as one; what both have is a list of the two values."""
    merged = dict(obj_a)
    for key, value in obj_b.items():
        merged[key] = [merged[key], value] if key in merged else value
    return merged


def merge_recurse(obj_a: Any, obj_b: Any, merge_lists: bool = False) -> Any:
    """Return the second mapping on top of a copy of the first one."""
    return update(copy.deepcopy(obj_a), obj_b, merge_lists=merge_lists)


def merge_overwrite(obj_a: Any, obj_b: Any, merge_lists: bool = False) -> Any:
    """Return the second mapping on top of the first one, whose own values go where both have a key."""
    for key in obj_b:
        if key in obj_a:
            obj_a[key] = obj_b[key]
    return merge_recurse(obj_a, obj_b, merge_lists=merge_lists)


def merge(
    obj_a: Any, obj_b: Any, strategy: str = "smart", renderer: str = "yaml", merge_lists: bool = False
) -> Any:
    """Return two mappings as one.

    Args:
        obj_a: the lower one.
        obj_b: the upper one.
        strategy: `smart`, `recurse`, `list` or `overwrite`; any other name is `recurse`.
        renderer: has no effect, since aggregation is a matter of pillar files.
        merge_lists: of two lists the second one adds what the first one lacks.
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
    """Set a value at a path of keys, made where they are not there; the mapping is changed and returned."""
    del ordered_dict
    inner = in_dict
    *path, last = keys.split(delimiter)
    for key in path:
        inner = inner.setdefault(key, {})
    inner[last] = value
    return in_dict


def ensure_dict_key(in_dict: Any, keys: str, delimiter: str = ":", ordered_dict: bool = False) -> Any:
    """Have a mapping at a path of keys; the mapping is changed and returned."""
    del ordered_dict
    inner = in_dict
    for key in keys.split(delimiter):
        inner = inner.setdefault(key, {})
    return in_dict


__getattr__ = not_there(__name__)
