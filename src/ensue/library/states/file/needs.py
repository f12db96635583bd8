"""What a file, folder or command needs and its target does not have: a folder, a right, a user, a group."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.errors import RemoteFileError
from ensue.core.model.returns import UnmetNeed
from ensue.library.states.file.attributes import RequestedAttributes
from ensue.library.states.file.paths import is_folder, missing_folder, without_folder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ensue.core.contracts.connection import Connection, FolderChange
    from ensue.core.model.returns import StateReturn

_KEY_NOT_FOUND: Final = 2
"""The exit code of `getent` for a name that its database does not have."""


async def needs_of(
    connection: Connection,
    path: str,
    requested: RequestedAttributes,
    *,
    has_folder: bool,
    change: FolderChange | None = None,
) -> tuple[UnmetNeed, ...]:
    """Return what a path that is to be made, or gets another owner, lacks.

    A folder behind a link does not count: an earlier state may make it by its other name (`/run/app` for
    `/var/run/app`).

    Args:
        connection: the connection to the target.
        path: the path.
        requested: its owner and group.
        has_folder: whether the folder that it is in exists, or is made with it.
        change: what is done in that folder, if the user of the connection needs the right to it.
    """
    needs = [need async for need in _accounts(connection, requested)]
    folder = posixpath.dirname(path)
    if not has_folder and await _is_missing(connection, folder):
        needs.append(UnmetNeed(folder, without_folder(f"Parent directory not present: {folder}")))
    elif change:
        needs += await rights_for(connection, path, change)
    return tuple(needs)


async def rights_for(
    connection: Connection, path: str, change: FolderChange = "write"
) -> tuple[UnmetNeed, ...]:
    """Return the right that the user of a connection lacks for a change, as the change would report it.

    Args:
        connection: the connection to the target.
        path: what is made, replaced or removed; missing folders are made for it.
        change: what is done.
    """
    folder, missing = posixpath.dirname(path), ""
    while not await is_folder(connection, folder):
        if folder == "/":
            return ()
        missing, folder = folder, posixpath.dirname(folder)
    try:
        await connection.check_change(missing or path, "make_directory" if missing else change)
    except RemoteFileError as error:
        return (UnmetNeed(missing or folder, str(error)),)
    return ()


async def with_rights(
    connection: Connection, path: str, planned: StateReturn, change: FolderChange = "write"
) -> StateReturn:
    """Return the plan of a change, with the right to it that the user of the connection lacks."""
    needs = await rights_for(connection, path, change)
    return msgspec.structs.replace(planned, needs=(*planned.needs, *needs)) if needs else planned


async def with_accounts(
    connection: Connection,
    planned: StateReturn,
    *,
    user: str | int | None = None,
    group: str | int | None = None,
    folder: str | None = None,
) -> StateReturn:
    """Return the plan of what is done as a user or for one, with what the target lacks for it.

    Args:
        connection: the connection to the target.
        planned: the plan.
        user: the user, by name or number, if one is given.
        group: the group.
        folder: the folder that a command runs in.
    """
    needs = [need async for need in _accounts(connection, RequestedAttributes.read(user=user, group=group))]
    if folder and await _is_missing(connection, folder):
        needs.append(UnmetNeed(folder, f'Desired working directory "{folder}" is not available'))
    return msgspec.structs.replace(planned, needs=(*planned.needs, *needs))


async def in_folder(
    connection: Connection,
    path: str,
    planned: StateReturn,
    *,
    makedirs: bool,
    change: FolderChange | None = "write",
) -> StateReturn:
    """Return the plan of a path that is to be made, with what it says if its folder does not exist.

    Args:
        connection: the connection to the target.
        path: the path.
        planned: the plan.
        makedirs: whether missing folders are made.
        change: what is done in the folder, if the user of the connection needs the right to it.
    """
    missing = await missing_folder(connection, path, makedirs=makedirs)
    if not missing:
        return await with_rights(connection, path, planned, change) if change else planned
    needs = await needs_of(connection, path, RequestedAttributes(), has_folder=False)
    return msgspec.structs.replace(
        planned, comment=f"{planned.comment}{missing}", needs=(*planned.needs, *needs)
    )


async def _is_missing(connection: Connection, folder: str) -> bool:
    return not await is_folder(connection, folder) and not await _is_behind_link(connection, folder)


async def _is_behind_link(connection: Connection, path: str) -> bool:
    """Return whether a path, or a folder that it is in, is a symbolic link."""
    status = await connection.stat(path)
    if status is not None and status.kind == "symlink":
        return True
    above = posixpath.dirname(path)
    return above != path and await _is_behind_link(connection, above)


async def _accounts(connection: Connection, requested: RequestedAttributes) -> AsyncIterator[UnmetNeed]:
    accounts = (("passwd", "user", requested.user_text), ("group", "group", requested.group_text))
    for database, word, name in accounts:
        if not name or name.isdecimal() or name == "root":
            continue
        done = await connection.run(Command(argv=["getent", database, name]))
        if done.returncode == _KEY_NOT_FOUND:
            yield UnmetNeed(name, f"there is no {word} `{name}`")
