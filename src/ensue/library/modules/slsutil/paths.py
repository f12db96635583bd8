"""Looks up paths in the file roots: `slsutil.file_exists`, `dir_exists`, `path_exists` and `findup`.

Args:
    path: the path in the file roots, without `salt://`.
    saltenv: the environment.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.target_paths import folders_above

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext


def file_exists(ctx: FunctionContext, path: str, saltenv: str = "base") -> bool:
    """Return whether a path in the file roots is a file.

    Example:
        ensue call '*' slsutil.file_exists web/init.sls
    """
    return ctx.files.local_path(f"salt://{path}", saltenv=saltenv) is not None


def dir_exists(ctx: FunctionContext, path: str, saltenv: str = "base") -> bool:
    """Return whether a path in the file roots is a folder with a file below it.

    Example:
        ensue call '*' slsutil.dir_exists web
    """
    return bool(ctx.files.list_tree(f"salt://{path}", saltenv=saltenv))


def path_exists(ctx: FunctionContext, path: str, saltenv: str = "base") -> bool:
    """Return whether a path in the file roots is a file or a folder.

    Example:
        ensue call '*' slsutil.path_exists web/init.sls
    """
    return file_exists(ctx, path, saltenv) or dir_exists(ctx, path, saltenv)


def findup(
    ctx: FunctionContext, startpath: str, filenames: str | Sequence[str], saltenv: str = "base"
) -> str:
    """Search a folder of the file roots, then its parents, for a file name and return the first path found.

    Args:
        startpath: the folder, or a file in it, to start from.
        filenames: one name, or a list of alternatives.

    Example:
        ensue call '*' slsutil.findup web/nginx map.jinja

    Raises:
        StateFailedError: `startpath` does not exist, or none of the names is found.
    """
    folder: str = posixpath.normpath(startpath) if startpath else ""
    if folder and not path_exists(ctx, folder, saltenv):
        raise StateFailedError(f"slsutil.findup: {startpath} is not in the file roots")
    names = [filenames] if isinstance(filenames, str) else filenames
    for above in (folder, *folders_above(folder), ""):
        for name in names:
            if path_exists(ctx, path := posixpath.join(above, name), saltenv):
                return path
    msg = f"slsutil.findup: none of {', '.join(names)} is in {startpath or 'the roots'} or above"
    raise StateFailedError(msg)
