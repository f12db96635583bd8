"""The option `--tgt` of the commands that work on this machine, or on all targets, by default."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from ensue.cli.complete import complete_target

if TYPE_CHECKING:
    from collections.abc import Callable

_Decorated = TypeVar("_Decorated", bound="Callable[..., Any] | click.Command")

_ID: Final = re.compile(r"[\w.-]+")
"""A target that is an id alone."""


def _one_target(ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> str | None:
    """Return the target; two are refused, for one of them would be left out."""
    if len(given) < 2:  # noqa: PLR2004 - one, or none
        return given[0] if given else None
    is_ids = all(_ID.fullmatch(each) for each in given)
    joined = f"L@{','.join(given)}" if is_ids else " or ".join(given)
    raise click.UsageError(f"--tgt is given {len(given)} times; write one: --tgt '{joined}'.", ctx)


def _option(about: str) -> Callable[[_Decorated], _Decorated]:
    return click.option(
        "--tgt",
        metavar="TGT",
        multiple=True,
        callback=_one_target,
        shell_complete=complete_target,
        help=about,
    )


target_option: Final = _option("Every resource that this target matches, instead of this machine.")
"""The option of a command that works on this machine by default."""

narrowing_target_option: Final = _option("Only what this target matches; by default all targets.")
"""The option of a command that works on all targets by default."""
