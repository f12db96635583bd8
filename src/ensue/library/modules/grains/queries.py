"""Reads the target's grains.

Source: Salt's execution module `grains`, 3008.
"""

from __future__ import annotations

import copy
import fnmatch
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.merged import merged
from ensue.core.model.paths import traverse
from ensue.library.modules.nested import DELIMITER, NOTHING, is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext


async def get(
    ctx: FunctionContext,
    key: str,
    default: Any = "",
    delimiter: str = DELIMITER,
    ordered: bool = True,  # mappings keep their order
) -> Any:
    """Return a grain.

    Args:
        default: the value to return if there is no such grain.
        delimiter: the separator of the keys, instead of a colon.
        ordered: accepted as by Salt, without effect.

    Example:
        ensue call '*' grains.fetch os
    """
    return traverse(await ctx.grains(), key, default, delimiter)


async def has_value(ctx: FunctionContext, key: str) -> bool:
    """Return whether a grain exists.

    Example:
        ensue call '*' grains.has_value os
    """
    return traverse(await ctx.grains(), key, NOTHING) is not NOTHING


async def items(ctx: FunctionContext, sanitize: bool = False) -> dict[str, Any]:  # nothing here is secret
    """Return all grains.

    Args:
        sanitize: has no effect; no grain is secret.
    """
    return dict(await ctx.grains())


async def item(ctx: FunctionContext, *keys: str, **kwargs: Any) -> dict[str, Any]:
    """Return some grains, by key.

    Args:
        *keys: paths.
        **kwargs: `default` for missing grains, `delimiter` between keys.

    Example:
        ensue call '*' grains.item os osrelease
    """
    grains = await ctx.grains()
    default, delimiter = kwargs.get("default", ""), kwargs.get("delimiter", DELIMITER)
    return {key: traverse(grains, key, default, delimiter) for key in keys}


async def ls(ctx: FunctionContext) -> list[str]:
    """Return the names of all grains, sorted."""
    return sorted(await ctx.grains())


async def equals(ctx: FunctionContext, key: str, value: Any) -> bool:
    """Return whether a grain has a value; both are compared as text.

    Args:
        value: the value.

    Example:
        ensue call '*' grains.equals os Debian
    """
    return str(value) == str(await get(ctx, key))


async def filter_by(
    ctx: FunctionContext,
    lookup_dict: Mapping[Any, Any],
    grain: str = "os_family",
    merge: Mapping[str, Any] | None = None,
    default: str = "default",
    base: str | None = None,
) -> Any:
    """Return the entry of a mapping that matches a grain, as `map.jinja` files do.

    Args:
        lookup_dict: entries by a glob for the grain.
        grain: the grain's path.
        merge: a mapping to merge over the entry.
        default: the key of the entry to use if no key matches.
        base: the key of an entry that the chosen one is merged over.

    Example:
        ensue call '*' grains.filter_by '{Debian: apache2, RedHat: httpd}'

    Raises:
        StateFailedError: a value to merge is not a mapping.
    """
    value = traverse(await ctx.grains(), grain, [])
    chosen = _chosen(lookup_dict, value if is_list(value) else [value])
    if chosen is None:
        chosen = lookup_dict.get(default)
    if base and base in lookup_dict:
        chosen = _over_base(lookup_dict[base], chosen)
    if not merge:
        return chosen
    if not is_mapping(merge):
        raise StateFailedError("filter_by merge argument must be a dictionary.")
    return copy.deepcopy(dict(merge)) if chosen is None else merged(chosen, merge)


def _chosen(lookup_dict: Mapping[Any, Any], values: list[Any]) -> Any:
    for value in values:
        for pattern, entry in lookup_dict.items():
            if fnmatch.fnmatchcase(str(value), str(pattern)) and entry is not None:
                return entry
    return None


def _over_base(base: Any, chosen: Any) -> Any:
    if chosen is None:
        return base
    if not is_mapping(base):
        return chosen
    if not is_mapping(chosen):
        raise StateFailedError("filter_by default and look-up values must both be dictionaries.")
    return merged(base, chosen)
