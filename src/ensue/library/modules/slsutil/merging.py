"""Merges mappings: `slsutil.update`, `merge` and `merge_all`; and `boolstr`.

Args:
    merge_lists: concatenate lists instead of replacing them.
    strategy: `smart` and `recurse` merge nested mappings, `overwrite` and `aggregate` replace them,
        `list` makes a list of both values; any other word means `recurse` without concatenated lists.
    renderer: accepted as by Salt, without effect.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.merged import merged
from ensue.library.modules.nested import is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext


def update(
    ctx: FunctionContext,
    dest: dict[Any, Any],
    upd: Mapping[Any, Any],
    recursive_update: bool = True,
    merge_lists: bool = False,
) -> dict[Any, Any]:
    """Merge a mapping into another one in place, and return the latter.

    Args:
        dest: the mapping to change.
        upd: the mapping that takes precedence.
        recursive_update: merge nested mappings instead of replacing them.

    Example:
        ensue call '*' slsutil.update '{a: 1}' '{b: 2}'
    """
    dest.update(merged(dest, upd, merge_lists=merge_lists) if recursive_update else upd)
    return dest


def merge(
    ctx: FunctionContext,
    obj_a: Mapping[Any, Any],
    obj_b: Mapping[Any, Any],
    strategy: str = "smart",
    renderer: str = "yaml",  # Salt's name; only yamlex, which is not here, would make a difference
    merge_lists: bool = False,
) -> dict[Any, Any]:
    """Return a mapping merged over another.

    Args:
        obj_a: the base mapping.
        obj_b: the mapping that takes precedence.

    Example:
        ensue call '*' slsutil.merge '{a: 1}' '{b: 2}'

    Raises:
        StateFailedError: one of them is not a mapping.
    """
    if not is_mapping(obj_a) or not is_mapping(obj_b):
        raise StateFailedError("slsutil.merge takes two mappings")
    return _merge(obj_a, obj_b, strategy, merge_lists=merge_lists)


def merge_all(
    ctx: FunctionContext,
    lst: Sequence[Mapping[Any, Any]],
    strategy: str = "smart",
    renderer: str = "yaml",
    merge_lists: bool = False,
) -> dict[Any, Any]:
    """Merge a list of mappings as `merge` does; later ones take precedence.

    Args:
        lst: the mappings.

    Example:
        ensue call '*' slsutil.merge_all '[{a: 1}, {b: 2}]'
    """
    result: dict[Any, Any] = {}
    for entry in lst:
        result = merge(ctx, result, entry, strategy, renderer, merge_lists)
    return result


def boolstr(ctx: FunctionContext, value: Any, true: Any = "true", false: Any = "false") -> Any:
    """Return the string `true` or `false`, depending on a boolean.

    Args:
        value: the boolean.
        true: what to return for a true value.
        false: what to return for a false value.

    Example:
        ensue call '*' slsutil.boolstr true
    """
    return true if value else false


def _merge(
    base: Mapping[Any, Any], over: Mapping[Any, Any], strategy: str, *, merge_lists: bool
) -> dict[Any, Any]:
    match strategy:
        case "list":
            both = {key: [value, over[key]] if key in over else value for key, value in base.items()}
            return copy.deepcopy(both)
        case "aggregate" | "overwrite":
            return copy.deepcopy({**base, **over})
        case "smart" | "recurse":
            return dict(merged(base, over, merge_lists=merge_lists))
        case _:
            return dict(merged(base, over))
