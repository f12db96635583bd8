"""Names of the things that states make: a path, or a module and a name."""

from __future__ import annotations

import posixpath


def thing_of_name(module: str, name: str) -> str:
    """Return the thing that a name names.

    Args:
        module: the state module.
        name: the name; an absolute path is the same thing for every module.
    """
    return posixpath.normpath(name) if name.startswith("/") else f"{module}:{name}"
