"""The time limit of a command's state: it covers everything that the state does on the target.

The functions of `cmd` keep their `timeout` themselves, since a timeout is one of their results.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def called_in(
    ctx: StateContext, folder: str | None, call: Callable[[], Awaitable[DataMap]]
) -> DataMap | None:
    """Return what a call returns, None if its folder is missing on the target."""
    if folder:
        folder_stat = await ctx.connection.stat(folder, follow=True)
        if folder_stat is None or folder_stat.kind != "directory":
            return None
    return await call()


async def within(limit_s: float | None, work: Awaitable[DataMap | None], *, shown: str) -> DataMap | None:
    """Return what `cmd.run_all` returns, or after a time limit what it returns for a timeout.

    Args:
        limit_s: the limit; None: no limit.
        work: awaits the result.
        shown: the command in the output; empty: nothing is shown.
    """
    limit = asyncio.timeout(_seconds(limit_s))
    try:
        async with limit:
            return await work
    except TimeoutError:
        if not limit.expired():
            raise
        stdout = f"{shown} : Timed out after {_seconds(limit_s):g} seconds" if shown else ""
        return {"pid": 0, "retcode": 1, "stdout": stdout, "stderr": ""}


def _seconds(limit: object) -> float | None:
    """Return a limit as a number; None for what the command itself refuses."""
    try:
        return None if limit is None else float(limit)  # type: ignore[arg-type] # a text or a number
    except (TypeError, ValueError):
        return None
