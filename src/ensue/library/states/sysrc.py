"""State module `sysrc`: variables of FreeBSD's rc.conf.

Source: Salt's state module `sysrc`, 3006, and saltext. As there, a plan has the `changes` of an apply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@also_takes("file", "jail")
async def managed(ctx: StateContext, name: str, value: Any, **kwargs: Any) -> StateReturn:
    """Set a variable of rc.conf.

    Args:
        name: the variable.
        value: its value; a boolean is YES or NO.
        **kwargs: `file`: another file; `jail`: the jail whose files to change.

    Example:
        sshd_enable:
          sysrc.managed:
            - value: 'YES'

    Returns:
        `changes` has `old` and `new`, by file and variable; `new_state` has `name value`.

    Raises:
        StateFailedError: the target has no sysrc, or sysrc reports an error.
    """
    requested = "YES" if value is True else "NO" if value is False else str(value)
    settings: dict[str, dict[str, str]] = await ctx.call("sysrc.get", name, **kwargs) or {}
    new_state: DataMap = {"name": name, "value": requested}
    if _value(settings, name) == requested:
        return StateReturn.unchanged(name, f"{name} is already set to the desired value.", new_state)
    if ctx.test:
        comment = f'The value of "{name}" will be changed!'
        changes: DataMap = {"old": _shown(settings), "new": f"{name} = {requested} will be set."}
        return StateReturn.planned(name, comment, changes)
    new: DataMap = await ctx.call("sysrc.set", name, requested, **kwargs)
    return StateReturn.changed(
        name,
        f'The value of "{name}" was changed!',
        {"old": _shown(settings), "new": new},
        new_state,
        old_state={"name": name, "value": _value(settings, name)},
    )


@also_takes("file", "jail")
async def absent(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Remove a variable from rc.conf.

    Args:
        name: the variable.
        **kwargs: `file`: another file; `jail`: the jail whose files to change.

    Example:
        sshd_enable:
          sysrc.absent

    Returns:
        `changes` has `old` and `new`; `new_state` has `name exists`.

    Raises:
        StateFailedError: the target has no sysrc, or sysrc reports an error.
    """
    settings: dict[str, dict[str, str]] = await ctx.call("sysrc.get", name, **kwargs) or {}
    gone: DataMap = {"name": name, "exists": False}
    if not settings:
        return StateReturn.unchanged(name, f'"{name}" is already absent.', gone)
    if ctx.test:
        changes: DataMap = {"old": _shown(settings), "new": f'"{name}" will be removed.'}
        return StateReturn.planned(name, f'"{name}" will be removed!', changes)
    await ctx.call("sysrc.remove", name, **kwargs)
    return StateReturn.changed(
        name,
        f'"{name}" was removed!',
        {"old": _shown(settings), "new": None},
        gone,
        old_state={"name": name, "value": _value(settings, name)},
    )


def _value(settings: dict[str, dict[str, str]], name: str) -> str | None:
    """Return the value of a variable in the first file that has it."""
    return next((values[name] for values in settings.values() if name in values), None)


def _shown(settings: dict[str, dict[str, str]]) -> Data:
    return {file: {**values} for file, values in settings.items()} or None


FUNCTIONS: Final = by_name(absent, managed, make_only=("paths",))
