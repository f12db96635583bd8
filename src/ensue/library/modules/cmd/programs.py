"""Which programs the target has: `cmd.which` and related functions.

Args:
    cmd: the program's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.contracts.connection import Command
from ensue.core.errors import RemoteFileError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def which(ctx: FunctionContext, cmd: str) -> str | None:
    """Return the path of a program in the target's PATH, None if it is not there.

    Example:
        ensue call '*' cmd.which rsync
    """
    # `command -v` alone also finds builtins of the shell.
    script = (
        'case $1 in /*) [ -f "$1" ] && [ -x "$1" ] && printf %s "$1"; exit;; esac; IFS=:; '
        'for d in $PATH; do f=${d:-.}/$1; [ -f "$f" ] && [ -x "$f" ] && printf %s "$f" && exit; done; exit 1'
    )
    done = await ctx.connection.run(Command(argv=["/bin/sh", "-c", script, "sh", str(cmd)]))
    return done.stdout.decode("utf-8", "surrogateescape") or None


async def which_bin(ctx: FunctionContext, cmds: list[str]) -> str | None:
    """Return the path of the first of several programs that exists.

    Args:
        cmds: the names of programs.

    Example:
        ensue call '*' cmd.which_bin '[bash, sh]'
    """
    for cmd in cmds:
        program = await which(ctx, cmd)
        if program:
            return program
    return None


async def has_exec(ctx: FunctionContext, cmd: str) -> bool:
    """Return whether a program is in the target's PATH.

    Example:
        ensue call '*' cmd.has_exec rsync
    """
    return await which(ctx, cmd) is not None


async def shells(ctx: FunctionContext) -> list[str]:
    """Return the shells that /etc/shells lists."""
    try:
        lines = (await ctx.connection.read("/etc/shells")).decode("utf-8", "replace").splitlines()
    except RemoteFileError:
        return []
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
