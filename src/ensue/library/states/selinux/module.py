"""`selinux.module`, `module_install`, `module_remove`: modules of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.errors import MissingOnTargetError, StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.selinux.queries import asked

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

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
    """Enable or disable a module of the policy.

    Args:
        name: the module.
        module_state: `Enabled` or `Disabled`.
        version: only `any` is accepted, because semodule reports no versions.
        install: first install the module if it is missing.
        remove: remove the module.
        source: the file to install it from, `salt://…` or a path of the target.

    Example:
        zabbix:
          selinux.module:
            - module_state: enabled

    Returns:
        `changes` has `old` and `new` by module; `new_state` has `name enabled`, or `name exists`.

    Raises:
        StateFailedError: the module does not exist, or semodule reports an error.
    """
    if install and remove:
        raise StateFailedError("Cannot install and remove at the same time")
    if remove:
        return await module_remove(ctx, name)
    requested = _state(module_state)
    known: dict[str, dict[str, Any]] | StateReturn = await asked(ctx, name, "selinux.list_semod")
    if isinstance(known, StateReturn):
        return known
    is_there = name in known
    if not is_there and install and ctx.test:
        made: DataMap = {name: {"old": None, "new": requested}}
        return StateReturn.planned(name, f"Module {name} is set to be installed", made)
    about = known[name] if is_there else await _installed(ctx, name, (source or name) if install else "")
    if version != "any":
        raise StateFailedError(f"semodule reports no version of {name}, so it may not be {version}")
    before = "enabled" if about["Enabled"] else "disabled"
    changes: DataMap = {}
    if before != requested or not is_there:
        changes[name] = {"old": before if is_there else None, "new": requested}
    if ctx.test and changes:
        return StateReturn.planned(name, f"Module {name} is set to be toggled to {module_state}", changes)
    if before != requested and not await ctx.call("selinux.setsemod", name, requested):
        raise StateFailedError(f"Failed to set the Module {name} to {module_state}")
    comment = f"Module {name} is in the desired state"
    if changes:
        comment = f"Module {name} has been set to {module_state}"
    new_state: DataMap = {"name": name, "enabled": requested == "enabled"}
    return StateReturn.changed(name, comment, changes, new_state)


async def module_install(ctx: StateContext, name: str) -> StateReturn:
    """Install a module of the policy from a file, unless one of this name is installed.

    Args:
        name: the file, `salt://…` or a path of the target; the module has the name of the file.

    Example:
        /usr/share/selinux/shop.pp:
          selinux.module_install

    Returns:
        `changes` has `old` and `new` by module; `new_state` has `name enabled`.

    Raises:
        StateFailedError: the target has no SELinux, or the file does not exist.
    """
    called = name.rpartition("/")[2].partition(".")[0]
    return msgspec.structs.replace(await module(ctx, called, install=True, source=name), name=name)


async def module_remove(ctx: StateContext, name: str) -> StateReturn:
    """Remove a module of the policy.

    Args:
        name: the module.

    Example:
        shop:
          selinux.module_remove

    Returns:
        `changes` has `old` and `new` by module; `new_state` has `name exists`.

    Raises:
        StateFailedError: the target has no SELinux.
    """
    known: dict[str, dict[str, Any]] | StateReturn = await asked(ctx, name, "selinux.list_semod")
    if isinstance(known, StateReturn):
        return known
    new_state: DataMap = {"name": name, "exists": False}
    if name not in known:
        return StateReturn.unchanged(name, f"Module {name} is not available", new_state)
    before = "enabled" if known[name]["Enabled"] else "disabled"
    changes: DataMap = {name: {"old": before, "new": None}}
    if ctx.test:
        return StateReturn.planned(name, f"Module {name} is set to be removed", changes)
    if not await ctx.call("selinux.remove_semod", name):
        return StateReturn.failed(name, f"Failed to remove module {name}")
    return StateReturn.changed(name, f"Module {name} has been removed", changes, new_state)


async def _installed(ctx: StateContext, name: str, source: str) -> dict[str, Any]:
    """Install a module from its file, if there is one, and return its entry in `selinux.list_semod`."""
    if not source:
        raise MissingOnTargetError(f"Module {name} is not available", missing=name)
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
    raise StateFailedError(f"{given} is not a valid state of a module: write Enabled or Disabled")
