"""Queries SELinux on the target; in a plan its programs may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext


async def asked(ctx: StateContext, name: str, function: str, *words: Any) -> Any:
    """Call an execution function, or make the return of a plan if SELinux is not installed.

    Args:
        name: the state's name.
        function: `selinux.…`.
        *words: its arguments.

    Returns:
        What the function returns; in a plan without SELinux a `StateReturn` with the result None, because an
        earlier state may install it.

    Raises:
        StateFailedError: SELinux is not installed, and this is not a plan.
    """
    try:
        return await ctx.call(function, *words)
    except StateFailedError as error:
        if not ctx.test:
            raise
        return StateReturn.planned(name, str(error))


def refused(name: str, what: str, done: Mapping[str, Any]) -> StateReturn:
    """Return the failure of a program."""
    message = str(done["stderr"]).strip() or str(done["stdout"]).strip() or f"exit code {done['retcode']}"
    return StateReturn.failed(name, f"{what}: {message}")
