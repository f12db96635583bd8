"""Writing to stdout and stderr, which may be closed, or be one terminal with several writers.

`ensue apply | head` closes stdout early, which ends only the printing. A terminal that is gone
interrupts the command, as SIGHUP does. Lines for stderr (log, progress, notices, diagnostics) go through
one `ErrorLines`, so that a live display can make room for them.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def write_results(pieces: Iterable[str]) -> None:
    """Write pieces of text to stdout and flush it; stop silently if the reader is gone.

    Raises:
        OSError: stdout cannot be written for another reason (a full disk).
    """
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] # it was closed when ensue started
        return
    try:
        for piece in pieces:
            sys.stdout.write(_encodable(piece, sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)


def discard(stream: IO[str] | None) -> None:
    """Discard whatever is still written to a stream, including the interpreter's last flush."""
    if stream is None:
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        # Not a real file: the code that replaced the stream is responsible for it.
        return


def is_terminal_gone(error: OSError, stream: IO[str]) -> bool:
    """Return whether a stream is a terminal that was closed (a window, an SSH session).

    Args:
        error: what writing to it raised.
        stream: the stream; `isatty` no longer knows what it was.
    """
    try:
        return error.errno == errno.EIO and stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


class ErrorLines:
    """Writes lines to stderr; everything that ensue writes there goes through one instance.

    Args:
        stream: where lines go; None: what sys.stderr is at each write.
        when_terminal_is_gone: called when lines go to a terminal that was closed.
    """

    def __init__(
        self, stream: IO[str] | None = None, *, when_terminal_is_gone: Callable[[], None] | None = None
    ) -> None:
        self._stream = stream
        self._when_terminal_is_gone = when_terminal_is_gone
        self._display: Callable[[str], None] | None = None

    @property
    def stream(self) -> IO[str] | None:
        """Where the lines go; None if stderr was closed when ensue started."""
        return self._stream if self._stream is not None else sys.stderr

    @property
    def columns(self) -> int | None:
        """How wide the terminal is; None if the lines go elsewhere, or the width is unknown."""
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or None if self.stream else None
        except (OSError, ValueError):
            return None

    def show_through(self, display: Callable[[str], None] | None) -> None:
        """Let a live display print the lines above itself; None ends that."""
        self._display = display

    def write(self, text: str) -> None:
        """Write one or more whole lines; the last line end may be left out."""
        text = text.removesuffix("\n")
        stream = self.stream
        if stream is None:
            return
        try:
            if self._display is not None:
                self._display(text)
                return
            stream.write(_encodable(text, stream) + "\n")
            stream.flush()
        except (BlockingIOError, ValueError):
            # It is full or closed: this line is lost.
            return
        except OSError as error:
            self.fail(error)

    def fail(self, error: OSError) -> None:
        """Stop writing, since no one reads the lines; a terminal that is gone interrupts the command.

        Args:
            error: what writing raised.
        """
        stream, self._display = self.stream, None
        if stream is None:
            return
        is_gone = is_terminal_gone(error, stream)
        discard(stream)
        if is_gone and self._when_terminal_is_gone is not None:
            self._when_terminal_is_gone()


def _encodable(text: str, stream: IO[str]) -> str:
    """Return text that the stream's encoding can represent, with escapes for the rest."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text
