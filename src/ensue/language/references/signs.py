"""Whether a reference or a slot might stand in a text, told quickly and without a grammar being loaded."""

from __future__ import annotations

from typing import Final

_ESCAPES: Final = ("$\\", "\\x24", "\\x7", "\\u0024", "\\u007", "\\U00000024", "\\U0000007")


def holds_sign(text: str) -> bool:
    """Return whether a reference or an escape might stand in a text; never wrong when it says no."""
    return "${" in text or "$\\{" in text


def may_bind(rendering: str) -> bool:
    """Return whether what a rendering becomes might hold a reference: most trees need not be searched.

    Quotes of YAML and JSON may write the sign as an escape, and those of YAML end a line within it.
    """
    return holds_sign(rendering) or any(escape in rendering for escape in _ESCAPES)


def may_hold_slot(rendering: str) -> bool:
    """Return whether what a rendering becomes might hold a slot (`__slot__:`), in the same way."""
    return "__slot__" in rendering or "\\" in rendering
