"""Values in nested data by a path of keys, and mappings merged into one another.

`grains`, `pillar` and `config` look things up with it. It holds no functions for users.

Source: Salt's `traverse_dict_and_list` and `dictupdate.update`: what they find and how they merge.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from ensue.model.paths import traverse

if TYPE_CHECKING:
    from collections.abc import Sequence

DELIMITER: Final = ":"
"""What stands between the keys of a path."""

NOTHING: Final = object()
"""Stands for "there is no such value", since None is a value."""


def lookup(
    data: Any, path: str | int | Sequence[Any], default: Any = None, delimiter: str = DELIMITER
) -> Any:
    """Return the value under a path of keys and list indices.

    A key on a list is looked for in the mappings of the list, the first that has it.

    Args:
        data: mappings and lists.
        path: `a:b:0`, a single index, or the keys themselves.
        default: what is returned when there is no such value.
        delimiter: what stands between keys.
    """
    return traverse(data, path, default, delimiter)


def merged(base: Any, over: Any, *, merge_lists: bool = False) -> Any:
    """Return a copy of `base` with `over` merged into it: mappings merge, everything else is replaced.

    Args:
        base: what is there.
        over: what outranks it.
        merge_lists: lists are joined instead of replaced; what is in both is there once.
    """
    if is_mapping(base) and is_mapping(over):
        result = {key: copy.deepcopy(value) for key, value in base.items()}
        for key, value in over.items():
            there = key in result
            result[key] = (
                merged(result[key], value, merge_lists=merge_lists) if there else copy.deepcopy(value)
            )
        return result
    if merge_lists and is_list(base) and is_list(over):
        return [*base, *(item for item in over if item not in base)]
    return copy.deepcopy(over)


def is_mapping(data: object) -> TypeGuard[Mapping[Any, Any]]:
    """Say whether data is a mapping, of whatever."""
    return isinstance(data, Mapping)


def is_list(data: object) -> TypeGuard[list[Any]]:
    """Say whether data is a list, of whatever."""
    return isinstance(data, list)
