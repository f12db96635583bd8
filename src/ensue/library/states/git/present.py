"""`git.present`: a new, empty repository.

Source: Salt's state module `git`, 3008: arguments, changes and comments; git-init(1).
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.git.repository import WorkingCopy

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def present(
    ctx: StateContext,
    name: str,
    force: bool = False,
    bare: bool = True,
    template: str | None = None,
    separate_git_dir: str | None = None,
    shared: str | int | bool | None = None,
    user: str | None = None,
    password: str | None = None,  # Salt's, for Windows
    output_encoding: str | None = None,
) -> StateReturn:
    """Create a repository in a folder that is none yet.

    Args:
        name: the folder.
        force: delete the content of a folder that is not a repository.
        bare: create a repository without a working copy.
        template: folder of the target whose files a new repository gets.
        separate_git_dir: folder for the repository of a working copy.
        shared: who else may write to it: `group`, `all`, or an octal mode.

    Example:
        /srv/git/shop.git:
          git.present:
            - bare: true
            - user: git

    Returns:
        `changes` has `new`, and `forced init` if content was deleted; `new_state` has `path bare`.

    Raises:
        StateFailedError: git failed, or the folder has other content.
    """
    if not name.startswith("/"):
        raise StateFailedError(f"Target '{name}' is not an absolute path")
    repository = WorkingCopy(ctx=ctx, path=posixpath.normpath(name), user=user, identities=())
    new_state: DataMap = {"path": repository.path, "bare": bare}
    if await _is_repository(repository, bare=bare):
        return StateReturn(name=name, result=True, new_state=new_state)
    kind = "bare " if bare else ""
    has_content = await _has_content(repository)
    changes: DataMap = {"new": name}
    if has_content:
        if not force:
            raise StateFailedError(
                f"Target '{name}' exists, is non-empty, and is not a git repository. Set the 'force' "
                "option to True to remove this directory's contents and proceed with initializing a "
                "repository"
            )
        changes["forced init"] = True
    if ctx.test:
        comment = f"New {kind}repository would be created"
        if has_content:
            comment = (
                f"Target directory {name} exists. Since force=True, the contents of {name} would be deleted, "
                f"and a {kind}repository would be initialized in its place."
            )
        return StateReturn.planned(name, comment, changes)
    if has_content:
        await ctx.connection.remove(repository.path, recursive=True)
    options = _options(bare=bare, template=template, separate_git_dir=separate_git_dir, shared=shared)
    await repository.must("Failed to initialize", "init", *options, "--", repository.path, is_inside=False)
    actions = [f"Initialized {kind}repository in {name}"]
    actions += [f"Template directory set to {template}"] if template else []
    actions += [f"Gitdir set to {separate_git_dir}"] if separate_git_dir else []
    comment = ". ".join(actions) + ("." if len(actions) > 1 else "")
    return StateReturn.changed(name, comment, changes, new_state)


async def _is_repository(repository: WorkingCopy, *, bare: bool) -> bool:
    """Return whether the folder is a repository, as Salt decides it: by `HEAD`, or by `.git`."""
    if not bare:
        return await repository.is_there()
    head = await repository.ctx.connection.stat(posixpath.join(repository.path, "HEAD"), follow=True)
    return head is not None and head.kind == "file"


async def _has_content(repository: WorkingCopy) -> bool:
    connection, path = repository.ctx.connection, repository.path
    there = await connection.stat(path, follow=True)
    if there is None:
        return False
    if there.kind != "directory":
        raise StateFailedError(f"Target '{path}' exists and is not a directory, cannot proceed")
    return bool(await connection.list_directory(path))


def _options(
    *, bare: bool, template: str | None, separate_git_dir: str | None, shared: str | int | bool | None
) -> list[str]:
    options = ["--quiet", *(["--bare"] if bare else [])]
    options += [f"--template={template}"] if template else []
    options += [f"--separate-git-dir={separate_git_dir}"] if separate_git_dir else []
    if shared is True:
        options.append("--shared")
    elif shared is not None and shared is not False:
        # YAML reads 0660 as a number; git reads a mode only with its leading zero.
        options.append(f"--shared={shared}" if not str(shared).isdigit() else f"--shared=0{int(str(shared))}")
    return options
