"""What a state makes: paths, or names of its module."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence


class MadeByState(msgspec.Struct, frozen=True, kw_only=True):
    """What a state makes.

    Args:
        things: the names of the things, in a form that is the same for every state about them; none if the
            state makes nothing that another state could undo.
        is_absence: whether its function makes them absent.
        removed: the things that the call removed, or in a plan would, beside what it made.
        may_move: whether arguments say where the things are, so that other ones mean other things.
        may_be_several: whether the module says what the things are, so that a state may have had others, too.
    """

    things: tuple[str, ...] = ()
    is_absence: bool = False
    removed: tuple[str, ...] = ()
    may_move: bool = False
    may_be_several: bool = False


MAKES_NOTHING: Final = MadeByState()
"""What a state makes that makes nothing."""


def thing_of_name(module: str, name: str) -> str:
    """Return the thing that a name names.

    Args:
        module: the state module.
        name: the name; an absolute path is the same thing for every module.
    """
    return posixpath.normpath(name) if name.startswith("/") else f"{module}:{name}"


def thing_at(thing: str, placed: Sequence[str]) -> str:
    """Return a thing at the place that arguments say; one of the same name elsewhere is another thing.

    Args:
        thing: what a name names.
        placed: these arguments, as messages name them; none: it is where such things are by default.
    """
    return f"{thing} ({', '.join(placed)})" if placed else thing
