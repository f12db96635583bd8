"""Reads and writes crontabs with the program `crontab`, or in the spool folder itself.

The folder is used if the target has no `crontab`, and if the target is a folder of this machine
(`minion_root`), because the program would change this machine's crontab.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import NOT_FOUND, ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_FOLDERS: Final = ("/var/spool/cron/crontabs", "/etc/crontabs", "/var/spool/cron")
_PROBE: Final = f'[ -z "$ENSUE_ROOT" ] && command -v crontab >/dev/null || exit {NOT_FOUND}'
_FILE_MODE: Final = 0o600


async def raw_cron(ctx: FunctionContext, user: str) -> str:
    """Return a user's crontab, empty if there is none.

    Args:
        user: the owner of the crontab.

    Example:
        ensue call '*' cron.raw_cron deploy

    Raises:
        StateFailedError: the target has no cron, or cron refuses the user.
    """
    if await _has_program(ctx):
        answer = await ask(ctx, "crontab", "-u", _checked(user), "-l")
        if answer.is_success or "no crontab for" in answer.stderr:
            return answer.stdout if answer.is_success else ""
        raise StateFailedError(f"cannot read the crontab of {user} on {ctx.srn}: {answer.complaint()}")
    path = await _path(ctx, user)
    if await ctx.connection.stat(path, follow=True) is None:
        return ""
    return (await ctx.connection.read(path)).decode("utf-8", "surrogateescape")


async def set_raw_cron(ctx: FunctionContext, user: str, text: str) -> bool:
    """Replace a user's crontab by a text; Salt's `cron.write_cron_file` has a path of the target instead.

    Args:
        user: the owner of the crontab.
        text: the whole crontab.

    Example:
        ensue call '*' cron.set_raw_cron backup '0 3 * * * /usr/local/bin/backup'

    Raises:
        StateFailedError: the target has no cron, or cron refuses the crontab.
    """
    await write_cron(ctx, user, text)
    return True


async def write_cron(ctx: FunctionContext, user: str, text: str) -> None:
    """Replace a user's crontab.

    Raises:
        StateFailedError: the target has no cron, or cron refuses the crontab.
    """
    content = text.encode("utf-8", "surrogateescape")
    if await _has_program(ctx):
        what = f"write the crontab of {user}"
        await must(ctx, "crontab", "-u", _checked(user), "-", stdin=content, what=what)
        return
    path = await _path(ctx, user)
    is_new = await ctx.connection.stat(path) is None
    await ctx.connection.write(path, content, mode=_FILE_MODE, user=user if is_new else None)


async def _has_program(ctx: FunctionContext) -> bool:
    return (await ask(ctx, "sh", "-c", _PROBE)).is_success


async def _path(ctx: FunctionContext, user: str) -> str:
    for folder in _FOLDERS:
        folder_stat = await ctx.connection.stat(folder, follow=True)
        if folder_stat is not None and folder_stat.kind == "directory":
            return posixpath.join(folder, _checked(user))
    raise StateFailedError(
        f"{ctx.srn} has no cron: neither `crontab` nor {', '.join(_FOLDERS)} exists; install cron"
    )


def _checked(user: str) -> str:
    if not user or "/" in user or user.startswith(("-", ".")):
        raise StateFailedError(f"{user!r} is not a user name")
    return user
