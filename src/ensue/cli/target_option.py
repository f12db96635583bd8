"""The option `--tgt` of the commands that work on this machine by default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ensue.cli.complete import complete_target

if TYPE_CHECKING:
    from collections.abc import Callable


def target_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option to a command."""
    return click.option(
        "--tgt",
        metavar="TGT",
        shell_complete=complete_target,
        help="Every resource that this target matches, instead of this machine.",
    )(function)
