"""Temporary files on targets, recorded so that the next apply can remove those of a killed process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class LeftoverNotes(Protocol):
    """The records of one process."""

    def noted(self, target: str, *paths: str) -> AbstractContextManager[None]:
        """Record temporary files as long as they exist.

        Args:
            target: the resource as text, empty for this machine.
            paths: absolute paths there.
        """
        ...

    def begin(self, target: str, *paths: str) -> None:
        """Record temporary files that are about to be created."""
        ...

    def end(self, target: str, *paths: str) -> None:
        """Record that temporary files are gone."""
        ...

    def left(self, target: str) -> list[str]:
        """Return, once, the files that killed processes left; the caller removes them and calls `end`."""
        ...
