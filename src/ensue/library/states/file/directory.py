"""`file.directory`: a folder with a given owner and mode, and what is in it.

Source: Salt's state module `file`, 3008. As there, the changes of an existing folder have both the path with
what had to change and the bare attributes (`mode`) that were changed.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from ensue.core.contracts.functions import also_takes, reads_paths
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.attributes import RequestedAttributes, apply_attributes
from ensue.library.states.file.cleaning import kept_paths, remove_all, superfluous
from ensue.library.states.file.described import absent_state, owner_state, path_state
from ensue.library.states.file.modes import mode_bits
from ensue.library.states.file.needs import needs_of, rights_for
from ensue.library.states.file.paths import (
    is_folder,
    make_parents,
    missing_folder,
    target_path,
    without_folder,
)
from ensue.library.states.file.remarks import KNOWN, OUTDATED, remarks
from ensue.library.states.file.tree import walk

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.connection import FileStat
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_RECURSE: Final = ("user", "group", "mode", "ignore_files", "ignore_dirs", "silent")


@dataclass(frozen=True, slots=True, kw_only=True)
class _DirectoryArguments:
    """The parsed arguments of `file.directory`."""

    folders: RequestedAttributes
    files: RequestedAttributes
    recurse: frozenset[str]
    max_depth: int | None
    makedirs: bool
    clean: bool
    exclude_pat: Data
    force: bool
    backupname: str | None
    allow_symlink: bool
    follow_symlinks: bool
    children_only: bool


@reads_paths(below=("clean", "recurse"))
@also_takes(*KNOWN, outdated=OUTDATED)
async def directory(
    ctx: StateContext,
    name: str,
    *,
    user: str | int | None = None,
    group: str | int | None = None,
    recurse: list[Literal["user", "group", "mode", "ignore_files", "ignore_dirs", "silent"]] | None = None,
    max_depth: int | None = None,
    dir_mode: Mode | None = None,
    file_mode: Mode | None = None,
    mode: Mode | None = None,
    makedirs: bool = False,
    clean: bool = False,
    exclude_pat: Data = None,
    force: bool = False,
    backupname: str | None = None,
    allow_symlink: bool = True,
    follow_symlinks: bool = False,
    children_only: bool = False,
    owner: str | int | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Create a folder, or correct its owner, group and mode and those of what it contains.

    Args:
        name: absolute path of the folder.
        recurse: what also applies to everything in the folder: `user`, `group`, `mode`. `ignore_files` and
            `ignore_dirs` skip files or folders; `silent` leaves their changes out of the report.
        max_depth: how deep `recurse` goes; 0 is the folder itself.
        dir_mode: mode of folders.
        file_mode: mode of the files in the folder, if `recurse` has `mode`; `dir_mode` by default.
        mode: the same as `dir_mode`.
        clean: remove everything in the folder that no `file` state required by this one manages, and that no
            state beside it makes.
        exclude_pat: patterns of paths that `clean` leaves alone.
        force: replace a file or symlink at this path.
        backupname: move a file or symlink at this path to this name instead.
        allow_symlink: accept a symlink to a folder.
        follow_symlinks: manage and describe what a symlink points to; otherwise the owner and group are those
            of the symlink itself, which has no mode.
        children_only: leave the folder itself alone.

    Example:
        /srv/www:
          file.directory:
            - user: www-data
            - mode: '0755'
            - makedirs: true

    Notes:
        `clean` keeps what any state on the same target names below the folder, in the same run, its delayed
        blocks that have run, and the SLS that it includes. Name what a block or command makes later, or what
        an SLS of another run makes, with `require_in` or `exclude_pat`.

    Differences from Salt:
        Salt's `clean` keeps what the folder requires, and removes what other states of the run have made.
        With `backupname`, Salt has `backup` in the changes of a plan only.

    Returns:
        `changes` by path; `new_state` has `path mode user group`.

    Raises:
        StateFailedError: the arguments contradict each other, or something else is at the path.
    """
    if max_depth is not None and clean:
        raise StateFailedError("Cannot specify both max_depth and clean")
    folder_mode = mode_bits(dir_mode or mode)
    wanted_user = owner if user is None else user
    wish = _DirectoryArguments(
        folders=RequestedAttributes.read(
            mode=folder_mode and f"{folder_mode:o}", user=wanted_user, group=group
        ),
        files=RequestedAttributes.read(mode=file_mode or dir_mode or mode, user=wanted_user, group=group),
        recurse=_recurse(recurse),
        max_depth=None if max_depth is None else int(max_depth),
        makedirs=makedirs,
        clean=clean,
        exclude_pat=exclude_pat,
        force=force,
        backupname=backupname,
        allow_symlink=allow_symlink,
        follow_symlinks=follow_symlinks,
        children_only=children_only,
    )
    path = await target_path(ctx, name)
    path = path if path == "/" else path.rstrip("/")
    warnings = remarks("file.directory", [word for word in kwargs if word != "require"])
    returned = await _Folder(ctx, path, wish).state()
    return StateReturn(
        name=name,
        result=returned.result,
        changes=returned.changes,
        comment=returned.comment,
        new_state=returned.new_state,
        old_state=returned.old_state,
        warnings=warnings,
        needs=returned.needs,
    )


def _recurse(recurse: Any) -> frozenset[str]:
    if not recurse:
        return frozenset()
    if not isinstance(recurse, list):
        raise StateFailedError('"recurse" must be formed as a list of strings')
    words = frozenset(map(str, recurse))  # pyright: ignore[reportUnknownArgumentType] # a user's list
    if words - set(_RECURSE):
        raise StateFailedError(
            f'Types for "recurse" limited to {", ".join(chr(34) + word + chr(34) for word in _RECURSE)}.'
        )
    if {"ignore_files", "ignore_dirs"} <= words:
        raise StateFailedError(
            'Must not specify "recurse" options "ignore_files" and "ignore_dirs" at the same time.'
        )
    return words


class _Folder:
    """One folder and its parsed arguments."""

    def __init__(self, ctx: StateContext, path: str, wish: _DirectoryArguments) -> None:
        self._ctx = ctx
        self._connection = ctx.connection
        self._path = path
        self._wish = wish
        self._changes: DataMap = {}
        self._superfluous: list[str] = []
        self._wanted_at: dict[str, RequestedAttributes] = {}
        self._found: FileStat | None = None
        self._is_in_place = False

    async def state(self) -> StateReturn:
        obstacle = await self._obstacle()
        if obstacle is not None:
            planned = await self._clear(obstacle)
            if planned is not None:
                return planned
        self._is_in_place = obstacle is None and self._found is not None
        todo = await self._plan()
        self._changes |= {path: dict(what) for path, what in todo.items()}
        if not self._changes:
            return await self._said(True, f"The directory {self._path} is in the correct state")
        if self._ctx.test:
            lines = [
                f"{path}: {word} - {value!s}" for path, what in todo.items() for word, value in what.items()
            ]
            comment = "\n".join(["The following files will be changed:", *lines])
            comment += await missing_folder(self._connection, self._path, makedirs=self._wish.makedirs)
            has_folder = self._is_in_place or self._wish.makedirs
            needs = await needs_of(
                self._connection,
                self._path,
                self._wish.folders,
                has_folder=has_folder,
                change=None if self._is_in_place else "make_directory",
            )
            for path in {posixpath.dirname(path): path for path in self._superfluous}.values():
                needs += await rights_for(self._connection, path, "remove")
            old_state = self._old_state()
            return StateReturn(
                name="",
                result=None,
                changes=self._changes,
                comment=comment,
                old_state=old_state,
                needs=needs,
            )
        if not self._is_in_place:
            return await self._create()
        return await self._update(todo)

    async def _obstacle(self) -> FileStat | None:
        """Return what is at the path instead of a folder, None if nothing is in the way."""
        self._found = status = await self._connection.stat(self._path)
        if status is None or status.kind == "directory":
            return None
        if status.kind == "symlink" and self._wish.allow_symlink and not self._wish.force:
            behind = await self._connection.stat(self._path, follow=True)
            if behind is not None and behind.kind == "directory":
                self._found = behind if self._wish.follow_symlinks else status
                return None
        return status

    async def _clear(self, obstacle: FileStat) -> StateReturn | None:
        """Move or remove what is in the way; in a plan with `backupname`, return the result of the state."""
        wish, path = self._wish, self._path
        what = "symlink" if obstacle.kind == "symlink" else "file"
        if wish.backupname is not None:
            return await self._move_away(wish.backupname)
        if not wish.force:
            raise StateFailedError(f"Specified location {path} exists and is a {what}")
        if self._ctx.test:
            self._changes["forced"] = f"{what.capitalize()} would be forcibly replaced"
            return None
        await self._connection.remove(path)
        self._changes["forced"] = f"{what.capitalize()} was forcibly replaced"
        return None

    async def _move_away(self, backup: str) -> StateReturn | None:
        path = self._path
        if await self._connection.stat(backup) is not None:
            if not self._wish.force:
                raise StateFailedError(f"File exists where the backup target {backup} should go")
            if self._ctx.test:
                self._changes["forced"] = f"Existing file at backup path {backup} would be removed"
            else:
                await self._connection.remove(backup, recursive=True)
        if not self._ctx.test:
            await self._connection.rename(path, backup)
            self._changes["backup"] = f"{path} was renamed to {backup}"
            return None
        self._changes["backup"] = f"{path} would be renamed to {backup}"
        self._changes[path] = {"directory": "new"}
        comment = f"{path} would be backed up and replaced with a new directory"
        return StateReturn.planned("", comment, self._changes)

    async def _plan(self) -> dict[str, DataMap]:
        """Return the required changes by path, those inside the folder first."""
        if not self._is_in_place:
            return {self._path: {"directory": "new"}}
        wish = self._wish
        todo: dict[str, DataMap] = {}
        if wish.recurse:
            async for entry in walk(self._connection, self._path, max_depth=wish.max_depth):
                requested = self._wanted(is_folder=entry.is_folder)
                if requested is None:
                    continue
                status = await self._seen(entry.path, entry.status)
                differences = await requested.differences(self._connection, status)
                if differences:
                    todo[entry.path], self._wanted_at[entry.path] = differences, requested
        if not wish.children_only and self._found:
            differences = await wish.folders.differences(self._connection, self._found)
            if differences:
                todo[self._path], self._wanted_at[self._path] = differences, wish.folders
        if wish.clean:
            keep = kept_paths(self._ctx)
            self._superfluous = await superfluous(self._connection, self._path, keep, wish.exclude_pat)
            todo |= {path: {"removed": "Removed due to clean"} for path in self._superfluous}
        return todo

    def _wanted(self, *, is_folder: bool) -> RequestedAttributes | None:
        """Return the attributes that `recurse` sets on a file or folder, None if it skips them."""
        recurse = self._wish.recurse
        if ("ignore_dirs" if is_folder else "ignore_files") in recurse:
            return None
        whole = self._wish.folders if is_folder else self._wish.files
        return replace(
            whole,
            user=whole.user if "user" in recurse else None,
            group=whole.group if "group" in recurse else None,
            mode=whole.mode if "mode" in recurse else None,
        )

    async def _seen(self, path: str, status: FileStat) -> FileStat:
        if status.kind != "symlink" or not self._wish.follow_symlinks:
            return status
        return await self._connection.stat(path, follow=True) or status

    async def _create(self) -> StateReturn:
        path, requested = self._path, self._wish.folders
        if not await is_folder(self._connection, posixpath.dirname(path)):
            if not self._wish.makedirs:
                return StateReturn.failed(
                    "", without_folder(f"No directory to create {path} in"), self._changes
                )
            await make_parents(self._connection, path, requested)
        await self._connection.make_directory(path, mode=requested.mode)
        if requested.user is not None or requested.group is not None:
            await self._connection.set_owner(path, user=requested.user_text, group=requested.group_text)
        return await self._said(True, f"Directory {path} created")

    async def _update(self, todo: dict[str, DataMap]) -> StateReturn:
        faults = self._unset_owners()
        if "silent" in self._wish.recurse:
            self._changes = {"recursion": "Changes silenced"}
        removed = set(self._superfluous)
        # The folder itself comes first: its mode may be what makes the rest accessible.
        for path in sorted(todo.keys() - removed):
            faults += await self._set(path)
        comment = f"Directory {self._path}{'/*' if self._wish.children_only else ''} updated"
        if removed:
            self._changes["removed"] = list(await remove_all(self._connection, self._superfluous))
            comment = f"Files cleaned from directory {self._path}"
        if faults:
            comment += "\n\nThe following errors were encountered:\n" + "\n".join(
                f"- {each}" for each in faults
            )
        return await self._said(not faults, comment)

    async def _set(self, path: str) -> list[str]:
        # As in Salt, a link is followed only on request, to compare and to change alike.
        status = await self._connection.stat(path, follow=self._wish.follow_symlinks)
        if status is None:
            return []
        applied = await apply_attributes(self._connection, path, self._wanted_at[path], status)
        self._changes |= applied.changes
        return list(applied.faults)

    def _unset_owners(self) -> list[str]:
        given = {"user": self._wish.folders.user, "group": self._wish.folders.group}
        return [
            f"{word} not specified, but configured as a target for recursive ownership management"
            for word, value in given.items()
            if word in self._wish.recurse and value is None
        ]

    async def _said(self, result: bool, comment: str) -> StateReturn:
        if not result:
            return StateReturn(name="", result=result, changes=self._changes, comment=comment)
        now = self._found
        if now is None or self._changes:
            now = await self._connection.stat(self._path, follow=self._wish.follow_symlinks)
        return StateReturn(
            name="",
            result=result,
            changes=self._changes,
            comment=comment,
            new_state={"path": self._path, **owner_state(now)} if now else None,
            old_state=self._old_state() if self._changes else None,
        )

    def _old_state(self) -> DataMap:
        if self._found is None:
            return absent_state(self._path)
        if self._is_in_place:
            return {"path": self._path, **owner_state(self._found)}
        return path_state(self._path, self._found)
