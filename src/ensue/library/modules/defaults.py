"""Execution module `defaults`: merges a formula's defaults with the values that users set.

`defaults.get` is missing: formulas read their defaults with `import_yaml`.

Source: Salt's execution module `defaults`, 3008.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.merged import merged
from ensue.library.modules.nested import is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext


def merge(
    ctx: FunctionContext,
    dest: dict[Any, Any] | None,
    src: Mapping[Any, Any] | None,
    merge_lists: bool = False,
    in_place: bool = True,
    convert_none: bool = True,
) -> Any:
    """Merge one mapping over another and return it.

    Args:
        dest: the mapping to merge into.
        src: the mapping whose values take precedence.
        merge_lists: concatenate lists instead of replacing them.
        in_place: also change `dest` itself.
        convert_none: treat None as an empty mapping.

    Example:
        ensue call '*' defaults.merge '{port: 80}' '{port: 8080}'

    Raises:
        StateFailedError: one of them is not a mapping.
    """
    there: Any = {} if dest is None and convert_none and not in_place else dest
    over: Any = {} if src is None and convert_none else src
    if not is_mapping(there) or not is_mapping(over):
        raise StateFailedError("defaults.merge takes two mappings")
    result = merged(there, over, merge_lists=merge_lists)
    if not in_place or dest is None:
        return result
    dest.update(result)
    return dest


def deepcopy(ctx: FunctionContext, source: Any) -> Any:
    """Return a deep copy of data.

    Args:
        source: the data to copy.

    Example:
        ensue call '*' defaults.deepcopy '{ports: [80, 443]}'
    """
    return copy.deepcopy(source)


def update(
    ctx: FunctionContext,
    dest: Mapping[Any, dict[Any, Any]],
    defaults: Mapping[Any, Any],
    merge_lists: bool = True,
    in_place: bool = True,
) -> dict[Any, Any]:
    """Return a mapping of mappings, each merged over the defaults.

    Args:
        dest: mappings by name.
        defaults: the defaults of every mapping.
        merge_lists: concatenate lists instead of replacing them.
        in_place: also change `dest` itself.

    Example:
        ensue call '*' defaults.update '{web: {port: 8080}}' '{port: 80, user: www-data}'
    """
    filled = {name: merge(ctx, copy.deepcopy(dict(defaults)), own, merge_lists) for name, own in dest.items()}
    if in_place and isinstance(dest, dict):
        dest.update(filled)
        return dest
    return filled


FUNCTIONS: Final = by_name(deepcopy, merge, update)
