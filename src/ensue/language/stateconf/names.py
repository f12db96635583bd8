"""Whole names of what begins with a dot: `.x` as an ID is `sls::x`, `.x` as an SLS is beside the SLS."""

from __future__ import annotations

from typing import Final

ID_SEPARATOR: Final = "::"


class BeyondRootError(ValueError):
    """A name has more dots than there are folders above its SLS."""


def absolute_sls(relative: str, sls: str) -> str:
    """Return the name of an SLS; each dot takes one part off the name of the SLS that it is written in.

    An `init.sls` has the name of its folder, and so `.x` in it is beside the folder, as in Salt.

    Raises:
        BeyondRootError: there are too many dots.
    """
    rest = relative.lstrip(".")
    levels, parts = len(relative) - len(rest), sls.split(".")
    if levels > len(parts):
        raise BeyondRootError(relative)
    return ".".join([*parts[: len(parts) - levels], rest])


def absolute_id(relative: str, sls: str) -> str:
    """Return the ID that one with a dot in front means: of this SLS, or of one beside it (`.other::x`).

    Raises:
        BeyondRootError: there are too many dots.
    """
    if ID_SEPARATOR in relative:
        return absolute_sls(relative, sls)
    # One dot is this SLS itself, two are the one above it.
    return ID_SEPARATOR.join(absolute_sls(relative, f"{sls}.").rsplit(".", maxsplit=1))
