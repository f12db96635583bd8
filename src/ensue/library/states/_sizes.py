"""Reads arguments that are sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.sizes import size_bytes

if TYPE_CHECKING:
    from ensue.core.model.data import Data


def read_size(argument: str, size: Data) -> int:
    """Return a size in bytes.

    Args:
        argument: the name of the argument, for the message.
        size: its value, in bytes or a number with a unit.

    Raises:
        StateFailedError: the value is not a size.
    """
    value = size_bytes(size)
    if value is None:
        raise StateFailedError(f"{argument}: {size!r} is not a size (write a number, 64K, 10MB or 2GiB)")
    return value
