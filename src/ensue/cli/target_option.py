"""The option `--tgt` of the commands that work on this machine by default."""

from __future__ import annotations

import re
from typing import Final

import click

from ensue.cli.complete import complete_target

_ID: Final = re.compile(r"[\w.-]+")
"""A target that is an id alone."""


def _one_target(ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> str | None:
    """Return the target; two are refused, for one of them would be left out."""
    if len(given) < 2:  # noqa: PLR2004 - one, or none
        return given[0] if given else None
    is_ids = all(_ID.fullmatch(each) for each in given)
    joined = f"L@{','.join(given)}" if is_ids else " or ".join(given)
    raise click.UsageError(f"--tgt is given {len(given)} times; write one: --tgt '{joined}'.", ctx)


target_option: Final = click.option(
    "--tgt",
    metavar="TGT",
    multiple=True,
    callback=_one_target,
    shell_complete=complete_target,
    help="Every resource that this target matches, instead of this machine.",
)
"""The option to a command."""
