"""The options that choose a part of a run: `--only`, `--exclude` and `--start-at`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import click

from ensue.cli.complete import complete_part
from ensue.core.model.run_part import RunPart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_WHOLE: Final = "id:"
"""A word that begins so is an ID, in which a comma separates nothing."""

_EMPTY: Final = "--only and --exclude take an ID, a name, an SLS or tag:NAME; one of them is empty"


def part_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which receives them as `part`."""

    @click.option(
        "--only",
        metavar="WHAT",
        multiple=True,
        shell_complete=complete_part,
        help="Run only a state (ID or name), an SLS, or tag:NAME, and what it requires; leave the rest as it "
        "is. May be given several times.",
    )
    @click.option(
        "--exclude",
        metavar="WHAT",
        multiple=True,
        shell_complete=complete_part,
        help="Leave out a state, an SLS, or tag:NAME, and the states that require it. May be given several "
        "times.",
    )
    @click.option(
        "--start-at",
        metavar="ID",
        callback=_state,
        help="Leave out the states before this one, except those that it or a later one requires.",
    )
    @functools.wraps(function)
    def with_part(
        *args: Any, only: tuple[str, ...], exclude: tuple[str, ...], start_at: str, **more: Any
    ) -> Any:
        part = RunPart(only=words_of(only), exclude=words_of(exclude), start_at=start_at)
        return function(*args, part=part, **more)

    return with_part


def words_of(values: Iterable[str]) -> tuple[str, ...]:
    """Return the words of an option that may be given several times, or have several with commas between.

    Raises:
        click.UsageError: a word is empty, as from a variable without a value: it must not mean everything.
    """
    words = [word for value in values for word in ([value] if value.startswith(_WHOLE) else value.split(","))]
    if "" in words:
        raise click.UsageError(_EMPTY)
    return tuple(dict.fromkeys(words))


def _state(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    """Refuse an empty ID, which would begin with the first state."""
    if value == "":
        raise click.BadParameter("it names no state", ctx, param)
    return value or ""
