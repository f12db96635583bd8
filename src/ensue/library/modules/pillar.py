"""Execution module `pillar`: the target's pillar.

Source: Salt's execution module `pillar`, 3008.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.merged import merged
from ensue.core.model.paths import traverse
from ensue.library.modules.nested import DELIMITER, NOTHING, is_list, is_mapping

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


def get(
    ctx: FunctionContext,
    key: str,
    default: Any = NOTHING,
    merge: bool = False,
    merge_nested_lists: bool | None = None,
    *,
    delimiter: str = DELIMITER,
    **kwargs: Any,  # saltenv, pillarenv, unmask: there is one pillar here
) -> Any:
    """Return a value from the pillar.

    Args:
        key: its path, keys separated by colons.
        default: returned if there is no such value; an empty string if not given.
        merge: merge the value over `default`, which must be a mapping or a list.
        merge_nested_lists: concatenate nested lists in a merge; None follows the option `pillar_merge_lists`.
        delimiter: the separator between keys.
        **kwargs: accepted as by Salt, without effect.

    Example:
        ensue call '*' pillar.get db:host

    Raises:
        StateFailedError: there is neither value nor default, and the option `pillar_raise_on_missing` is set.
    """
    value = traverse(ctx.pillar, key, NOTHING, delimiter)
    if merge and (is_mapping(default) or is_list(default)):
        return _merged(ctx, default, value, join_lists=merge_nested_lists)
    if value is not NOTHING:
        return value
    if default is not NOTHING:
        return default
    if ctx.opts.get("pillar_raise_on_missing"):
        raise StateFailedError(f"the pillar of {ctx.srn} has no {key!r}")
    return ""


def items(ctx: FunctionContext, *keys: str, **kwargs: Any) -> Any:
    """Return the whole pillar, or the values of some keys.

    Args:
        *keys: paths; none for the whole pillar.
        **kwargs: accepted as by Salt, without effect.
    """
    return item(ctx, *keys, **kwargs) if keys else dict(ctx.pillar)


def item(
    ctx: FunctionContext,
    *keys: str,
    default: Any = "",
    delimiter: str | None = None,
    **kwargs: Any,  # saltenv, pillarenv: there is one pillar here
) -> dict[str, Any]:
    """Return the values of some keys, by key.

    Args:
        *keys: paths.
        default: the value for missing keys.
        delimiter: the separator between keys.
        **kwargs: accepted as by Salt, without effect.

    Example:
        ensue call '*' pillar.item db
    """
    return {key: traverse(ctx.pillar, key, default, delimiter or DELIMITER) for key in keys}


def keys(ctx: FunctionContext, key: str, delimiter: str = DELIMITER) -> list[str]:
    """Return the keys of a mapping in the pillar.

    Args:
        key: its path.
        delimiter: the separator between keys.

    Example:
        ensue call '*' pillar.keys db

    Raises:
        StateFailedError: there is no such key, or its value is not a mapping.
    """
    value = traverse(ctx.pillar, key, NOTHING, delimiter)
    if not is_mapping(value):
        what = "is not in the pillar" if value is NOTHING else "is not a mapping in the pillar"
        raise StateFailedError(f"{key!r} {what} of {ctx.srn}")
    return list(value)


def file_exists(ctx: FunctionContext, path: str, saltenv: str | None = None) -> bool:
    """Return whether a file exists in the managing minion's pillar roots.

    Args:
        path: the file, relative to the roots.
        saltenv: the environment; None for any.

    Example:
        ensue call '*' pillar.file_exists web/init.sls
    """
    roots = ctx.opts.get("pillar_roots")
    if not is_mapping(roots):
        return False
    folders = [
        Path(str(folder))
        for environment, listed in roots.items()
        if saltenv in {None, environment} and is_list(listed)
        for folder in listed
    ]
    return any(_is_below(folder, path) for folder in folders)


def _is_below(folder: Path, path: str) -> bool:
    place = folder / path.lstrip("/")
    return place.is_file() and place.resolve().is_relative_to(folder.resolve())


def ls(ctx: FunctionContext) -> list[str]:
    """Return the top-level keys of the pillar."""
    return list(ctx.pillar)


def raw(ctx: FunctionContext, key: str | None = None) -> Any:
    """Return the whole pillar, or the value of one top-level key.

    Args:
        key: its key at the top level; without one, all pillar is returned.
    """
    return dict(ctx.pillar) if key is None else ctx.pillar.get(key, {})


FUNCTIONS: Final = by_name(file_exists, get, item, items, keys, ls, raw)


def _merged(ctx: FunctionContext, default: Any, value: Any, *, join_lists: bool | None) -> Any:
    if value is NOTHING:
        return copy.deepcopy(default)
    if is_mapping(default) and is_mapping(value):
        joins = ctx.opts.get("pillar_merge_lists", False) if join_lists is None else join_lists
        return merged(default, value, merge_lists=bool(joins))
    if is_list(default) and is_list(value):
        return merged(default, value, merge_lists=True)
    # A value of another kind than the default is not merged; it replaces the default.
    return value
