"""Checks, adds and removes rules in the chains of the packet filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.library.modules.iptables.program import ask_filter, filter_words
from ensue.library.modules.iptables.rule_words import split_rule
from ensue.library.modules.iptables.saved import get_rules

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def check(
    ctx: FunctionContext, table: str = "filter", chain: str = "", rule: str = "", family: str = "ipv4"
) -> bool:
    """Return whether a rule is in a chain.

    Returns:
        False also if the chain or the table does not exist.

    Raises:
        StateFailedError: chain or rule is missing, or the target has no iptables.
    """
    _needed(chain, rule)
    answer = await ask_filter(ctx, family, table, "-C", chain, *split_rule(rule))
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no iptables; install it there")
    return answer.is_success


async def append(
    ctx: FunctionContext, table: str = "filter", chain: str = "", rule: str = "", family: str = "ipv4"
) -> bool:
    """Append a rule to a chain; return False if it exists already.

    Raises:
        StateFailedError: iptables refuses it.
    """
    if await check(ctx, table, chain, rule, family):
        return False
    await filter_words(ctx, family, table, "-A", chain, *split_rule(rule), what=f"append `{rule}`")
    return True


async def insert(
    ctx: FunctionContext,
    table: str = "filter",
    chain: str = "",
    position: int = 0,
    rule: str = "",
    family: str = "ipv4",
) -> bool:
    """Insert a rule at a position of a chain; return False if it exists already.

    Args:
        position: the position, from 1; a negative one counts from the end.
        rule: the rule.

    Raises:
        StateFailedError: iptables refuses it, or a part is missing.
    """
    if not position:
        raise StateFailedError("`position` is missing: it counts from 1; to add at the end, append the rule")
    if await check(ctx, table, chain, rule, family):
        return False
    place = int(position)
    if place < 0:
        there = (await get_rules(ctx, family)).get(table, {}).get(chain, {"rules": []})["rules"]
        place = max(len(there) + place + 1, 1)
    words = ("-I", chain, str(place), *split_rule(rule))
    await filter_words(ctx, family, table, *words, what=f"insert `{rule}`")
    return True


async def delete(
    ctx: FunctionContext,
    table: str,
    chain: str = "",
    position: int | None = None,
    rule: str = "",
    family: str = "ipv4",
) -> bool:
    """Remove a rule from a chain, by its text or by its position.

    Args:
        position: the position in the chain.

    Example:
        ensue call '*' iptables.delete filter

    Raises:
        StateFailedError: both or neither are given, or there is no such rule.
    """
    if bool(position) is bool(rule):
        raise StateFailedError("give a position or a rule")
    words = [str(position)] if position else split_rule(rule)
    await filter_words(ctx, family, table, "-D", chain, *words, what=f"delete `{position or rule}`")
    return True


def _needed(chain: str, rule: str) -> None:
    for what, given in (("chain", chain), ("rule", rule)):
        if not given:
            raise StateFailedError(f"iptables requires a {what}")
