"""The options of runs over many hosts or minions, and of how long a target may take to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_S: Final = 1e9
"""The longest timeout: about thirty years, so that infinity is refused."""


def refuse_nan(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse `nan`, which the range check accepts, because every comparison with it is false."""
    if value is not None and value != value:  # noqa: PLR0124 (the definition of `nan`)
        raise click.BadParameter("it is not a number", ctx, param)
    return value


def fleet_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of runs over many hosts or minions."""
    for option in (timeout_option, _fail_limit, _batch):
        function = option(function)
    return function


batch_option: Final = click.option(
    "--batch", metavar="N|N%", help="With a fleet: how many minions are asked at a time."
)
"""The option for how many minions are asked together."""

_batch: Final = click.option(
    "--batch",
    metavar="N|N%",
    help="With --tgt: how many of its hosts, or minions, are at work at a time.",
)

_fail_limit: Final = click.option(
    "--fail-limit",
    metavar="N|N%",
    help="With --tgt: begin no further host, or minion, when more than this have failed.",
)

timeout_option: Final = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=LONGEST_S),
    callback=refuse_nan,
    metavar="SECONDS",
    help="With a fleet: how long a minion may be silent before it is given up. Default: 60.",
)
"""The option for how long a minion may be silent."""
