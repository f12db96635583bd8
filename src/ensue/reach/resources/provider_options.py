"""Refuses unknown options of an environment provider, so that a misspelt one is not ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.provider import EnvironmentRequest


def check_options(request: EnvironmentRequest, provider: str, known: Sequence[str]) -> None:
    """Check that a request has only options that a provider knows.

    Args:
        request: the request.
        provider: the provider's name.
        known: names of the known options.

    Raises:
        StateFailedError: an option is unknown; the message names it and similar known ones.
    """
    unknown = sorted(request.options.keys() - set(known))
    if not unknown:
        return
    import difflib

    near = [name for unknown_name in unknown for name in difflib.get_close_matches(unknown_name, known, n=1)]
    meant = f"; did you mean {' and '.join(dict.fromkeys(near))}?" if near else ""
    msg = f"provider {provider} does not take {', '.join(unknown)} (it takes {', '.join(known)}{meant})"
    raise StateFailedError(msg)
