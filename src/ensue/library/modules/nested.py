"""What the execution modules `grains`, `pillar` and `config` share: the separator of keys, kinds of data.

It contains no functions for users.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

DELIMITER: Final = ":"
"""The default separator of the keys in a path."""

NOTHING: Final = object()
"""Marks a missing value, since None is a value."""


def is_mapping(data: object) -> TypeGuard[Mapping[Any, Any]]:
    """Return whether data is a mapping, with any keys and values."""
    return isinstance(data, Mapping)


def is_list(data: object) -> TypeGuard[list[Any]]:
    """Return whether data is a list, with any elements."""
    return isinstance(data, list)
