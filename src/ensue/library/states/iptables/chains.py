"""`iptables.chain_present`, `chain_absent`, `set_policy` and `flush`: whole chains.

Args:
    table: the table.
    family: `ipv4` or `ipv6`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.iptables.saving import needs_saving, save_rules

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def chain_present(
    ctx: StateContext, name: str, table: str = "filter", family: str = "ipv4"
) -> StateReturn:
    """Create a chain.

    Args:
        name: the chain.

    Example:
        LOGGING:
          iptables.chain_present

    Returns:
        `changes` has `locale`, the chain; `new_state` has `name table family`.

    Raises:
        StateFailedError: iptables rejects the name, or is not installed.
    """
    where = f"iptables {name} chain in {table} table"
    new_state: DataMap = {"name": name, "table": table, "family": family}
    is_there = await _has_chain(ctx, name, table, family)
    if is_there:
        return StateReturn.unchanged(name, f"{where} already exists for {family}", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"{where} needs to be set for {family}")
    await ctx.call("iptables.new_chain", table, name, family)
    return StateReturn.changed(name, f"{where} create success for {family}", {"locale": name}, new_state)


async def chain_absent(
    ctx: StateContext, name: str, table: str = "filter", family: str = "ipv4"
) -> StateReturn:
    """Remove a chain with its rules.

    Args:
        name: the chain.

    Example:
        LOGGING:
          iptables.chain_absent

    Returns:
        `changes` has `locale`, the chain; `new_state` has `name table family exists`.

    Raises:
        StateFailedError: rules of other chains jump to it, or iptables is not installed.
    """
    where = f"iptables {name} chain in {table} table"
    new_state: DataMap = {"name": name, "table": table, "family": family, "exists": False}
    is_there = await _has_chain(ctx, name, table, family)
    if is_there is False:
        return StateReturn.unchanged(name, f"{where} is already absent for {family}", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"{where} needs to be removed for {family}")
    await ctx.call("iptables.flush", table, name, family)
    await ctx.call("iptables.delete_chain", table, name, family)
    return StateReturn.changed(name, f"{where} delete success for {family}", {"locale": name}, new_state)


async def set_policy(
    ctx: StateContext,
    name: str,
    table: str = "filter",
    family: str = "ipv4",
    *,
    chain: str,
    policy: str,
    save: bool | str | None = None,
) -> StateReturn:
    """Set the policy of a chain, for packets that no rule matches.

    Args:
        name: any name.
        chain: the chain.
        policy: `ACCEPT` or `DROP`.
        save: save the rules for the next boot; a text is the file to save them in.

    Example:
        drop-by-default:
          iptables.set_policy:
            - chain: INPUT
            - policy: DROP

    Returns:
        `changes` has `locale`, the name; `new_state` has `name table family chain policy`.

    Raises:
        StateFailedError: the chain is not a built-in one, or iptables is not installed.
    """
    new_state: DataMap = {"name": name, "table": table, "family": family, "chain": chain, "policy": policy}
    is_set = await _asked(ctx, "iptables.get_policy", table, chain, family) == policy
    is_saved = is_set and not await needs_saving(ctx, save, family)
    where = f"iptables default policy for chain {chain} on table {table} for {family}"
    if is_set and is_saved:
        return StateReturn.unchanged(name, f"{where} already set to {policy}", new_state)
    if ctx.test:
        what = "saved" if is_set else "set"
        return StateReturn.planned(name, f"{where} needs to be {what} to {policy}")
    if not is_set:
        await ctx.call("iptables.set_policy", table, chain, policy, family)
    saved = await save_rules(ctx, save, family)
    verb = "Set and saved" if saved else "Set"
    comment = f"{verb} default policy for {chain} to {policy} family {family}"
    changes: DataMap = {"saved": True} if is_set else {"locale": name}
    return StateReturn.changed(name, comment, changes, new_state)


async def flush(
    ctx: StateContext, name: str, table: str = "filter", family: str = "ipv4", *, chain: str = ""
) -> StateReturn:
    """Remove all rules of a chain, or of all chains of a table.

    Args:
        name: any name.
        chain: the chain; empty for all chains.

    Example:
        nat:
          iptables.flush:
            - table: nat
            - chain: POSTROUTING

    Returns:
        `changes` has `locale`, the name; `new_state` has `name table family chain`.

    Raises:
        StateFailedError: the chain does not exist, or iptables is not installed.
    """
    new_state: DataMap = {"name": name, "table": table, "family": family, "chain": chain}
    where = f"iptables rules in {table} table {chain} chain {family} family"
    tables: dict[str, Any] | None = await _asked(ctx, "iptables.get_rules", family)
    chains: dict[str, Any] = (tables or {}).get(table, {})
    there = [chains[chain]] if chain in chains else [] if chain else [*chains.values()]
    if tables is not None and (chain in chains or not chain) and not any(each["rules"] for each in there):
        return StateReturn.unchanged(name, f"There are no {where}", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"{where} need to be flushed")
    await ctx.call("iptables.flush", table, chain, family)
    changes: DataMap = {"locale": name}
    return StateReturn.changed(name, f"Flush {where}", changes, new_state)


async def _has_chain(ctx: StateContext, name: str, table: str, family: str) -> bool | None:
    exists: bool | None = await _asked(ctx, "iptables.check_chain", table, name, family)
    return exists


async def _asked(ctx: StateContext, function: str, *words: str) -> Any:
    """Query iptables; None in a plan if it is not installed, because an earlier state may install it."""
    try:
        return await ctx.call(function, *words)
    except StateFailedError:
        if not ctx.test:
            raise
        return None
