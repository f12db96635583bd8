"""What states gather for the files of one target in one run: the memory behind `file.accumulated`.

It lasts as long as the run and is never stored: every run accumulates the texts again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.model.data import Data, DataMap


class Accumulators:
    """Texts by file and accumulator, in the order in which they were added, without duplicates."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, dict[str, Data]]] = {}
        self._receivers: dict[tuple[str, str], set[str]] = {}

    def add(self, file: str, name: str, texts: Iterable[Data], receivers: Iterable[str]) -> bool:
        """Add texts to an accumulator.

        Args:
            file: the file that is to receive them.
            name: the accumulator.
            texts: the texts to add.
            receivers: IDs of the states that it is for.

        Returns:
            Whether one of the texts was new.
        """
        held = self._texts.setdefault(file, {}).setdefault(name, {})
        before = len(held)
        for text in texts:
            held.setdefault(repr(text), text)
        self._receivers.setdefault((file, name), set()).update(receivers)
        return len(held) > before

    def of(self, file: str) -> DataMap:
        """Return the texts that were gathered for a file, by accumulator; empty without any."""
        return {name: list(held.values()) for name, held in self._texts.get(file, {}).items()}

    def lines_for(self, file: str, receiver: str) -> list[Data]:
        """Return the texts for one state that manages a file: of the accumulators that are for it.

        If none is for it, the texts of all.

        Args:
            file: the file.
            receiver: the state's ID.
        """
        gathered = self.of(file)
        meant = [name for name in gathered if receiver in self._receivers[file, name]] or list(gathered)
        return [text for name in meant for text in self._texts[file][name].values()]


__all__ = ["Accumulators"]
