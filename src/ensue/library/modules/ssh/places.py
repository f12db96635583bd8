"""The paths of a user's SSH files, and how to write them."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

FILE_MODE: Final = 0o600
_FOLDER_MODE: Final = 0o700
_TOKEN: Final = re.compile(r"%(.?)")


async def authorized_keys_path(ctx: FunctionContext, user: str, config: str) -> str:
    """Return the path of a user's authorized keys.

    Args:
        config: the path as in `AuthorizedKeysFile`, with `%h`, `%u` and `%%`; relative to the home folder.

    Raises:
        StateFailedError: the user does not exist, or an unknown letter follows `%`.
    """
    home = str((await _known(ctx, user))["home"])
    tokens = {"%": "%", "h": home, "u": user}

    def put(match: re.Match[str]) -> str:
        if match[1] not in tokens:
            raise StateFailedError(f"AuthorizedKeysFile path: unknown token character '%{match[1]}'")
        return tokens[match[1]]

    return posixpath.join(home, _TOKEN.sub(put, config))


async def known_hosts_path(ctx: FunctionContext, user: str | None, config: str | None) -> str:
    """Return the path of a user's or the system's known hosts.

    Args:
        user: the user; None for the system's file.
        config: another path, relative to the user's home folder.

    Raises:
        StateFailedError: the user does not exist, or `config` is relative and there is no user.
    """
    if not user:
        path = config or "/etc/ssh/ssh_known_hosts"
        if not path.startswith("/"):
            raise StateFailedError('If not specifying a "user", specify an absolute "config".')
        return path
    path = config or ".ssh/known_hosts"
    if path.startswith("/"):
        return path
    return posixpath.join(str((await _known(ctx, user))["home"]), path)


async def write_user_file(ctx: FunctionContext, path: str, text: str, user: str | None) -> None:
    """Write a file that only its user can access, and create its folder.

    Args:
        path: the file; an existing file keeps its owner and mode.
        text: its content.
        user: its owner; None for the connection's user.

    Raises:
        StateFailedError: the user or the home folder does not exist.
        RemoteFileError: the file cannot be written.
    """
    owner = await _known(ctx, user) if user else {}
    uid, gid = (str(owner[key]) if owner else None for key in ("uid", "gid"))
    folder = posixpath.dirname(path)
    home = str(owner.get("home", "/"))
    if posixpath.commonpath([path, home]) == home and await ctx.connection.stat(home, follow=True) is None:
        raise StateFailedError(f"the home folder {home} of {user} does not exist")
    if await ctx.connection.stat(folder, follow=True) is None:
        await ctx.connection.make_directory(folder, mode=_FOLDER_MODE if user else None, parents=True)
        if user:
            await ctx.connection.set_owner(folder, user=uid, group=gid)
    is_new = await ctx.connection.stat(path, follow=True) is None
    content = text.encode("utf-8", "surrogateescape")
    if is_new:
        await ctx.connection.write(path, content, mode=FILE_MODE, user=uid, group=gid)
    else:
        await ctx.connection.write(path, content)


async def _known(ctx: FunctionContext, user: str) -> dict[str, Any]:
    account: dict[str, Any] = await ctx.call("user.info", user)
    if not account:
        raise StateFailedError(f"User '{user}' does not exist")
    return account
