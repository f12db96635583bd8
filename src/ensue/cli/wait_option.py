"""The option `--wait`: whether a command waits for another one that holds a lock, and how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from ensue.cli.optional_value import OptionalValue

if TYPE_CHECKING:
    from collections.abc import Callable

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

_FOREVER: Final = "forever"


def wait_option(function: Decorated) -> Decorated:
    """Add the option, whose value is False without it, True without a limit, or a number of seconds."""
    return click.option(
        "--wait",
        cls=OptionalValue,
        without=_FOREVER,
        callback=_seconds,
        metavar="[=DURATION]",
        help="Wait for another apply of the project or deployment of the environment instead of refusing, at "
        "most for DURATION (90, 90s, 10m, 2h).",
    )(function)


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> bool | float:
    if value is None or value == _FOREVER:
        return value is not None
    from ensue.core.model.durations import duration_s

    seconds = duration_s(f"{value}s" if value[-1:].isdigit() else value)
    if seconds is None:
        raise click.BadParameter(f"{value!r} is not a duration, such as 90, 90s, 10m or 2h", ctx, param)
    return seconds
