"""Temporary files on targets, recorded so that the next apply can remove those of a killed process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class LeftoverNotes(Protocol):
    """The records of one process."""

    def noted(self, target: str, path: str) -> AbstractContextManager[None]:
        """Record a temporary file as long as it exists.

        Args:
            target: the resource as text, empty for this machine.
            path: an absolute path there.
        """
        ...

    def begin(self, target: str, path: str) -> None:
        """Record a temporary file that is about to be created."""
        ...

    def end(self, target: str, path: str) -> None:
        """Record that a temporary file is gone."""
        ...

    def left(self, target: str) -> list[str]:
        """Return, once, the files that killed processes left; the caller removes them and calls `end`."""
        ...
