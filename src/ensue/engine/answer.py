"""A return that a node gets without a call of its function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ensue.core.model.returns import StateReturn


class DecidedReturn(msgspec.Struct, frozen=True):
    """Return this; the function is not called.

    Args:
        function_return: the return.
        ran: whether requisites of others treat the function as called.
    """

    function_return: StateReturn
    ran: bool
