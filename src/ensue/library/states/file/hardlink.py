"""`file.hardlink`: a second name of an existing file.

Source: Salt's state module `file`, 3008: arguments, changes and comments; ln(1), test(1). Unlike Salt's, it
refuses a target that is a symlink, and a plan whose target does not exist yet has the result None.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.contracts.functions import also_takes, reads_paths
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn, UnmetNeed
from ensue.library.states.file.attributes import RequestedAttributes
from ensue.library.states.file.described import absent_state, path_state
from ensue.library.states.file.needs import in_folder
from ensue.library.states.file.owners import with_primary_group
from ensue.library.states.file.paths import (
    is_folder,
    make_parents,
    target_path,
    without_folder,
)

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.connection import FileStat
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_SAME: Final = '[ "$ENSUE_ROOT$1" -ef "$ENSUE_ROOT$2" ]'
_HAS_OTHER_NAMES: Final = '[ -n "$(find "$ENSUE_ROOT$1" -prune -links +1)" ]'
_LINK: Final = 'exec ln -f -- "$ENSUE_ROOT$2" "$ENSUE_ROOT$1"'


@reads_paths("target")
@also_takes("owner")
async def hardlink(
    ctx: StateContext,
    name: str,
    target: str,
    *,
    force: bool = False,
    makedirs: bool = False,
    user: str | int | None = None,
    group: str | int | None = None,
    dir_mode: Mode | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Make a path a hard link to a file, or correct the file that it links to.

    Args:
        name: absolute path of the link.
        target: absolute path of the file; both must be on one file system.
        force: replace a file at `name` that has no other names.
        user: owner of created folders.
        group: group of created folders; by default the primary group of `user`.
        dir_mode: mode of created folders.
        **kwargs: `owner`, the same as `user`.

    Example:
        /srv/www/current:
          file.hardlink:
            - target: /srv/www/releases/2.1.tar

    Returns:
        `changes` has `new`, and `forced` if a file was replaced; in a plan `change` for another file;
        `new_state` has `path kind mode user group`.

    Raises:
        StateFailedError: something else is at the path, the target is no file, or a folder does not exist.
    """
    path = await target_path(ctx, name)
    source = await target_path(ctx, target, what="Specified target")
    link = _Hardlink(ctx=ctx, name=name, path=path, target=source)
    there = await ctx.connection.stat(source)
    status = await ctx.connection.stat(path)
    _check_kinds(path, status, source, there)
    if status is not None and there is not None and await link.holds(_SAME, path, source):
        comment = f"Target of hard link {path} is already pointing to {source}"
        return StateReturn.unchanged(name, comment, path_state(path, status))
    changes, comment = await link.planned(status, force=force)
    no_target = f"Target {source} for hard link does not exist"
    if ctx.test:
        old_state = absent_state(path) if status is None else None
        planned = StateReturn.planned(name, comment, changes, old_state=old_state)
        if there is None:
            planned = msgspec.structs.replace(planned, needs=(UnmetNeed(source, no_target),))
        return await in_folder(ctx.connection, path, planned, makedirs=makedirs, change=None)
    if there is None:
        raise StateFailedError(no_target)
    owner = user if user is not None else kwargs.get("owner")
    requested = RequestedAttributes.read(mode=dir_mode, user=owner, group=group)
    folder = posixpath.dirname(path)
    if not await is_folder(ctx.connection, folder):
        if not makedirs:
            raise StateFailedError(without_folder(f"Directory {folder} for hard link is not present"))
        await make_parents(ctx.connection, path, await with_primary_group(ctx, requested))
    return await link.make(status)


def _check_kinds(path: str, status: FileStat | None, target: str, there: FileStat | None) -> None:
    if status is not None and status.kind == "directory":
        raise StateFailedError(f"Unable to hard link to directory {path}")
    if there is not None and there.kind == "directory":
        raise StateFailedError(f"Unable to hard link from directory {target}")
    if there is not None and there.kind == "symlink":
        raise StateFailedError(f"Unable to hard link from symlink {target}: name the file that it points to")


class _Hardlink:
    """One hard link and its paths."""

    def __init__(self, *, ctx: StateContext, name: str, path: str, target: str) -> None:
        self._ctx = ctx
        self._name = name
        self._path = path
        self._target = target
        self._forced = False

    async def holds(self, condition: str, *paths: str) -> bool:
        """Return whether a condition of the shell is true of paths."""
        argv = ["sh", "-c", condition, "sh", *paths]
        return (await self._ctx.connection.run(Command(argv=argv))).returncode == 0

    async def planned(self, status: FileStat | None, *, force: bool) -> tuple[DataMap, str]:
        """Return the changes and the comment of a plan.

        Raises:
            StateFailedError: a file without other names is in the way.
        """
        path, target = self._path, self._target
        if status is None:
            return {"new": path}, f"Hard link {path} to {target} is set for creation"
        if status.kind == "file" and await self.holds(_HAS_OTHER_NAMES, path):
            return {"change": path}, f"Link {path} target is set to be changed to {target}"
        if not force:
            raise StateFailedError(f"File exists where the hard link {path} should be (use force)")
        self._forced = True
        comment = f"The file {path} is set for removal to make way for a new hard link targeting {target}"
        return {"new": path, "forced": "File for hard link was forcibly replaced"}, comment

    async def make(self, status: FileStat | None) -> StateReturn:
        path, target = self._path, self._target
        if status is not None and status.kind != "file":
            # `ln -f` would follow a symlink to a folder.
            await self._ctx.connection.remove(path)
        done = await self._ctx.connection.run(Command(argv=["sh", "-c", _LINK, "sh", path, target]))
        if done.returncode:
            error = done.stderr.decode("utf-8", "replace").strip()
            what = "create new" if status is None or self._forced else "set target of"
            raise StateFailedError(f"Unable to {what} hard link {path} -> {target}: {error}")
        now = await self._ctx.connection.stat(path)
        if now is None:
            raise StateFailedError(f"{path} was removed by something else during this state")
        changes: DataMap = {"new": path}
        if self._forced:
            changes["forced"] = "File for hard link was forcibly replaced"
        done_text = "Created new" if status is None or self._forced else "Set target of"
        return StateReturn.changed(
            self._name,
            f"{done_text} hard link {path} -> {target}",
            changes,
            path_state(path, now),
            old_state=absent_state(path) if status is None else path_state(path, status),
        )
