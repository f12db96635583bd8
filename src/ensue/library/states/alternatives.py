"""State module `alternatives`: selects the program behind a common name, such as `editor`.

Source: Salt's state module `alternatives`, 3007: results, changes and comments. As there, `install` is not
done again for another priority or link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def install(ctx: StateContext, name: str, link: str, path: str, priority: int | str) -> StateReturn:
    """Register a program as an alternative for a name.

    Args:
        name: the name (`editor`).
        link: the path of the name (`/usr/bin/editor`).
        path: the program.
        priority: in auto mode, the program with the highest priority is used.

    Example:
        editor:
          alternatives.install:
            - link: /usr/bin/editor
            - path: /usr/bin/vim.basic
            - priority: 50

    Returns:
        `changes` has `name`, `link`, `path` and `priority`.

    Raises:
        StateFailedError: the target has no program for alternatives.
    """
    if await ctx.call("alternatives.check_exists", name, path):
        comment = f"Alternative {path} for {name} is already registered"
        return StateReturn.unchanged(name, comment, await _now(ctx, name))
    if ctx.test:
        return StateReturn.planned(
            name, f"Alternative will be set for {name} to {path} with priority {priority}"
        )
    try:
        await ctx.call("alternatives.install", name, link, path, priority)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Alternative for {name} not installed: {error}")
    is_current: bool = await ctx.call("alternatives.check_installed", name, path)
    what = "set" if is_current else "registered"
    changes: DataMap = {"name": name, "link": link, "path": path, "priority": priority}
    comment = f"Alternative for {name} {what} to path {path} with priority {priority}"
    if not is_current:
        comment = f"Alternative {path} for {name} registered with priority {priority} and not set to default"
    return StateReturn.changed(name, comment, changes, await _now(ctx, name))


async def remove(ctx: StateContext, name: str, path: str) -> StateReturn:
    """Remove a program from the alternatives for a name.

    Args:
        name: the name.
        path: the program.

    Example:
        editor:
          alternatives.remove:
            - path: /bin/nano

    Returns:
        `changes` has `path`: the program that is used now.

    Raises:
        StateFailedError: the target has no program for alternatives.
    """
    if not await ctx.call("alternatives.check_exists", name, path):
        current: str | bool = await ctx.call("alternatives.show_current", name)
        comment = f"Alternative for {name} doesn't exist"
        if current:
            comment = f"Alternative for {name} is set to it's default path {current}"
        return StateReturn.unchanged(name, comment, await _now(ctx, name))
    if ctx.test:
        return StateReturn.planned(name, f"Alternative for {name} will be removed")
    try:
        await ctx.call("alternatives.remove", name, path)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Alternative for {name} not removed: {error}")
    now: str | bool = await ctx.call("alternatives.show_current", name)
    comment = f"Alternative for {name} removed"
    if now:
        comment += f". Falling back to path {now}"
    return StateReturn.changed(name, comment, {"path": now or ""}, await _now(ctx, name))


async def auto(ctx: StateContext, name: str) -> StateReturn:
    """Use the program with the highest priority for a name (auto mode).

    Args:
        name: the name.

    Example:
        editor:
          alternatives.auto

    Returns:
        `changes` has `result`: the output of the program.

    Raises:
        StateFailedError: the target has no program for alternatives, or no alternatives for the name.
    """
    shown: str = await ctx.call("alternatives.display", name)
    # The first line is the name; the mode is at its end or on its own line.
    if any(" auto mode" in line or line.strip() == "Status: auto" for line in shown.splitlines()[:2]):
        return StateReturn.unchanged(name, f"{name} already in auto mode", await _now(ctx, name))
    if ctx.test:
        return StateReturn.planned(name, f"{name} will be put in auto mode")
    output: str = await ctx.call("alternatives.auto", name)
    return StateReturn.changed(
        name, f"{name} was put in auto mode", {"result": output}, await _now(ctx, name)
    )


async def set_(ctx: StateContext, name: str, path: str) -> StateReturn:
    """Use a program for a name, whatever its priority.

    Args:
        name: the name.
        path: the program, which must be registered.

    Example:
        editor:
          alternatives.set:
            - path: /usr/bin/vim.basic

    Returns:
        `changes` has `path`.

    Raises:
        StateFailedError: the target has no program for alternatives.
    """
    if await ctx.call("alternatives.show_current", name) == path:
        comment = f"Alternative for {name} already set to {path}"
        return StateReturn.unchanged(name, comment, await _now(ctx, name))
    if not await ctx.call("alternatives.check_exists", name, path):
        # In a plan, an earlier state may be about to install it.
        result = None if ctx.test else False
        return StateReturn(name=name, result=result, comment=f"Alternative {path} for {name} doesn't exist")
    if ctx.test:
        return StateReturn.planned(name, f"Alternative for {name} will be set to path {path}")
    try:
        await ctx.call("alternatives.set", name, path)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Alternative for {name} not updated: {error}")
    comment = f"Alternative for {name} set to path {path}"
    return StateReturn.changed(name, comment, {"path": path}, await _now(ctx, name))


async def _now(ctx: StateContext, name: str) -> DataMap:
    current: str | bool = await ctx.call("alternatives.show_current", name)
    return {"name": name, "path": current or ""}


FUNCTIONS: Final = by_name(auto, install, remove, set_)
ABSENT: Final = {"install": "remove"}
