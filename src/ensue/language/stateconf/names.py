"""Full names of names that begin with a dot: the ID `.x` is `sls::x`, the SLS `.x` is beside this SLS."""

from __future__ import annotations

from typing import Final

ID_SEPARATOR: Final = "::"


class BeyondRootError(ValueError):
    """A name has more dots than there are folders above its SLS."""


def absolute_sls(relative: str, sls: str) -> str:
    """Return the full name of an SLS; each dot removes one part of the name of the SLS that names it.

    An `init.sls` has the name of its folder, so `.x` in it is beside the folder, as in Salt.

    Raises:
        BeyondRootError: there are too many dots.
    """
    rest = relative.lstrip(".")
    levels, parts = len(relative) - len(rest), sls.split(".")
    if levels > len(parts):
        raise BeyondRootError(relative)
    return ".".join([*parts[: len(parts) - levels], rest])


def absolute_id(relative: str, sls: str) -> str:
    """Return the full form of an ID that begins with a dot: of this SLS, or of a neighbour (`.other::x`).

    Raises:
        BeyondRootError: there are too many dots.
    """
    if ID_SEPARATOR in relative:
        return absolute_sls(relative, sls)
    # One dot is this SLS itself, two are the one above it.
    return ID_SEPARATOR.join(absolute_sls(relative, f"{sls}.").rsplit(".", maxsplit=1))
