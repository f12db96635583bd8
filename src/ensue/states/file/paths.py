"""Paths on the target: absolute, `~` resolved; the folders above a path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.contracts.connection import Command
from ensue.errors import StateFailedError
from ensue.model.target_paths import folders_above

if TYPE_CHECKING:
    from ensue.contracts.connection import Connection
    from ensue.contracts.context import FunctionContext
    from ensue.states.file.attributes import Attributes

_HOME: Final = re.compile(r"~[A-Za-z0-9_.-]*(?=/|\Z)")


async def target_path(ctx: FunctionContext, name: str, *, what: str = "Specified file") -> str:
    """Return an absolute path; `~` and `~user` are the target's.

    Args:
        ctx: the target.
        name: what the user wrote.
        what: what it is called in the message.

    Raises:
        StateFailedError: it is not absolute.
    """
    if name.startswith("/"):
        return name
    home = _HOME.match(name)
    if home:
        line = f"printf %s {home.group()}"
        done = await ctx.connection.run(Command(shell_line=line))
        found = done.stdout.decode("utf-8", "surrogateescape")
        if found.startswith("/"):
            return found + name[home.end() :]
    raise StateFailedError(f"{what} {name} is not an absolute path")


async def is_folder(connection: Connection, path: str) -> bool:
    """Say whether a folder is there; symlinks are followed."""
    found = await connection.stat(path, follow=True)
    return found is not None and found.kind == "directory"


async def make_parents(connection: Connection, path: str, wanted: Attributes) -> list[str]:
    """Make the folders above a path that are not there.

    Args:
        connection: the way to the target.
        path: the path; nothing is made there itself.
        wanted: owner, group and mode of each folder that is made; those that are there stay as they are.

    Returns:
        What was made, the topmost first.

    Raises:
        StateFailedError: not even the root is there.
    """
    missing: list[str] = []
    for folder in folders_above(path):
        if await is_folder(connection, folder):
            break
        missing.append(folder)
    else:
        raise StateFailedError(f"{connection.srn} has no folder /, so nothing can be made below it")
    for each in reversed(missing):
        await connection.make_directory(each, mode=wanted.mode)
        if wanted.user is not None or wanted.group is not None:
            await connection.set_owner(each, user=wanted.user_text, group=wanted.group_text)
    return missing[::-1]
