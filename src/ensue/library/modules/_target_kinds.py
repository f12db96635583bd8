"""Kinds of target expressions, as the arguments `tgt_type` of `match`, `mine` and `publish` name them."""

from __future__ import annotations

from typing import Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list

KINDS: Final = {
    "compound": None, "glob": "", "pcre": "E", "list": "L", "grain": "G", "grain_pcre": "P", "pillar": "I",
    "pillar_exact": "I", "pillar_pcre": "J", "ipcidr": "S", "nodegroup": "N", "range": "R", "resource": "T",
    "managing_minion": "M",
}  # fmt: skip
"""The letter of the matching engine by kind; None for a compound expression."""


def engine_of(kind: str) -> str | None:
    """Return the letter of the engine for a kind, empty for a glob, None for a compound expression.

    Raises:
        StateFailedError: there is no such kind.
    """
    if kind not in KINDS:
        raise StateFailedError(f"{kind!r} is not a kind of target; known kinds: {', '.join(KINDS)}")
    return KINDS[kind]


def expression_of(kind: str, given: Any) -> str:
    """Return an expression as text; like Salt, a list is accepted, too."""
    if is_list(given):
        return (" " if kind == "compound" else ",").join(map(str, given))
    return str(given)
