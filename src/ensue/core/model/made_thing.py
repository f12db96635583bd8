"""What a state makes: paths, or names of its module."""

from __future__ import annotations

import posixpath
from typing import Final

import msgspec


class MadeByState(msgspec.Struct, frozen=True, kw_only=True):
    """What a state makes.

    Args:
        things: the names of the things, in a form that is the same for every state about them; none if the
            state makes nothing that another state could undo.
        is_absence: whether its function makes them absent.
    """

    things: tuple[str, ...] = ()
    is_absence: bool = False


MAKES_NOTHING: Final = MadeByState()
"""What a state makes that makes nothing."""


def thing_of_name(module: str, name: str) -> str:
    """Return the thing that a name names.

    Args:
        module: the state module.
        name: the name; an absolute path is the same thing for every module.
    """
    return posixpath.normpath(name) if name.startswith("/") else f"{module}:{name}"
