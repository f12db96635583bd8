"""Chains of the packet filter and their policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.library.modules.iptables.program import dump, filter_words
from ensue.library.modules.iptables.saved import get_rules

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def check_chain(
    ctx: FunctionContext, table: str = "filter", chain: str = "", family: str = "ipv4"
) -> bool:
    """Return whether a table has a chain."""
    written = await dump(ctx, family, table)
    return any(line.startswith(f":{_named(chain)} ") for line in written.splitlines())


async def new_chain(
    ctx: FunctionContext, table: str = "filter", chain: str = "", family: str = "ipv4"
) -> bool:
    """Create a chain.

    Raises:
        StateFailedError: the chain exists, or iptables refuses its name.
    """
    await filter_words(ctx, family, table, "-N", _named(chain), what=f"create the chain {chain}")
    return True


async def delete_chain(
    ctx: FunctionContext, table: str = "filter", chain: str = "", family: str = "ipv4"
) -> bool:
    """Remove a chain.

    Raises:
        StateFailedError: the chain contains rules, or rules refer to it.
    """
    await filter_words(ctx, family, table, "-X", _named(chain), what=f"remove the chain {chain}")
    return True


async def flush(ctx: FunctionContext, table: str = "filter", chain: str = "", family: str = "ipv4") -> str:
    """Remove all rules of a chain, or of all chains of a table, and return an empty text, as Salt does.

    Raises:
        StateFailedError: there is no such chain.
    """
    words = [chain] if chain else []
    return await filter_words(ctx, family, table, "-F", *words, what=f"flush {chain or table}")


async def get_policy(
    ctx: FunctionContext, table: str = "filter", chain: str = "", family: str = "ipv4"
) -> str | None:
    """Return a chain's policy (`ACCEPT`), None if there is no such chain."""
    return (await get_rules(ctx, family)).get(table, {}).get(_named(chain), {}).get("policy")


async def set_policy(
    ctx: FunctionContext, table: str = "filter", chain: str = "", policy: str = "", family: str = "ipv4"
) -> str:
    """Set a chain's policy, and return an empty text, as Salt does.

    Args:
        policy: `ACCEPT` or `DROP`.

    Raises:
        StateFailedError: only built-in chains may have a policy.
    """
    if not policy:
        raise StateFailedError("iptables requires a policy")
    words = ("-P", _named(chain), policy)
    return await filter_words(ctx, family, table, *words, what=f"set the policy of {chain}")


def _named(chain: str) -> str:
    if not chain:
        raise StateFailedError("iptables requires a chain")
    return chain
