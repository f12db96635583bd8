"""`selinux.port_policy_present` and `port_policy_absent`: rules for the types of ports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.returns import StateReturn
from ensue.library.states.selinux.queries import asked, refused

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def port_policy_present(
    ctx: StateContext,
    name: str,
    sel_type: str,
    protocol: str | None = None,
    port: str | int | None = None,
    sel_range: str | None = None,
) -> StateReturn:
    """Assign a type to a port in the policy.

    Args:
        name: `tcp/8080`, `udp/8000-8010`, or any name if `protocol` and `port` are given.
        sel_type: the type.
        protocol: the protocol.
        port: the port, or a range.
        sel_range: the level.

    Example:
        tcp/8080:
          selinux.port_policy_present:
            - sel_type: http_port_t

    Returns:
        `changes` has `old` and `new`, the rule of the port; `new_state` has `name sel_type`.

    Raises:
        StateFailedError: no port is given, or the target has no SELinux.
    """
    new_state: DataMap = {"name": name, "sel_type": sel_type}
    current = await asked(ctx, name, "selinux.port_get_policy", name, sel_type, protocol, port)
    if isinstance(current, StateReturn):
        return current
    if current:
        comment = f'SELinux policy for "{name}" already present with specified sel_type "{sel_type}".'
        return StateReturn.unchanged(name, comment, new_state)
    if ctx.test:
        return StateReturn.planned(name, f'SELinux policy for "{name}" would be set to sel_type "{sel_type}"')
    before = await ctx.call("selinux.port_get_policy", name, None, protocol, port)
    verb = "modify" if before else "add"
    words = (name, sel_type, protocol, port, sel_range)
    done = await ctx.call(f"selinux.port_{verb}_policy", *words)
    if done["retcode"]:
        return refused(name, "Error adding new policy", done)
    after = await ctx.call("selinux.port_get_policy", name, sel_type, protocol, port)
    return StateReturn.changed(
        name, f'SELinux policy for "{name}" was set', {"old": before, "new": after}, new_state
    )


async def port_policy_absent(
    ctx: StateContext,
    name: str,
    sel_type: str | None = None,
    protocol: str | None = None,
    port: str | int | None = None,
) -> StateReturn:
    """Remove the rule of a port from the policy.

    Args:
        name: `tcp/8080`, `udp/8000-8010`, or any name if `protocol` and `port` are given.
        sel_type: remove only a rule with this type.
        protocol: the protocol.
        port: the port, or a range.

    Example:
        tcp/8080:
          selinux.port_policy_absent

    Returns:
        `changes` has `old` and `new`; `new_state` has `name exists`.

    Raises:
        StateFailedError: no port is given, or the target has no SELinux.
    """
    new_state: DataMap = {"name": name, "exists": False}
    current = await asked(ctx, name, "selinux.port_get_policy", name, sel_type, protocol, port)
    if isinstance(current, StateReturn):
        return current
    if not current:
        comment = f'SELinux policy for "{name}" already absent with specified sel_type "{sel_type}".'
        return StateReturn.unchanged(name, comment, new_state)
    if ctx.test:
        return StateReturn.planned(name, f'SELinux policy for "{name}" would be removed')
    done = await ctx.call("selinux.port_delete_policy", name, protocol, port)
    if done["retcode"]:
        return refused(name, "Error deleting policy", done)
    after = await ctx.call("selinux.port_get_policy", name, sel_type, protocol, port)
    return StateReturn.changed(
        name, f'SELinux policy for "{name}" was removed', {"old": current, "new": after}, new_state
    )
