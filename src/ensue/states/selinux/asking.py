"""Asking SELinux of the target: in a plan its programs may be missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.errors import StateFailedError
from ensue.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.contracts.context import StateContext


async def asked(ctx: StateContext, name: str, function: str, *words: Any) -> Any:
    """Call an execution function, or return what a plan says when SELinux cannot be asked.

    Args:
        ctx: the state's context.
        name: the state's name.
        function: `selinux.…`.
        *words: its arguments.

    Returns:
        What the function returns; a `StateReturn` without result when an earlier state may be about to
        install what is missing.

    Raises:
        StateFailedError: it cannot be asked, and this is no plan.
    """
    try:
        return await ctx.call(function, *words)
    except StateFailedError as error:
        if not ctx.test:
            raise
        return StateReturn(name=name, result=None, comment=str(error))


def refused(name: str, what: str, done: Mapping[str, Any]) -> StateReturn:
    """Return what is said when a program refused a change."""
    said = str(done["stderr"]).strip() or str(done["stdout"]).strip() or f"exit code {done['retcode']}"
    return StateReturn(name=name, result=False, comment=f"{what}: {said}")
