"""Temporary files on targets, noted so that the next apply can remove those of a killed process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class LeftoverNotes(Protocol):
    """The notes of one process."""

    def noted(self, target: str, path: str) -> AbstractContextManager[None]:
        """Note a temporary file for as long as it is there.

        Args:
            target: the resource as text, empty for this machine.
            path: an absolute path there.
        """
        ...

    def begin(self, target: str, path: str) -> None:
        """Note a temporary file that is about to be made."""
        ...

    def end(self, target: str, path: str) -> None:
        """Note that a temporary file is gone."""
        ...

    def left(self, target: str) -> list[str]:
        """Return what killed processes left on a host, once; the caller removes it and calls `end`."""
        ...
