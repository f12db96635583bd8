"""Calls of `firewall-cmd` on the target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def answer_of(ctx: FunctionContext, *words: str, permanent: bool = False) -> str:
    """Return what `firewall-cmd` prints.

    Args:
        *words: its options.
        permanent: use the permanent configuration.

    Raises:
        StateFailedError: it is missing, or fails.
    """
    last = ["--permanent"] if permanent else []
    return (await must(ctx, "firewall-cmd", *words, *last, what="ask firewalld")).stdout.strip()


def in_zone(zone: str | None) -> list[str]:
    """Return the option that names a zone; none for the default zone."""
    return [f"--zone={zone}"] if zone else []
