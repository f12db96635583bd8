"""Resolves paths on the target, and creates their parent folders."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError
from ensue.core.model.missing_folders import line_of_missing_folder
from ensue.core.model.target_paths import folders_above

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.context import FunctionContext
    from ensue.library.states.file.attributes import RequestedAttributes

_HOME: Final = re.compile(r"~[A-Za-z0-9_.-]*(?=/|\Z)")


async def target_path(ctx: FunctionContext, name: str, *, what: str = "Specified file") -> str:
    """Return an absolute path; `~` and `~user` are home folders on the target.

    Args:
        name: the path in the SLS.
        what: what to call the path in the message.

    Raises:
        StateFailedError: the path is not absolute.
    """
    if name.startswith("/"):
        return name
    home = _HOME.match(name)
    if home:
        line = f"printf %s {home.group()}"
        done = await ctx.connection.run(Command(shell_line=line))
        home_path = done.stdout.decode("utf-8", "surrogateescape")
        if home_path.startswith("/"):
            return home_path + name[home.end() :]
    raise StateFailedError(f"{what} {name} is not an absolute path")


async def is_folder(connection: Connection, path: str) -> bool:
    """Return whether a path is a folder; symlinks are followed."""
    status = await connection.stat(path, follow=True)
    return status is not None and status.kind == "directory"


async def missing_folder(connection: Connection, path: str, *, makedirs: bool) -> str:
    """Return what a plan says of the folder that a path is to be made in; empty if nothing is wrong with it.

    Args:
        connection: the connection to the target.
        path: the path.
        makedirs: whether missing folders are made.
    """
    folder = posixpath.dirname(path)
    if makedirs or await is_folder(connection, folder):
        return ""
    return f"\n{line_of_missing_folder(folder)}"


def without_folder(message: str) -> str:
    """Return a message about a missing parent folder with the argument that makes it."""
    return f"{message} (`makedirs: true` makes it)"


async def make_parents(connection: Connection, path: str, requested: RequestedAttributes) -> list[str]:
    """Create the missing parent folders of a path.

    Args:
        connection: the connection to the target.
        path: the path, which is not created itself.
        requested: owner, group and mode of each created folder; existing folders are left alone.

    Returns:
        The created folders, the topmost first.

    Raises:
        StateFailedError: even the root folder does not exist.
    """
    missing: list[str] = []
    for folder in folders_above(path):
        if await is_folder(connection, folder):
            break
        missing.append(folder)
    else:
        raise StateFailedError(f"{connection.srn} has no folder /, so nothing can be made below it")
    for each in reversed(missing):
        await connection.make_directory(each, mode=requested.mode)
        if requested.user is not None or requested.group is not None:
            await connection.set_owner(each, user=requested.user_text, group=requested.group_text)
    return missing[::-1]
