"""What a file, a folder or a command needs and its target does not have: a folder, a user, a group."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.model.returns import UnmetNeed
from ensue.library.states.file.attributes import RequestedAttributes
from ensue.library.states.file.paths import is_folder, missing_folder, without_folder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ensue.core.contracts.connection import Connection
    from ensue.core.model.returns import StateReturn

_KEY_NOT_FOUND: Final = 2
"""The exit code of `getent` for a name that its database does not have."""


async def needs_of(
    connection: Connection, path: str, requested: RequestedAttributes, *, has_folder: bool
) -> tuple[UnmetNeed, ...]:
    """Return what a path that is to be made, or gets another owner, lacks.

    A folder behind a link does not count: an earlier state may make it by its other name (`/run/app` for
    `/var/run/app`).

    Args:
        connection: the connection to the target.
        path: the path.
        requested: its owner and group.
        has_folder: whether the folder that it is in exists, or is made with it.
    """
    needs = [need async for need in _accounts(connection, requested)]
    folder = posixpath.dirname(path)
    if not has_folder and await _is_missing(connection, folder):
        needs.append(UnmetNeed(folder, without_folder(f"Parent directory not present: {folder}")))
    return tuple(needs)


async def needs_of_command(
    connection: Connection, folder: str | None, user: str | int | None, group: str | int | None
) -> tuple[UnmetNeed, ...]:
    """Return what a command lacks.

    Args:
        connection: the connection to the target.
        folder: the folder that it runs in, if one is given.
        user: the user that it runs as, by name or number, if one is given.
        group: its group.
    """
    needs = [need async for need in _accounts(connection, RequestedAttributes.read(user=user, group=group))]
    if folder and await _is_missing(connection, folder):
        needs.append(UnmetNeed(folder, f'Desired working directory "{folder}" is not available'))
    return tuple(needs)


async def in_folder(
    connection: Connection, path: str, planned: StateReturn, *, makedirs: bool
) -> StateReturn:
    """Return the plan of a path that is to be made, with what it says if its folder does not exist.

    Args:
        connection: the connection to the target.
        path: the path.
        planned: the plan.
        makedirs: whether missing folders are made.
    """
    missing = await missing_folder(connection, path, makedirs=makedirs)
    if not missing:
        return planned
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
