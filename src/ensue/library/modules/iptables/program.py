"""The programs `iptables` and `ip6tables` of the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.library.modules._programs import ProgramResult


def program(family: str = "ipv4") -> str:
    """Return the program for an address family.

    Raises:
        StateFailedError: the family is neither `ipv4` nor `ipv6`.
    """
    if family not in {"ipv4", "ipv6"}:
        raise StateFailedError(f"`family` must be ipv4 or ipv6, not {family}")
    return "ip6tables" if family == "ipv6" else "iptables"


async def filter_words(ctx: FunctionContext, family: str, table: str, *words: str, what: str) -> str:
    """Run the program for a table, waiting for its lock if another process has it.

    Args:
        *words: the command and its arguments.
        what: its purpose, which follows "cannot" in the message.

    Raises:
        StateFailedError: the program failed, or the target does not have it.
    """
    return (await must(ctx, program(family), "--wait", "-t", table, *words, what=what)).stdout


async def ask_filter(ctx: FunctionContext, family: str, table: str, *words: str) -> ProgramResult:
    """Run the program for a table and return its outcome, whatever the exit code."""
    return await ask(ctx, program(family), "--wait", "-t", table, *words)


async def dump(ctx: FunctionContext, family: str = "ipv4", table: str | None = None) -> str:
    """Return the output of `iptables-save` for one table or for all.

    Raises:
        StateFailedError: the program failed, or the target does not have it.
    """
    words = ["-t", table] if table else []
    answer = await must(ctx, f"{program(family)}-save", *words, what="read the rules of the packet filter")
    return answer.stdout


async def version(ctx: FunctionContext, family: str = "ipv4") -> str:
    """Return the version of the program (`v1.8.9`)."""
    answer = await must(ctx, program(family), "--version", what="ask for its version")
    return answer.stdout.split()[1]
