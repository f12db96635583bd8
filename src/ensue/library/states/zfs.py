"""State module `zfs`: file systems of ZFS.

Source: Salt's state module `zfs`, 3006: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.returns import StateReturn
from ensue.core.model.zfs_values import parsed, shown

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def filesystem_present(
    ctx: StateContext,
    name: str,
    *,
    create_parent: bool = False,
    properties: DataMap | None = None,
    cloned_from: str | None = None,
) -> StateReturn:
    """Create a file system, and set its properties.

    Args:
        name: the file system, `pool/name`.
        create_parent: create missing parents.
        properties: the properties to set; others are left alone.
        cloned_from: the snapshot to clone a new file system from.

    Example:
        tank/www:
          zfs.filesystem_present:
            - create_parent: true
            - properties: {compression: lz4}

    Returns:
        `changes` has, under the name, `created`, `cloned`, or the properties that differ; `new_state` has
        `name properties`.

    Raises:
        StateFailedError: the target has no zfs, or zfs reports an error.
    """
    requested: DataMap = properties or {}
    new_state: DataMap = {"name": name, "properties": {key: shown(value) for key, value in requested.items()}}
    if not await ctx.call("zfs.exists", name, type="filesystem"):
        done = "cloned" if cloned_from else "created"
        if not ctx.test:
            more: DataMap = {"create_parent": create_parent, "properties": requested}
            if cloned_from:
                await ctx.call("zfs.clone", cloned_from, name, **more)
            else:
                await ctx.call("zfs.create", name, **more)
        return _changed(ctx, name, requested or done, done, new=new_state)
    current: dict[str, str] = await ctx.call("zfs.get", name, *requested) if requested else {}
    differing = {key: value for key, value in requested.items() if current.get(key) != parsed(value)}
    if not differing:
        return StateReturn.unchanged(name, f"filesystem {name} is uptodate", new_state)
    old_state: DataMap = {"name": name, "properties": {**current}}
    if not ctx.test:
        await ctx.call("zfs.set", name, **differing)
    return _changed(ctx, name, differing, "updated", new=new_state, old=old_state)


async def filesystem_absent(
    ctx: StateContext, name: str, *, force: bool = False, recursive: bool = False
) -> StateReturn:
    """Remove a file system.

    Args:
        name: the file system, `pool/name`.
        force: unmount it even if it is in use.
        recursive: also destroy everything below it.

    Example:
        tank/scratch:
          zfs.filesystem_absent:
            - recursive: true

    Returns:
        `changes` has `destroyed` under the name; `new_state` has `name exists`.

    Raises:
        StateFailedError: the target has no zfs, or zfs reports an error.
    """
    gone: DataMap = {"name": name, "exists": False}
    if not await ctx.call("zfs.exists", name, type="filesystem"):
        return StateReturn.unchanged(name, f"filesystem {name} is absent", gone)
    if not ctx.test:
        await ctx.call("zfs.destroy", name, force=force, recursive=recursive)
    return _changed(ctx, name, "destroyed", "destroyed", new=gone, old={"name": name, "exists": True})


def _changed(
    ctx: StateContext, name: str, change: Any, done: str, *, new: DataMap, old: DataMap | None = None
) -> StateReturn:
    comment = f"filesystem {name} would be {done}" if ctx.test else f"filesystem {name} was {done}"
    return StateReturn(
        name=name,
        result=None if ctx.test else True,
        changes={name: change},
        comment=comment,
        new_state=None if ctx.test else new,
        old_state=old,
    )


FUNCTIONS: Final = by_name(filesystem_absent, filesystem_present)
ABSENT: Final = {"filesystem_present": "filesystem_absent"}
