"""Reads file modes as users write them, and formats them.

Source: Salt: the digits of a mode are octal, whether YAML reads them as text or as a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.model.data import Data

_OCTAL: Final = 8
_HIGHEST: Final = 0o7777


def mode_bits(mode: Data, *, word: str = "mode") -> int | None:
    """Read a mode: `644`, `'0644'`, `'4755'`.

    Args:
        mode: the value in the SLS; None and an empty text leave the mode alone.
        word: name of the argument, for the message.

    Returns:
        Permission bits, or None.

    Raises:
        StateFailedError: the mode is not an octal number, or too big.
    """
    if mode is None or mode == "":
        return None
    text = "" if isinstance(mode, bool) else str(mode).strip().removeprefix("0o")
    bits = int(text, _OCTAL) if text.isdecimal() and not set(text) & {"8", "9"} else -1
    if not 0 <= bits <= _HIGHEST:
        raise StateFailedError(f"{word}: {mode!r} is not a file mode (write it as '0640')")
    return bits


def shown_mode(bits: int) -> str:
    """Write permission bits as four octal digits."""
    return f"{bits:04o}"


def folder_bits(bits: int) -> int:
    """Return the mode of folders that are created for a file: its mode, with x where there is r, w or x.

    Their owner, who may be an ordinary user, can also create the file in them.
    """
    for shift in (6, 3, 0):
        if bits >> shift & 7:
            bits |= 1 << shift
    return (bits | 0o300) & 0o777
