"""Values in nested data by a path of keys.

`grains`, `pillar` and `config` look things up with it. It holds no functions for users.

Source: Salt's `traverse_dict_and_list`: what it finds.
"""

from __future__ import annotations

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


def is_mapping(data: object) -> TypeGuard[Mapping[Any, Any]]:
    """Return whether data is a mapping, of whatever."""
    return isinstance(data, Mapping)


def is_list(data: object) -> TypeGuard[list[Any]]:
    """Return whether data is a list, of whatever."""
    return isinstance(data, list)
