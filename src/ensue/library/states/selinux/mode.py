"""`selinux.mode`: the mode of SELinux."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def mode(ctx: StateContext, name: str) -> StateReturn:
    """Set the mode of SELinux, now and after a reboot.

    Args:
        name: `enforcing`, `permissive` or `disabled`; the last takes effect at the next boot.

    Example:
        enforcing:
          selinux.mode

    Returns:
        `changes` has `old` and `new`; `new_state` has `mode config`.

    Raises:
        StateFailedError: the mode is invalid, or SELinux is not installed.
    """
    requested = _mode(name)
    now: str = await ctx.call("selinux.getenforce")
    config: str | None = await ctx.call("selinux.getconfig")
    before = config if now == requested != config else now
    is_waiting = requested == "Disabled" == config
    if before == requested or is_waiting:
        comment = f"SELinux is already in {requested} mode"
        if now != requested:
            comment = f"SELinux will be in {requested} mode after the next boot"
        new_state: DataMap = {"mode": now, "config": config}
        return StateReturn.unchanged(name, comment, new_state)
    changes: DataMap = {"old": before, "new": requested}
    if ctx.test:
        return StateReturn.planned(name, f"SELinux mode is set to be changed to {requested}", changes)
    after: str = await ctx.call("selinux.setenforce", requested)
    configured: str | None = await ctx.call("selinux.getconfig")
    if after != requested and not (requested == "Disabled" == configured):
        why = " before the next boot" if after == "Disabled" else ""
        return StateReturn.failed(name, f"Failed to set SELinux to {requested} mode{why}")
    changes["new"] = after
    comment = f"SELinux has been set to {requested} mode"
    new_state = {"mode": after, "config": configured}
    return StateReturn.changed(name, comment, changes, new_state)


def _mode(given: object) -> str:
    text = str(given).lower()
    if text.startswith("e") or text in {"1", "on", "true"}:
        return "Enforcing"
    if text.startswith("p") or text in {"0", "off", "false"}:
        return "Permissive"
    if text.startswith("d"):
        return "Disabled"
    raise StateFailedError(f"{given} is not an accepted mode: write enforcing, permissive or disabled")
