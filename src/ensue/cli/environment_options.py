"""The options of `ensue deploy` that confirm what an environment is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable


def environment_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--change-env-type` and `--new-env` to a command."""
    new = click.option(
        "--new-env",
        is_flag=True,
        help="Make a new environment although another one, or its application, has almost the same name.",
    )
    change = click.option(
        "--change-env-type",
        is_flag=True,
        help="Give the environment another type than it has.",
    )
    return change(new(command))
