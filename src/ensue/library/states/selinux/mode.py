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
    wanted = _mode(name)
    now: str = await ctx.call("selinux.getenforce")
    config: str | None = await ctx.call("selinux.getconfig")
    before = config if now == wanted != config else now
    is_waiting = wanted == "Disabled" == config
    if before == wanted or is_waiting:
        comment = f"SELinux is already in {wanted} mode"
        if now != wanted:
            comment = f"SELinux will be in {wanted} mode after the next boot"
        new_state: DataMap = {"mode": now, "config": config}
        return StateReturn.unchanged(name, comment, new_state)
    changes: DataMap = {"old": before, "new": wanted}
    if ctx.test:
        return StateReturn.planned(name, f"SELinux mode is set to be changed to {wanted}", changes)
    after: str = await ctx.call("selinux.setenforce", wanted)
    configured: str | None = await ctx.call("selinux.getconfig")
    if after != wanted and not (wanted == "Disabled" == configured):
        why = " before the next boot" if after == "Disabled" else ""
        return StateReturn.failed(name, f"Failed to set SELinux to {wanted} mode{why}")
    changes["new"] = after
    comment = f"SELinux has been set to {wanted} mode"
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
