"""Merging mappings: `slsutil.update`, `merge` and `merge_all`, and `boolstr`."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from ensue.errors import StateFailedError
from ensue.model.merged import merged
from ensue.modules.nested import is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.contracts.context import FunctionContext


def update(
    ctx: FunctionContext,  # noqa: ARG001 (every function is given it)
    dest: dict[Any, Any],
    upd: Mapping[Any, Any],
    recursive_update: bool = True,
    merge_lists: bool = False,
) -> dict[Any, Any]:
    """Merge a mapping into another one, which is changed, and return that.

    Args:
        ctx: the target.
        dest: what is there.
        upd: what outranks it.
        recursive_update: mappings in both are merged instead of replaced.
        merge_lists: lists are joined instead of replaced.
    """
    dest.update(merged(dest, upd, merge_lists=merge_lists) if recursive_update else upd)
    return dest


def merge(  # noqa: PLR0917 (formulas give them by position)
    ctx: FunctionContext,  # noqa: ARG001 (every function is given it)
    obj_a: Mapping[Any, Any],
    obj_b: Mapping[Any, Any],
    strategy: str = "smart",
    renderer: str = "yaml",  # noqa: ARG001 (Salt's name; only yamlex, which is not here, would make a difference)
    merge_lists: bool = False,
) -> dict[Any, Any]:
    """Return one mapping merged over another.

    Args:
        ctx: the target.
        obj_a: what is there.
        obj_b: what outranks it.
        strategy: `smart` and `recurse` merge what is below, `overwrite` and `aggregate` replace it, `list`
            makes a list of both values; another word is `recurse` without joined lists.
        renderer: has no effect.
        merge_lists: lists are joined instead of replaced.

    Raises:
        StateFailedError: one of them is no mapping.
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
    """Return mappings merged one over the other, as by `merge`, the last on top."""
    result: dict[Any, Any] = {}
    for one in lst:
        result = merge(ctx, result, one, strategy, renderer, merge_lists)
    return result


def boolstr(ctx: FunctionContext, value: Any, true: Any = "true", false: Any = "false") -> Any:  # noqa: ARG001 (every function is given it)
    """Return one of two words for a truth value."""
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
