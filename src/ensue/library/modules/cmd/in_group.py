"""Runs a command with another primary group, with the target's `setpriv` (util-linux).

Salt uses sudo, which requires a rule for each user; setpriv requires none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.library.modules.cmd.options import CommandOptions


async def in_group(
    ctx: FunctionContext, argv: list[str], options: CommandOptions
) -> tuple[list[str], CommandOptions]:
    """Return a command that switches to the group, and the options that remain for the connection.

    Only root may choose a group, so the command also switches to the user, if there is one.

    Args:
        argv: the command.
        options: its options, which have a `group`.

    Raises:
        StateFailedError: the target has no such group or user, or no `setpriv`.
    """
    if not options.root and not await ctx.call("group.info", options.group):
        raise StateFailedError(f"Group '{options.group}' is not available")
    if not await ctx.call("cmd.has_exec", "setpriv"):
        raise StateFailedError("`group` needs the program setpriv on the target; install util-linux there")
    words = ["setpriv", "--regid", str(options.group)]
    if options.runas is None:
        return [*words, "--keep-groups", "--", *argv], options
    info = await ctx.call("user.info", options.runas)
    if not info:
        raise StateFailedError(f"User '{options.runas}' is not available")
    words += ["--reuid", str(info["uid"]), "--init-groups"]
    own = {"HOME": info["home"], "USER": info["name"], "LOGNAME": info["name"], "SHELL": info["shell"]}
    left = msgspec.structs.replace(
        options, runas=None, cwd=options.cwd or info["home"], env={**own, **(options.env or {})}
    )
    return [*words, "--", *argv], left
