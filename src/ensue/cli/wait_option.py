"""The option `--wait`: whether a command waits for another one that holds a lock, and how long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from ensue.cli.optional_value import OptionalValue

if TYPE_CHECKING:
    from collections.abc import Callable

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

_FOREVER: Final = "forever"
_UNITS_S: Final = {"": 1, "s": 1, "m": 60, "h": 3600}
_DURATION: Final = re.compile(r"(?P<number>[0-9]{1,9}(?:\.[0-9]{1,3})?)(?P<unit>[smh]?)")


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
    found = _DURATION.fullmatch(value)
    if found is None:
        message = f"{value!r} is not a duration, such as 90, 90s, 10m or 2h"
        raise click.BadParameter(message, ctx, param)
    return float(found["number"]) * _UNITS_S[found["unit"]]
