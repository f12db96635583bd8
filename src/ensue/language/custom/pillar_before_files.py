"""External pillar that comes first: the pillar of a target while the pillar files are rendered.

Source: Salt's `ext_pillar_first`.
"""

from __future__ import annotations

import contextlib
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator

    from ensue.core.model.srn import Srn

_seen: ContextVar[tuple[Srn, dict[str, Any]]] = ContextVar("pillar_before_files")


def pillar_before_files(srn: Srn) -> dict[str, Any]:
    """Return the pillar of a target for the current rendering of pillar files; empty if there is none."""
    seen = _seen.get(None)
    return seen[1] if seen is not None and seen[0] == srn else {}


@contextlib.contextmanager
def seen_before_files(srn: Srn, pillar: dict[str, Any]) -> Generator[None]:
    """Make a pillar visible to what is rendered in this thread, and to the functions that it calls.

    Args:
        srn: the target whose pillar it is.
        pillar: the pillar; an empty one changes nothing.
    """
    token = _seen.set((srn, pillar))
    try:
        yield
    finally:
        _seen.reset(token)
