"""Single changes for `ensue call`: `write`, `remove`, `mkdir`, `touch`, `set_mode`, `symlink`, `chown`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import FunctionContext

_OCTAL: Final = 8


async def write(ctx: FunctionContext, path: str, *args: str, **kwargs: Any) -> str:
    """Replace a file's content with lines.

    Args:
        path: the file.
        *args: the lines.
        **kwargs: `args`: the lines as a list.

    Example:
        ensue call '*' file.write /etc/motd
    """
    lines = [str(line) for line in kwargs.get("args", args)]
    await ctx.connection.write(path, "".join(f"{line}\n" for line in lines).encode())
    return f'Wrote {len(lines)} lines to "{path}"'


async def remove(ctx: FunctionContext, path: str) -> bool:
    """Remove a file, a symlink, or a folder with its content; return False if it did not exist.

    Example:
        ensue call '*' file.remove /var/cache/tool
    """
    there = await ctx.connection.stat(path) is not None
    await ctx.connection.remove(path, recursive=True)
    return there


async def mkdir(
    ctx: FunctionContext,
    dir_path: str,
    user: str | None = None,
    group: str | None = None,
    mode: str | int | None = None,
) -> bool:
    """Create a folder and its parent folders.

    Args:
        dir_path: the folder.
        user: its owner.
        group: its group.
        mode: its permission bits, octal.

    Example:
        ensue call '*' file.makedirs_perms /srv/www
    """
    await ctx.connection.make_directory(dir_path, mode=None if mode is None else _bits(mode), parents=True)
    if user is not None or group is not None:
        await ctx.connection.set_owner(dir_path, user=user, group=group)
    return True


async def touch(ctx: FunctionContext, name: str) -> bool:
    """Create an empty file if it does not exist; the times of an existing file are not changed.

    Args:
        name: an absolute path.

    Example:
        ensue call '*' file.touch /etc/app.stamp
    """
    if await ctx.connection.stat(name, follow=True) is None:
        await ctx.connection.write(name, b"")
    return True


async def set_mode(ctx: FunctionContext, path: str, mode: str | int) -> str:
    """Set the permission bits of a path and return them as four octal digits.

    Args:
        mode: its permission bits, octal.

    Example:
        ensue call '*' file.set_mode /etc/motd 0644
    """
    await ctx.connection.set_mode(path, _bits(mode))
    return f"{_bits(mode):04o}"


async def chown(ctx: FunctionContext, path: str, user: str | None, group: str | None = None) -> None:
    """Set the owner and group of a path.

    Args:
        user: the owner, by name or number.
        group: the group, by name or number.

    Example:
        ensue call '*' file.chown /etc/motd deploy
    """
    await ctx.connection.set_owner(path, user=user, group=group)


async def symlink(ctx: FunctionContext, src: str, path: str) -> bool:
    """Create a symlink at `path` that points to `src`.

    Args:
        src: what the symlink points to.
        path: the symlink, an absolute path.

    Example:
        ensue call '*' file.symlink /opt/tool/bin/tool /usr/local/bin/tool
    """
    await ctx.connection.symlink(src, path)
    return True


def _bits(mode: str | int) -> int:
    try:
        return int(str(mode), _OCTAL)
    except ValueError:
        raise StateFailedError(f"mode: {mode!r} is not an octal number (write it as '0640')") from None


OFFERED: Final[dict[str, Callable[..., Any]]] = {
    "chown": chown,
    "mkdir": mkdir,
    "makedirs_perms": mkdir,
    "remove": remove,
    "set_mode": set_mode,
    "symlink": symlink,
    "touch": touch,
    "write": write,
}
