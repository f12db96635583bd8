"""Passing on a command's output as it comes, without the marked lines that a connection's script adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.connection import OutputListener


def unmarked(
    listener: OutputListener | None, token: str, *, output_marks: int, error_marks: int
) -> OutputListener | None:
    """Return what takes the raw output of a connection's script for a listener; None where there is none.

    Args:
        listener: receives the output without the marked lines.
        token: a word that is in the marked lines and in nothing else.
        output_marks: how many marked lines precede the output; what comes before the last of them is dropped.
        error_marks: how many precede the error output.
    """
    return None if listener is None else _UnmarkedListener(listener, token, output_marks, error_marks)


class _UnmarkedListener:
    """An `OutputListener` for a connection that marks the output of its commands."""

    def __init__(self, listener: OutputListener, token: str, output_marks: int, error_marks: int) -> None:
        self._output = _Unmarked(listener.output, token, output_marks)
        self._errors = _Unmarked(listener.errors, token, error_marks)

    def output(self, data: bytes) -> None:
        """Take a piece of the raw output."""
        self._output.take(data)

    def errors(self, data: bytes) -> None:
        """Take a piece of the raw error output."""
        self._errors.take(data)


class _Unmarked:
    """Passes on one stream without its marked lines.

    Args:
        pass_on: called with each piece.
        token: a word that is in the marked lines and in nothing else.
        marks: how many marked lines precede the output; what comes before the last of them is dropped.
    """

    def __init__(self, pass_on: Callable[[bytes], None], token: str, marks: int) -> None:
        self._pass_on = pass_on
        self._token = token.encode()
        self._marks_left = marks
        self._pending: bytes = b""

    def take(self, data: bytes) -> None:
        """Take a piece of the stream."""
        data = self._pending + data
        unmarked: list[bytes] = []
        while True:
            before, mark, rest = data.partition(self._token)
            if not mark:
                break
            if not self._marks_left:
                unmarked.append(before)
            _, newline, after = rest.partition(b"\n")
            if not newline:
                break
            self._marks_left, data = max(0, self._marks_left - 1), after
        if mark:
            self._pending = self._token + rest
        else:
            kept = self._beginning_of_mark(data)
            self._pending = data[len(data) - kept :]
            if not self._marks_left:
                unmarked.append(data[: len(data) - kept])
        if text := b"".join(unmarked):
            self._pass_on(text)

    def _beginning_of_mark(self, data: bytes) -> int:
        """Return how many bytes at the end may be the beginning of the token."""
        longest = min(len(self._token) - 1, len(data))
        return next((size for size in range(longest, 0, -1) if data.endswith(self._token[:size])), 0)
