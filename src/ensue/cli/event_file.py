"""Writes the lines of `--events` beside a run; a slow reader neither delays the run nor fills its memory."""

from __future__ import annotations

import os
import threading
from collections import deque
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.deadlines import EVENTS_SILENCE_S
from ensue.output.event_lines import lost_line

if TYPE_CHECKING:
    from ensue.cli.session import Session

MOST_WAITING_BYTES: Final = 64 << 20
"""The most that waits for the reader; lines beyond it are counted, and lost."""

_PIECE_BYTES: Final = 64 << 10
"""How much is written at a time: a reader that takes so much is not silent."""


class EventFile:
    """Writes lines in a thread, so that a slow reader delays no state.

    A line that does not fit beside those that wait is lost. In the place of the lines that are lost together,
    the reader gets a line that has their number.

    Args:
        descriptor: where lines are written; closed at the end.
        session: learns that not all lines could be written.
        most_waiting_bytes: how much may wait for the reader.
        silence_s: at the end, how long the reader may take nothing.
    """

    def __init__(
        self,
        descriptor: int,
        session: Session,
        *,
        most_waiting_bytes: int = MOST_WAITING_BYTES,
        silence_s: float = EVENTS_SILENCE_S,
    ) -> None:
        self._descriptor = descriptor
        self._session = session
        self._most_waiting_bytes = most_waiting_bytes
        self._silence_s = silence_s
        self._changed = threading.Condition()
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._written_pieces = 0
        self._lost_in_a_row = 0
        self._lost = 0
        self._has_ended = False
        self._is_broken = False
        self._thread = threading.Thread(target=self._write, name="ensue-events", daemon=True)
        self._thread.start()

    def put(self, line: bytes) -> None:
        """Take a line; this never waits for the reader."""
        with self._changed:
            if self._is_broken:
                return
            if self._waiting and self._waiting_bytes + len(line) > self._most_waiting_bytes:
                self._lost_in_a_row += 1
                self._lost += 1
                return
            self._note_lost()
            self._append(line)

    def end(self) -> None:
        """Write what is left, as long as the reader takes it."""
        with self._changed:
            self._has_ended = True
            self._changed.notify()
        pieces = -1
        while self._thread.is_alive() and pieces != self._written_pieces:
            pieces = self._written_pieces
            self._thread.join(self._silence_s)
        if self._thread.is_alive():
            self._report(f"events are lost, because nobody has read them for {self._silence_s:g} s")
        elif self._lost:
            self._report(f"{self._lost} events are lost, because their reader is too slow")

    def _note_lost(self) -> None:
        """Let the reader know, in their place, how many lines are lost."""
        if self._lost_in_a_row:
            self._append(lost_line(self._lost_in_a_row))
            self._lost_in_a_row = 0

    def _append(self, line: bytes) -> None:
        self._waiting.append(line)
        self._waiting_bytes += len(line)
        self._changed.notify()

    def _write(self) -> None:
        try:
            while line := self._next():
                for at in range(0, len(line), _PIECE_BYTES):
                    self._write_piece(line[at : at + _PIECE_BYTES])
        except BrokenPipeError:
            self._stop()  # Nobody reads any more.
        except OSError as error:
            self._stop()
            self._report(f"the events could not be written: {error.strerror}")
        finally:
            os.close(self._descriptor)

    def _write_piece(self, piece: bytes) -> None:
        while piece:
            piece = piece[os.write(self._descriptor, piece) :]
        self._written_pieces += 1

    def _next(self) -> bytes:
        """Return the next line; empty at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._lost_in_a_row or self._has_ended)
            if not self._waiting:
                self._note_lost()
            if not self._waiting:
                return b""
            line = self._waiting.popleft()
            self._waiting_bytes -= len(line)
            return line

    def _stop(self) -> None:
        """Drop what waits, and all that comes."""
        with self._changed:
            self._is_broken = True
            self._waiting.clear()
            self._lost = 0

    def _report(self, problem: str) -> None:
        self._session.results_lost = True
        self._session.lines.write(f"ensue: {problem}")
