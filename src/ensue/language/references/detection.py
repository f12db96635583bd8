"""Decides quickly, without loading a grammar, whether a text may contain a reference or a slot."""

from __future__ import annotations

from typing import Final

_ESCAPES: Final = ("$\\", "\\x24", "\\x7", "\\u0024", "\\u007", "\\U00000024", "\\U0000007")


def holds_sign(text: str) -> bool:
    """Return whether a text may contain a reference or an escape; False is certain."""
    return "${" in text or "$\\{" in text


def may_bind(rendering: str) -> bool:
    """Return whether the data of a rendering may contain a reference, so that most trees need no search.

    Quoted text in YAML and JSON may write the sign as an escape, and in YAML it may break a line within it.
    """
    return holds_sign(rendering) or any(escape in rendering for escape in _ESCAPES)


def may_hold_slot(rendering: str) -> bool:
    """Return whether the data of a rendering may contain a slot (`__slot__:`)."""
    return "__slot__" in rendering or "\\" in rendering
