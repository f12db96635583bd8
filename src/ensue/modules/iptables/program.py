"""The programs `iptables` and `ip6tables` of the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.errors import StateFailedError
from ensue.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.contracts.context import FunctionContext
    from ensue.modules._programs import Answer


def program(family: str = "ipv4") -> str:
    """Return the program of a family of addresses.

    Raises:
        StateFailedError: it is neither `ipv4` nor `ipv6`.
    """
    if family not in {"ipv4", "ipv6"}:
        raise StateFailedError(f"`family` is ipv4 or ipv6, not {family}")
    return "ip6tables" if family == "ipv6" else "iptables"


async def filter_words(ctx: FunctionContext, family: str, table: str, *words: str, what: str) -> str:
    """Run the program on a table, and wait when another process holds the table.

    Args:
        ctx: the target.
        family: `ipv4` or `ipv6`.
        table: the table.
        *words: the command and its arguments.
        what: what it is for, after "cannot".

    Raises:
        StateFailedError: it failed, or the target has no such program.
    """
    return (await must(ctx, program(family), "--wait", "-t", table, *words, what=what)).stdout


async def ask_filter(ctx: FunctionContext, family: str, table: str, *words: str) -> Answer:
    """Run the program on a table, whatever its exit code is."""
    return await ask(ctx, program(family), "--wait", "-t", table, *words)


async def dump(ctx: FunctionContext, family: str = "ipv4", table: str | None = None) -> str:
    """Return what `iptables-save` writes, of one table or of all.

    Raises:
        StateFailedError: it failed, or the target has no such program.
    """
    words = ["-t", table] if table else []
    said = await must(ctx, f"{program(family)}-save", *words, what="read the rules of the packet filter")
    return said.stdout


async def version(ctx: FunctionContext, family: str = "ipv4") -> str:
    """Return the version of the program (`v1.8.9`)."""
    said = await must(ctx, program(family), "--version", what="ask for its version")
    return said.stdout.split()[1]
