"""Following a run: the output of its states' commands, while they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from ensue.core.contracts.connection import OutputListener


class FollowedState(msgspec.Struct, frozen=True, kw_only=True):
    """The state whose command is followed.

    Args:
        id: its ID.
        function: `module.function`.
        target: the resource that it runs on, as text.
    """

    id: str
    function: str
    target: str


class FollowedCommand(OutputListener, Protocol):
    """Receives what one command writes."""

    def end(self) -> None:
        """Record that the command has ended."""
        ...


Follow = Callable[[FollowedState], FollowedCommand]
"""Begins to follow one command of a state."""
