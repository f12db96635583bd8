"""`file.recurse`: copies a folder of the file roots, with everything in it, to the target.

Each file is a `file.managed`, several of them at a time, each folder a `file.directory`, each link that is
kept a `file.symlink`. Folders without files are not created, because the file roots only list files.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

import posixpath
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ensue.core.contracts.functions import also_takes, reads_paths
from ensue.core.errors import RemoteFileError, StateFailedError
from ensue.core.model.returns import StateReturn, UnmetNeed
from ensue.library.states.file.at_once import results_of
from ensue.library.states.file.attributes import RequestedAttributes
from ensue.library.states.file.cleaning import kept_paths, remove_all, superfluous
from ensue.library.states.file.directory import directory
from ensue.library.states.file.managed import managed
from ensue.library.states.file.paths import make_parents, target_path
from ensue.library.states.file.recurse_sources import RecursedTree, SourceSelection, existing_sources
from ensue.library.states.file.remarks import KNOWN, OUTDATED, further_variables, remarks
from ensue.library.states.file.symlink import symlink

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@reads_paths(below=("clean",))
@also_takes(
    *KNOWN, "include_empty",
    others_with="template",
    outdated={**OUTDATED, "makedirs": "", "recurse": ""},
)  # fmt: skip
async def recurse(
    ctx: StateContext,
    name: str,
    source: str | list[str],
    *,
    clean: bool = False,
    user: str | int | None = None,
    group: str | int | None = None,
    dir_mode: Mode | None = None,
    file_mode: Mode | Literal["keep"] | None = None,
    template: str | None = None,
    context: DataMap | None = None,
    defaults: DataMap | None = None,
    replace: bool = True,
    backup: str | bool | None = None,
    include_pat: Data = None,
    exclude_pat: Data = None,
    maxdepth: int | None = None,
    merge: bool = False,
    keep_symlinks: bool = False,
    force_symlinks: bool = False,
    sym_mode: Mode | None = None,
    show_changes: bool = True,
    owner: str | int | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Copy a folder of the file roots, with everything in it.

    Args:
        name: absolute path of the folder.
        source: a `salt://` folder; the first of a list that exists.
        clean: remove what is in the folder and not in the source; see `clean` of `file.directory`.
        user: owner of all files and folders, by name or number.
        dir_mode: mode of folders.
        file_mode: mode of files, or `keep` for those of the source.
        template: render each file with this renderer.
        replace: replace the content of existing files.
        backup: `minion` keeps copies of replaced files.
        include_pat: patterns of the paths to copy.
        exclude_pat: patterns of the paths to skip; `clean` leaves them alone.
        maxdepth: how many folders deep; 0 copies only what is directly in the folder.
        merge: copy the files of all sources; for the same path, the first source wins.
        keep_symlinks: make links of the source's links; otherwise, and for links that lead out of the file
            root, copy what they lead to.
        force_symlinks: with `keep_symlinks`, replace a file or folder where a link belongs.
        sym_mode: with `keep_symlinks`, mode of folders created for links.
        show_changes: show diffs.
        **kwargs: with `template`, further variables for it. A warning names arguments of Salt's function that
            have no effect, and without `template` all of them.

    Example:
        /srv/www:
          file.recurse:
            - source: salt://www
            - user: www-data
            - file_mode: '0644'
            - clean: true

    Returns:
        `changes` by path, and `removed`; `new_state` has `path`, and in `files` the paths of files and links
        in the folder.

    Raises:
        StateFailedError: the source does not exist, or a file is at the path of the folder.
    """
    if "mode" in kwargs:
        raise StateFailedError(
            "'mode' is not allowed in 'file.recurse'. Please use 'file_mode' and 'dir_mode'."
        )
    further = further_variables(kwargs, template)
    warnings = remarks("file.recurse", [word for word in kwargs if word not in {"require", *further}])
    path = (await target_path(ctx, name)).rstrip("/") or "/"
    selection = SourceSelection(
        include=include_pat, exclude=exclude_pat, maxdepth=maxdepth, keep_symlinks=keep_symlinks
    )
    sources = existing_sources(ctx, source)
    tree = RecursedTree(top=path)
    for each in sources if merge else list(sources)[:1]:
        tree.add(each, sources[each], ctx.files, selection)
    owned_by = owner if user is None else user
    attributes = RequestedAttributes.read(mode=dir_mode, user=owned_by, group=group)
    is_there = await _was_there(ctx, path, attributes)
    done = _Outcome()
    for folder in sorted({posixpath.dirname(place) for place in tree.files}):
        done.add(
            folder, await directory(ctx, folder, dir_mode=dir_mode, makedirs=True, user=owned_by, group=group)
        )
    variables = {**further, **(defaults or {}), **(context or {})}

    async def copy(place: str) -> StateReturn:
        return await managed(
            ctx,
            place,
            source=tree.files[place],
            mode=file_mode,
            template=template,
            context=variables,
            makedirs=True,
            replace=replace,
            backup=backup,
            show_changes=show_changes,
            user=owned_by,
            group=group,
        )

    files = sorted(tree.files)
    for place, copied in zip(files, await results_of(partial(_return_of, copy), files), strict=True):
        done.add(place, copied)

    async def link(place: str) -> StateReturn:
        return await symlink(
            ctx,
            place,
            tree.links[place],
            makedirs=True,
            force=force_symlinks,
            user=owned_by,
            group=group,
            mode=sym_mode,
        )

    for place in sorted(tree.links):
        done.add(place, await _return_of(link, place))
    managed_paths = sorted([*tree.files, *tree.links])
    if clean and is_there:
        keep = kept_paths(ctx)
        keep = keep._replace(whole=keep.whole | {*managed_paths})
        extra = await superfluous(ctx.connection, path, keep, exclude_pat)
        if extra:
            done.changes["removed"] = list(extra if ctx.test else await remove_all(ctx.connection, extra))
            done.result = None if ctx.test and done.result else done.result
    return done.returned(name, path, managed_paths, warnings)


async def _was_there(ctx: StateContext, path: str, attributes: RequestedAttributes) -> bool:
    """Return whether the folder exists; create it if it does not.

    Raises:
        StateFailedError: something else is at its path.
    """
    status = await ctx.connection.stat(path, follow=True)
    if status is not None and status.kind != "directory":
        raise StateFailedError(f"The path {path} exists and is not a directory")
    if status is None and not ctx.test:
        await make_parents(ctx.connection, posixpath.join(path, "x"), attributes)
    return status is not None


async def _return_of(work: Callable[[str], Awaitable[StateReturn]], place: str) -> StateReturn:
    """Return the result of one file or link; others go on if it fails."""
    try:
        return await work(place)
    except (StateFailedError, RemoteFileError) as error:
        return StateReturn.failed(place, str(error))


class _Outcome:
    """The combined result of all files and folders."""

    def __init__(self) -> None:
        self.result: bool | None = True
        self.changes: DataMap = {}
        self._comments: list[str] = []
        self._needs: dict[UnmetNeed, None] = {}

    def add(self, path: str, state_return: StateReturn) -> None:
        if state_return.result is False or self.result is True:
            self.result = state_return.result
        if state_return.result is not True and state_return.comment:
            self._comments.append(f"#### {path} ####\n{state_return.comment}")
        self._needs.update(dict.fromkeys(state_return.needs))
        if state_return.changes:
            self.changes[path] = state_return.changes

    def returned(self, name: str, path: str, files: Iterable[str], warnings: tuple[str, ...]) -> StateReturn:
        comment = "\n\n".join(self._comments) or f"Recursively updated {path}"
        if not self.changes and self.result:
            comment = f"The directory {path} is in the correct state"
        top = path.rstrip("/") + "/"
        listed: list[Data] = [place.removeprefix(top) for place in files]
        new_state: DataMap | None = {"path": path, "files": listed} if self.result else None
        return StateReturn(
            name=name,
            result=self.result,
            changes=self.changes,
            comment=comment,
            new_state=new_state,
            warnings=warnings,
            needs=tuple(self._needs),
        )
