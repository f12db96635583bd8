"""Lists the file roots.

Args:
    prefix: only paths that begin with this.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


def list_master(ctx: FunctionContext, saltenv: str = "base", prefix: str = "") -> list[str]:
    """Return the files in the file roots, sorted."""
    start = prefix.removeprefix("salt://")
    return [path for path in ctx.files.list_tree("salt://", saltenv=saltenv) if path.startswith(start)]


def list_master_dirs(ctx: FunctionContext, saltenv: str = "base", prefix: str = "") -> list[str]:
    """Return the folders of the file roots that contain files, sorted."""
    start = prefix.removeprefix("salt://")
    folders: set[str] = set()
    for path in ctx.files.list_tree("salt://", saltenv=saltenv):
        while path := posixpath.dirname(path):
            folders.add(path)
    return sorted(path for path in folders if path.startswith(start))


def list_states(ctx: FunctionContext, saltenv: str = "base") -> list[str]:
    """Return the names of all SLS files in the file roots, sorted."""
    names = [path.removesuffix(".sls") for path in list_master(ctx, saltenv) if path.endswith(".sls")]
    return sorted(name.removesuffix("/init").replace("/", ".") for name in names)


def envs(ctx: FunctionContext) -> list[str]:
    """Return the environments that have file roots."""
    roots = ctx.opts.get("file_roots")
    return list(roots) if isinstance(roots, dict) else ["base"]


OFFERED: Final = by_name(envs, list_master, list_master_dirs, list_states)
