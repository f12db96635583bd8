"""Refuses the options that an environment provider does not take, so that a misspelt one is not ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.contracts.provider import EnvironmentRequest


def check_options(request: EnvironmentRequest, provider: str, known: Sequence[str]) -> None:
    """Check that a request has no other options than a provider takes.

    Args:
        request: the request.
        provider: the provider's name.
        known: the names of the options that it takes.

    Raises:
        StateFailedError: it has others; the message names them, and what they may be meant to be.
    """
    unknown = sorted(request.options.keys() - set(known))
    if not unknown:
        return
    import difflib

    near = [name for one in unknown for name in difflib.get_close_matches(one, known, n=1)]
    meant = f"; did you mean {' and '.join(dict.fromkeys(near))}?" if near else ""
    msg = f"provider {provider} does not take {', '.join(unknown)} (it takes {', '.join(known)}{meant})"
    raise StateFailedError(msg)
