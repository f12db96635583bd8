"""`selinux.module`, `module_install`, `module_remove`: parts of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.errors import StateFailedError
from ensue.model.returns import StateReturn
from ensue.states.selinux.asking import asked

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap

_ENABLED = {"1", "on", "yes", "true", "enabled"}
_DISABLED = {"0", "off", "no", "false", "disabled"}


async def module(
    ctx: StateContext,
    name: str,
    module_state: str | bool = "Enabled",
    version: str = "any",
    *,
    install: bool = False,
    remove: bool = False,
    source: str | None = None,
) -> StateReturn:
    """Have a module of the policy enabled or disabled.

    Args:
        ctx: the state's context.
        name: the module.
        module_state: `Enabled` or `Disabled`.
        version: Salt's; semodule tells no versions, so that any but `any` is refused.
        install: install it first when it is not there.
        remove: have it removed.
        source: the file that it is installed from, `salt://…` or a path of the target.

    Returns:
        `changes` have by module `old` and `new`; `new_state` has `name enabled`, or `exists`, false.

    Raises:
        StateFailedError: there is no such module, or it is refused.
    """
    if install and remove:
        raise StateFailedError("Cannot install and remove at the same time")
    if remove:
        return await module_remove(ctx, name)
    wanted = _state(module_state)
    known: dict[str, dict[str, Any]] | StateReturn = await asked(ctx, name, "selinux.list_semod")
    if isinstance(known, StateReturn):
        return known
    is_there = name in known
    if not is_there and (ctx.test or not install):
        comment = f"Module {name} is set to be installed" if install else f"Module {name} is not available"
        return StateReturn(name=name, result=None if ctx.test else False, comment=comment)
    about = known[name] if is_there else await _installed(ctx, name, source or name)
    if version != "any":
        raise StateFailedError(f"semodule tells no version of {name}: whether it is {version} is not known")
    before = "enabled" if about["Enabled"] else "disabled"
    changes: DataMap = {}
    if before != wanted or not is_there:
        changes[name] = {"old": before if is_there else None, "new": wanted}
    if ctx.test and changes:
        comment = f"Module {name} is set to be toggled to {module_state}"
        return StateReturn(name=name, result=None, changes=changes, comment=comment)
    if before != wanted and not await ctx.call("selinux.setsemod", name, wanted):
        raise StateFailedError(f"Failed to set the Module {name} to {module_state}")
    comment = f"Module {name} is in the desired state"
    if changes:
        comment = f"Module {name} has been set to {module_state}"
    new_state: DataMap = {"name": name, "enabled": wanted == "enabled"}
    return StateReturn(name=name, result=True, changes=changes, comment=comment, new_state=new_state)


async def module_install(ctx: StateContext, name: str) -> StateReturn:
    """Have a module installed from a file; one of that name that is there stays.

    Args:
        ctx: the state's context.
        name: the file, `salt://…` or a path of the target; the module is called as the file.

    Returns:
        `changes` have by module `old` and `new`; `new_state` has `name enabled`.

    Raises:
        StateFailedError: the target has no SELinux, or there is no such file.
    """
    called = name.rpartition("/")[2].partition(".")[0]
    done = await module(ctx, called, install=True, source=name)
    return StateReturn(
        name=name, result=done.result, changes=done.changes, comment=done.comment, new_state=done.new_state
    )


async def module_remove(ctx: StateContext, name: str) -> StateReturn:
    """Have no such module.

    Args:
        ctx: the state's context.
        name: the module.

    Returns:
        `changes` have the module with `old` and `new`; `new_state` has `name` and `exists`, false.

    Raises:
        StateFailedError: the target has no SELinux.
    """
    known: dict[str, dict[str, Any]] | StateReturn = await asked(ctx, name, "selinux.list_semod")
    if isinstance(known, StateReturn):
        return known
    new_state: DataMap = {"name": name, "exists": False}
    if name not in known:
        comment = f"Module {name} is not available"
        return StateReturn(name=name, result=True, comment=comment, new_state=new_state)
    before = "enabled" if known[name]["Enabled"] else "disabled"
    changes: DataMap = {name: {"old": before, "new": None}}
    if ctx.test:
        comment = f"Module {name} is set to be removed"
        return StateReturn(name=name, result=None, changes=changes, comment=comment)
    if not await ctx.call("selinux.remove_semod", name):
        return StateReturn(name=name, result=False, comment=f"Failed to remove module {name}")
    comment = f"Module {name} has been removed"
    return StateReturn(name=name, result=True, changes=changes, comment=comment, new_state=new_state)


async def _installed(ctx: StateContext, name: str, source: str) -> dict[str, Any]:
    """Install a module, and return what `selinux.list_semod` says of it then."""
    if not await ctx.call("selinux.install_semod", source):
        raise StateFailedError(f"Failed to install module {source}")
    known: dict[str, dict[str, Any]] = await ctx.call("selinux.list_semod")
    if name not in known:
        raise StateFailedError(f"{source} has no module {name}")
    return known[name]


def _state(given: object) -> str:
    text = str(given).lower()
    if text in _ENABLED:
        return "enabled"
    if text in _DISABLED:
        return "disabled"
    raise StateFailedError(f"{given} is not a valid state of a module: it is Enabled or Disabled")
