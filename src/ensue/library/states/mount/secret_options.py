"""Finds the passwords among mount options, so that they are masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import StateContext

_SECRET_OPTIONS: Final = ("password=", "pass=", "passwd=", "password2=")


def mask_secret_options(ctx: StateContext, options: Sequence[str]) -> list[int]:
    """Register the passwords among options as secrets.

    Args:
        options: options of a mount.

    Returns:
        The positions of these options.
    """
    secret = [place for place, option in enumerate(options) if option.startswith(_SECRET_OPTIONS)]
    ctx.masker.add(*(options[place].partition("=")[2] for place in secret))
    return secret
