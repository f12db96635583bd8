"""Puts private keys that are given as PEM into temporary files."""

from __future__ import annotations

import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from ensue.core.contracts.context import FunctionContext

_WORDS: Final = ("private_key", "signing_private_key")
_BEGIN: Final = "-----BEGIN "


@asynccontextmanager
async def in_files(ctx: FunctionContext, given: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any]]:
    """Yield arguments in which `private_key` and `signing_private_key` are paths.

    Args:
        ctx: the target.
        given: the arguments; a PEM key is masked.

    Yields:
        The arguments with paths; the temporary files are removed afterwards.
    """
    files_given = dict(given)
    paths: list[str] = []
    try:
        for word in _WORDS:
            value = files_given.get(word)
            if isinstance(value, str) and _BEGIN in value:
                ctx.masker.add(value)
                path = f"/tmp/.ensue-{secrets.token_hex(8)}"  # noqa: S108 (a name that nobody guesses)
                paths.append(path)
                await ctx.connection.write(path, f"{value.strip()}\n".encode(), mode=0o600)
                files_given[word] = path
        yield files_given
    finally:
        for path in paths:
            await ctx.connection.remove(path)
