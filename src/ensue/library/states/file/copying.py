"""`file.copy` and `file.rename`: copy and move files and folders within the target.

Source: Salt's state module `file`, 3008. Unlike Salt's, `force` does not replace an identical copy.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes, reads_paths
from ensue.core.errors import MissingOnTargetError, RemoteFileError, StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.attributes import RequestedAttributes, apply_attributes
from ensue.library.states.file.described import absent_state, path_state, state_after
from ensue.library.states.file.modes import folder_bits, mode_bits
from ensue.library.states.file.needs import in_folder, with_rights
from ensue.library.states.file.owners import with_primary_group
from ensue.library.states.file.paths import (
    is_folder,
    make_parents,
    target_path,
    without_folder,
)
from ensue.library.states.file.remarks import KNOWN, OUTDATED, remarks
from ensue.library.states.file.tree import walk
from ensue.reach.connections.target_content import content_at

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.connection import Connection, FileStat
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@reads_paths("source")
@also_takes(*KNOWN, outdated=OUTDATED)
async def copy(
    ctx: StateContext,
    name: str,
    source: str,
    *,
    force: bool = False,
    makedirs: bool = False,
    preserve: bool = False,
    user: str | int | None = None,
    group: str | int | None = None,
    mode: Mode | None = None,
    dir_mode: Mode | None = None,
    subdir: bool = False,
    owner: str | int | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Copy a file or folder of the target, unless the destination exists.

    Args:
        name: absolute path of the copy.
        source: absolute path of the original, on the target.
        force: replace the destination if it differs.
        preserve: give the copy the owner, group and mode of the original.
        user: owner of the copy.
        group: group of the copy; by default the primary group of `user`.
        mode: permission bits of the copy; by default those of the original.
        dir_mode: mode of created folders.
        subdir: if `name` is a folder, put the copy into it.

    Example:
        /srv/www/index.html:
          file.copy:
            - source: /usr/share/app/index.html
            - force: true

    Returns:
        `changes` has `{copy: original}`, and `user`, `group`, `mode`; `new_state` has
        `path sha256 size mode user group`.

    Raises:
        StateFailedError: the original or the folder of the copy does not exist.
    """
    path = await target_path(ctx, name)
    origin = await target_path(ctx, source, what="Source file")
    connection = ctx.connection
    status = await connection.stat(origin, follow=True)
    if status is None:
        raise MissingOnTargetError(f'Source file "{origin}" is not present', missing=origin)
    requested = RequestedAttributes.read(mode=mode, user=owner if user is None else user, group=group)
    requested = _of(status) if preserve else await with_primary_group(ctx, requested)
    if subdir and await is_folder(connection, path):
        path = posixpath.join(path, posixpath.basename(origin))
    warnings = remarks("file.copy", kwargs)
    there = await connection.stat(path)
    if there is not None and (not force or await _same(connection, path, origin, requested)):
        how = "is the same already" if force else "will not be overwritten"
        comment = f'The target file "{path}" exists and {how}'
        new_state = await state_after(connection, path)
        return StateReturn.unchanged(name, comment, new_state, warnings=warnings)
    if ctx.test:
        comment = f'File "{origin}" is set to be copied to "{path}"'
        old_state = None if there else absent_state(path)
        planned = StateReturn.planned(name, comment, {path: origin}, old_state=old_state, warnings=warnings)
        return await in_folder(connection, path, planned, makedirs=makedirs)
    folder = posixpath.dirname(path)
    if not await is_folder(connection, folder):
        if not makedirs:
            raise StateFailedError(without_folder(f"The target directory {folder} is not present"))
        bits = mode_bits(dir_mode, word="dir_mode")
        bits = folder_bits(requested.mode or status.mode) if bits is None else bits
        await make_parents(
            connection, path, RequestedAttributes(mode=bits, user=requested.user, group=requested.group)
        )
    if there is not None and (there.kind == "directory" or status.kind == "directory"):
        await connection.remove(path, recursive=True)
    await _copied(connection, origin, path, status)
    applied = await _given(connection, path, status, requested)
    new_state = await state_after(connection, path)
    return StateReturn.changed(
        name,
        f'Copied "{origin}" to "{path}"',
        {path: origin, **applied},
        new_state,
        old_state=path_state(path, there) if there else absent_state(path),
        warnings=warnings,
    )


@reads_paths("source")
@also_takes(*KNOWN, outdated=OUTDATED)
async def rename(
    ctx: StateContext, name: str, source: str, *, force: bool = False, makedirs: bool = False, **kwargs: Any
) -> StateReturn:
    """Move a file or folder of the target, unless the destination exists.

    Args:
        name: the new absolute path.
        source: the old absolute path; nothing happens if it does not exist.
        force: replace an existing destination.

    Example:
        /etc/app.conf:
          file.rename:
            - source: /etc/application.conf

    Returns:
        `changes` has `{new path: old path}`; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: the destination exists, or its folder does not.
    """
    path = await target_path(ctx, name)
    origin = await target_path(ctx, source, what="Source file")
    connection = ctx.connection
    warnings = remarks("file.rename", kwargs)
    status = await connection.stat(origin)
    if status is None:
        comment = f'Source file "{origin}" has already been moved out of place'
        new_state = await state_after(connection, path)
        return StateReturn.unchanged(name, comment, new_state, warnings=warnings)
    there = await connection.stat(path)
    if there is not None and not force:
        comment = f'The target file "{path}" exists and will not be overwritten'
        new_state = await state_after(connection, path)
        return StateReturn.unchanged(name, comment, new_state, warnings=warnings)
    if ctx.test:
        comment = f'File "{origin}" is set to be moved to "{path}"'
        old_state = None if there else absent_state(path)
        planned = StateReturn.planned(name, comment, {path: origin}, old_state=old_state, warnings=warnings)
        planned = await in_folder(connection, path, planned, makedirs=makedirs, change=None)
        return await with_rights(connection, origin, planned, "rename")
    folder = posixpath.dirname(path)
    if not await is_folder(connection, folder):
        if not makedirs:
            raise StateFailedError(without_folder(f"The target directory {folder} is not present"))
        await make_parents(connection, path, RequestedAttributes())
    if there is not None and "directory" in (there.kind, status.kind):
        await connection.remove(path, recursive=True)
    await connection.rename(origin, path)
    return StateReturn.changed(
        name,
        f'Moved "{origin}" to "{path}"',
        {path: origin},
        await state_after(connection, path),
        old_state=path_state(path, there) if there else absent_state(path),
        warnings=warnings,
    )


def _of(status: FileStat) -> RequestedAttributes:
    return RequestedAttributes(mode=status.mode, user=status.uid, group=status.gid)


async def _same(connection: Connection, path: str, origin: str, requested: RequestedAttributes) -> bool:
    """Return whether a file is an identical copy with the wanted attributes; always false for a folder."""
    there, status = await connection.stat(path, follow=True), await connection.stat(origin, follow=True)
    if there is None or status is None or there.kind != "file" or status.kind != "file":
        return False
    mode = status.mode if requested.mode is None else requested.mode
    if (
        await requested.differences(connection, there)
        or there.mode != mode
        or there.size_bytes != status.size_bytes
    ):
        return False
    return await connection.checksum(path) == await connection.checksum(origin)


async def _copied(connection: Connection, origin: str, path: str, status: FileStat) -> None:
    """Copy a file, or a folder with everything in it."""
    if status.kind != "directory":
        await connection.write(path, await content_at(connection, origin), mode=status.mode)
        return
    await connection.make_directory(path, mode=status.mode)
    async for entry in walk(connection, origin):
        place = posixpath.join(path, posixpath.relpath(entry.path, origin))
        match entry.status.kind:
            case "directory":
                await connection.make_directory(place, mode=entry.status.mode)
            case "symlink":
                await connection.symlink(entry.status.link_target, place)
            case "file":
                content = await content_at(connection, entry.path)
                await connection.write(place, content, mode=entry.status.mode)
            case _:
                raise StateFailedError(f"{entry.path} is a {entry.status.kind}, which cannot be copied")


async def _given(
    connection: Connection, path: str, status: FileStat, requested: RequestedAttributes
) -> DataMap:
    """Set owner and mode of the copy, and the owner of everything in a folder; return the changes."""
    copied = await connection.stat(path)
    if copied is None:
        return {}
    applied = await apply_attributes(connection, path, requested, copied)
    if applied.faults:
        raise RemoteFileError("; ".join(applied.faults), path=path)
    if status.kind == "directory" and (requested.user is not None or requested.group is not None):
        owner = RequestedAttributes(user=requested.user, group=requested.group)
        async for entry in walk(connection, path):
            await apply_attributes(connection, entry.path, owner, entry.status)
    return applied.changes
