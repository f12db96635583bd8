"""Public names of a package that are loaded when they are first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def places(names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the module of each name, given the names of each module."""
    return {name: module for module, listed in names.items() for name in listed}


def public_name(package: str, places_of_names: Mapping[str, str], name: str) -> Any:
    """Return what a package offers under a name, for its `__getattr__`.

    Args:
        package: the package's own name, for the message.
        places_of_names: the module that defines each public name.
        name: what was asked for.

    Raises:
        AttributeError: the package offers no such name.
    """
    if name not in places_of_names:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(importlib.import_module(places_of_names[name]), name)
