"""Looks up values in nested data by a path of keys.

The execution modules `grains`, `pillar` and `config` use it. It contains no functions for users.

Source: Salt's `traverse_dict_and_list`: which value it finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from ensue.core.model.paths import traverse

if TYPE_CHECKING:
    from collections.abc import Sequence

DELIMITER: Final = ":"
"""The default separator of the keys in a path."""

NOTHING: Final = object()
"""Marks a missing value, since None is a value."""


def lookup(
    data: Any, path: str | int | Sequence[Any], default: Any = None, delimiter: str = DELIMITER
) -> Any:
    """Return the value under a path of keys and list indices.

    For a key applied to a list, the first mapping in the list that has the key is used.

    Args:
        data: mappings and lists.
        path: `a:b:0`, a single index, or a list of keys.
        default: returned if there is no such value.
        delimiter: the separator between keys.
    """
    return traverse(data, path, default, delimiter)


def is_mapping(data: object) -> TypeGuard[Mapping[Any, Any]]:
    """Return whether data is a mapping, with any keys and values."""
    return isinstance(data, Mapping)


def is_list(data: object) -> TypeGuard[list[Any]]:
    """Return whether data is a list, with any elements."""
    return isinstance(data, list)
