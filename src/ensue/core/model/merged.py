"""Merge mappings without changing them.

`language/merging.py` merges pillar, with the strategies that options choose.

Source: Salt's `dictupdate.update`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, TypeGuard

from ensue.core.model.data import is_list


def merged(base: Any, over: Any, *, merge_lists: bool = False) -> Any:
    """Return a copy of `base` with `over` merged into it: mappings merge, everything else is replaced.

    Args:
        base: the existing mapping.
        over: the mapping that takes precedence.
        merge_lists: lists are joined instead of replaced; items in both are kept once.
    """
    if _is_mapping(base) and _is_mapping(over):
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


def _is_mapping(data: object) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(data, Mapping)
