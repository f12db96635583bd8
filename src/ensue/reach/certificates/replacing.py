"""Replaces files that a program on the target writes: atomically, and never readable by others."""

from __future__ import annotations

import posixpath
import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ensue.core.contracts.context import FunctionContext


@asynccontextmanager
async def replaced(ctx: FunctionContext, path: str) -> AsyncGenerator[str]:
    """Yield a temporary path for new content, which then replaces the file, keeping owner and mode.

    Args:
        ctx: the target.
        path: the file, which must exist.

    Yields:
        The path of an empty file in the same folder, readable by its owner only; an error removes it.

    Raises:
        StateFailedError: the file no longer exists.
    """
    there = await ctx.connection.stat(path, follow=True)
    if there is None:
        raise StateFailedError(f"{path} no longer exists")
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
