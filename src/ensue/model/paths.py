"""Following a path of keys and indices through nested data, as Salt's `traverse` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def traverse(data: Any, key: Any, default: Any = None, delimiter: str = ":") -> Any:
    """Return what stands under a path of keys and indices joined by the delimiter."""
    for part in key.split(delimiter) if isinstance(key, str) else [key]:
        if isinstance(data, Mapping) and part in data:
            data = _whatever(data)[part]
        elif isinstance(data, Sequence) and not isinstance(data, str):
            try:
                data = _whatever(data)[int(part)]
            except (ValueError, IndexError):
                return default
        else:
            return default
    return data


def _whatever(data: Any) -> Any:
    """Forget what a check has told a type checker of a value: its content may be anything."""
    return data
