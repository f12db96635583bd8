"""Execution module `cp`: what there is in the file roots.

It has no functions that copy: `file.managed` and `file.recurse` do that.

Source: Salt's execution module `cp`, 3008.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import FunctionContext


def list_master(ctx: FunctionContext, saltenv: str = "base", prefix: str = "") -> list[str]:
    """Return the files in the file roots, sorted.

    Args:
        ctx: the target.
        saltenv: the environment.
        prefix: what their paths begin with.
    """
    start = prefix.removeprefix("salt://")
    return [path for path in ctx.files.list_tree("salt://", saltenv=saltenv) if path.startswith(start)]


def list_master_dirs(ctx: FunctionContext, saltenv: str = "base", prefix: str = "") -> list[str]:
    """Return the folders of the file roots that files are below, sorted.

    Args:
        ctx: the target.
        saltenv: the environment.
        prefix: what their paths begin with.
    """
    start = prefix.removeprefix("salt://")
    found: set[str] = set()
    for path in ctx.files.list_tree("salt://", saltenv=saltenv):
        while path := posixpath.dirname(path):
            found.add(path)
    return sorted(path for path in found if path.startswith(start))


def list_states(ctx: FunctionContext, saltenv: str = "base") -> list[str]:
    """Return the names of all SLS files in the file roots, sorted."""
    names = [path.removesuffix(".sls") for path in list_master(ctx, saltenv) if path.endswith(".sls")]
    return sorted(name.removesuffix("/init").replace("/", ".") for name in names)


async def get_file_str(ctx: FunctionContext, path: str, saltenv: str = "base") -> str | bool:
    """Return the text of a `salt://` or other source, False when it is nowhere."""
    try:
        return (await ctx.files.read(path, saltenv=saltenv)).decode()
    except StateFailedError:
        return False


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "get_file_str": get_file_str,
    "list_master": list_master,
    "list_master_dirs": list_master_dirs,
    "list_states": list_states,
}
