"""What is in the file roots: `slsutil.file_exists`, `dir_exists`, `path_exists` and `findup`."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ensue.errors import StateFailedError
from ensue.model.target_paths import folders_above

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.contracts.context import FunctionContext


def file_exists(ctx: FunctionContext, path: str, saltenv: str = "base") -> bool:
    """Return whether there is a file of this path in the file roots."""
    return ctx.files.local_path(f"salt://{path}", saltenv=saltenv) is not None


def dir_exists(ctx: FunctionContext, path: str, saltenv: str = "base") -> bool:
    """Return whether there is a folder of this path, with a file below it, in the file roots."""
    return bool(ctx.files.list_tree(f"salt://{path}", saltenv=saltenv))


def path_exists(ctx: FunctionContext, path: str, saltenv: str = "base") -> bool:
    """Return whether there is a file or a folder of this path in the file roots."""
    return file_exists(ctx, path, saltenv) or dir_exists(ctx, path, saltenv)


def findup(
    ctx: FunctionContext, startpath: str, filenames: str | Sequence[str], saltenv: str = "base"
) -> str:
    """Return the first path of one of some names, in a folder of the file roots or in those above it.

    Args:
        ctx: the target.
        startpath: the folder, or a file, to begin with.
        filenames: a name, or several.
        saltenv: the environment.

    Raises:
        StateFailedError: the start is not there, or none of the names is.
    """
    folder: str = posixpath.normpath(startpath) if startpath else ""
    if folder and not path_exists(ctx, folder, saltenv):
        msg = f"slsutil.findup: {startpath} is not in the file roots"
        raise StateFailedError(msg)
    names = [filenames] if isinstance(filenames, str) else filenames
    for above in (folder, *folders_above(folder), ""):
        for name in names:
            if path_exists(ctx, found := posixpath.join(above, name), saltenv):
                return found
    msg = f"slsutil.findup: none of {', '.join(names)} is in {startpath or 'the roots'} or above"
    raise StateFailedError(msg)
