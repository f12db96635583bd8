"""Files of the target that a program there writes: as a whole or not at all, and never for other readers."""

from __future__ import annotations

import posixpath
import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ensue.contracts.context import FunctionContext


@asynccontextmanager
async def replaced(ctx: FunctionContext, path: str) -> AsyncGenerator[str]:
    """Give a temporary path for a new content; at the end it takes the file's place, owner and mode.

    Args:
        ctx: the target.
        path: the file, which is there already.

    Yields:
        A path in the same folder, to an empty file that is its owner's alone; it is gone after an error.

    Raises:
        StateFailedError: the file is gone.
    """
    there = await ctx.connection.stat(path)
    if there is None:
        raise StateFailedError(f"{path} is not there any more")
    temporary = posixpath.join(posixpath.dirname(path), f".ensue-{secrets.token_hex(8)}")
    await ctx.connection.write(temporary, b"", mode=0o600)
    try:
        yield temporary
        await ctx.connection.set_owner(temporary, user=there.user, group=there.group)
        await ctx.connection.set_mode(temporary, there.mode)
        await ctx.connection.rename(temporary, path)
    except BaseException:
        await ctx.connection.remove(temporary)
        raise
