"""`file.symlink`: a symlink with a given target.

Source: Salt's state module `file`, 3008. Unlike Salt's, it manages the owner only if the SLS names one,
`changes` has both targets of a link that is changed, and `force` also removes a folder that is in the way, as
Salt's documentation says.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import RemoteError, StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.attributes import RequestedAttributes, apply_attributes
from ensue.library.states.file.described import absent_state, path_state
from ensue.library.states.file.needs import in_folder
from ensue.library.states.file.owners import with_primary_group
from ensue.library.states.file.paths import (
    is_folder,
    make_parents,
    target_path,
    without_folder,
)
from ensue.library.states.file.remarks import KNOWN, OUTDATED, remarks

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.connection import FileStat
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes(
    *KNOWN, "atomic", "disallow_copy_and_unlink", "follow_symlinks", "inherit_user_and_group",
    outdated=OUTDATED,
)  # fmt: skip
async def symlink(
    ctx: StateContext,
    name: str,
    target: str,
    *,
    force: bool = False,
    backupname: str | None = None,
    makedirs: bool = False,
    user: str | int | None = None,
    group: str | int | None = None,
    mode: Mode | None = None,
    owner: str | int | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Create or correct a symlink.

    Args:
        name: absolute path of the symlink.
        target: what it points to; it need not exist.
        force: replace a file or folder at this path.
        backupname: move a file or folder at this path instead: to an absolute path, or a name in its folder.
        user: owner of the symlink itself, and of created folders.
        group: group of these; by default the primary group of `user`.
        mode: mode of created folders.

    Example:
        /usr/local/bin/tool:
          file.symlink:
            - target: /opt/tool/bin/tool

    Returns:
        `changes` has `new` or `ownership`, and `target` with `old` and `new` if the link had another one;
        `new_state` has `path target user group`.

    Raises:
        StateFailedError: something else is at the path, or the parent folder does not exist.
    """
    path = await target_path(ctx, name)
    ignored = {"atomic", "disallow_copy_and_unlink", "inherit_user_and_group", "follow_symlinks"}
    warnings = remarks("file.symlink", [word for word in kwargs if word not in ignored])
    requested = RequestedAttributes.read(user=owner if user is None else user, group=group)
    complete = await with_primary_group(ctx, requested)
    folders = RequestedAttributes.read(mode=mode, user=complete.user, group=complete.group)
    link = _Symlink(ctx, name, path, str(target), requested=complete, folders=folders)
    status = await ctx.connection.stat(path)
    if status is not None and status.kind == "symlink":
        returned = await link.existing(status)
    else:
        returned = await link.new(status, force=force, backupname=backupname, makedirs=makedirs)
    return returned if not warnings else _with_warnings(returned, warnings)


def _with_warnings(returned: StateReturn, warnings: tuple[str, ...]) -> StateReturn:
    import msgspec

    return msgspec.structs.replace(returned, warnings=warnings)


class _Symlink:
    """One symlink and its parsed arguments."""

    def __init__(
        self,
        ctx: StateContext,
        name: str,
        path: str,
        target: str,
        *,
        requested: RequestedAttributes,
        folders: RequestedAttributes,
    ) -> None:
        self._ctx = ctx
        self._connection = ctx.connection
        self._name = name
        self._path = path
        self._target = target
        self._wanted = requested
        self._folders = folders
        self._before: DataMap = absent_state(path)

    async def existing(self, status: FileStat) -> StateReturn:
        path = self._path
        self._before = self._state(status)
        if posixpath.normpath(status.link_target) != posixpath.normpath(self._target):
            if self._ctx.test:
                comment = f"Link {path} target is set to be changed to {self._target}"
                return self._said(None, {"change": path, **self._retargeted()}, comment)
            return await self._link()
        differences = await self._wanted.differences(self._connection, status)
        if not differences:
            comment = f"Symlink {path} is present and owned by {status.user}:{status.group}"
            return StateReturn.unchanged(self._name, comment, self._before)
        owner = f"{self._wanted.user or status.user}:{self._wanted.group or status.group}"
        if self._ctx.test:
            comment = (
                f"The symlink {path} is present, but the ownership of the symlink would be changed "
                f"from {status.user}:{status.group} to {owner}"
            )
            return self._said(None, {"ownership": f"{status.user}:{status.group}"}, comment)
        applied = await apply_attributes(self._connection, path, self._wanted, status)
        if applied.faults:
            comment = f"Failed to set ownership of symlink {path} to {owner}: {'; '.join(applied.faults)}"
            return self._said(False, {}, comment)
        return await self._done({"ownership": owner}, f"Set ownership of symlink {path} to {owner}")

    async def new(
        self, status: FileStat | None, *, force: bool, backupname: str | None, makedirs: bool
    ) -> StateReturn:
        if status is not None:
            return await self._instead_of(status, force=force, backupname=backupname)
        path, folder = self._path, posixpath.dirname(self._path)
        comment = f"Symlink {path} to {self._target} is set for creation"
        if not await is_folder(self._connection, folder):
            if self._ctx.test:
                comment += f"\n{folder} will be created" if makedirs else ""
            elif not makedirs:
                raise StateFailedError(without_folder(f"Directory {folder} for symlink is not present"))
            else:
                await make_parents(self._connection, path, self._folders)
        if self._ctx.test:
            planned = self._said(None, {"new": path}, comment)
            return await in_folder(self._connection, path, planned, makedirs=makedirs, change="symlink")
        return await self._link()

    async def _instead_of(self, status: FileStat, *, force: bool, backupname: str | None) -> StateReturn:
        path = self._path
        self._before = path_state(path, status)
        what = {"file": "File", "directory": "Directory"}.get(status.kind, "File system entry")
        if not force and backupname is None:
            raise StateFailedError(
                f"{what} exists where the symlink {path} should be (use force or backupname)"
            )
        if self._ctx.test:
            comment = (
                f"The file or directory {path} is set for removal to make way "
                f"for a new symlink targeting {self._target}"
            )
            return self._said(None, {"new": path}, comment)
        if backupname is not None:
            await self._move_away(backupname, force=force)
        else:
            await self._connection.remove(path, recursive=True)
        return await self._link()

    async def _move_away(self, backupname: str, *, force: bool) -> None:
        backup = backupname
        if not posixpath.isabs(backup):
            if posixpath.basename(backup) != backup:
                raise StateFailedError(f"Backupname must be an absolute path or a file name: {backup}")
            backup = posixpath.join(posixpath.dirname(self._path), backup)
        if await self._connection.stat(backup) is not None:
            if not force:
                raise StateFailedError(
                    f"Symlink & backup dest exists and Force not set. {self._path} -> {self._target} "
                    f"- backup: {backup}"
                )
            await self._connection.remove(backup, recursive=True)
        await self._connection.rename(self._path, backup)

    async def _link(self) -> StateReturn:
        path = self._path
        await self._connection.symlink(self._target, path)
        comment = f"Created new symlink {path} -> {self._target}"
        status = await self._connection.stat(path)
        if status is not None and await self._wanted.differences(self._connection, status):
            applied = await apply_attributes(self._connection, path, self._wanted, status)
            if applied.faults:
                comment += f", but was unable to set ownership: {'; '.join(applied.faults)}"
                return self._said(False, {"new": path, **self._retargeted()}, comment)
        return await self._done({"new": path, **self._retargeted()}, comment)

    def _retargeted(self) -> DataMap:
        """Return the former and the new target of a link, as changes; none of what was no link."""
        former = self._before.get("target")
        return {} if former is None else {"target": {"old": former, "new": self._target}}

    async def _done(self, changes: DataMap, comment: str) -> StateReturn:
        status = await self._connection.stat(self._path)
        if status is None:
            raise RemoteError(f"{self._path} is gone again", target=str(self._ctx.srn))
        return StateReturn.changed(self._name, comment, changes, self._state(status), old_state=self._before)

    def _state(self, status: FileStat) -> DataMap:
        return {"path": self._path, "target": status.link_target, "user": status.user, "group": status.group}

    def _said(self, result: bool | None, changes: DataMap, comment: str) -> StateReturn:
        old_state = self._before if result is None else None
        return StateReturn(
            name=self._name, result=result, changes=changes, comment=comment, old_state=old_state
        )
