"""What running commands write, line by line, for `--follow`: each line after the ID of its state.

A line is printed when it is complete, so that a secret in it can be found. No more of it is kept than
`MOST_LINE_BYTES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.output.colours import on_one_line

if TYPE_CHECKING:
    from ensue.core.contracts.following import FollowedState
    from ensue.core.masking import Masker
    from ensue.output.colours import Palette
    from ensue.output.streams import ErrorLines

MOST_LINE_BYTES: Final = 64 * 1024
"""A longer line is left out: half of it could be half of a secret."""

_MOST_CHARS: Final = 1000
_LEFT_OUT: Final = "(a line of more than 64 KiB is left out)"


class FollowedLines:
    """Prints what commands write; a `Follow`.

    Args:
        lines: where the lines go.
        masker: the secrets of the process.
        palette: the colours.
    """

    def __init__(self, lines: ErrorLines, masker: Masker, palette: Palette) -> None:
        self._lines = lines
        self._masker = masker
        self._palette = palette

    def __call__(self, state: FollowedState) -> _Followed:
        """Begin to follow one command of a state."""
        where = "" if state.target.startswith("minion:") else f" on {state.target}"
        name = on_one_line(f"{self._masker.name(state.id)}{where}")
        return _Followed(self, self._palette.paint(self._palette.cyan, f"{name} |"))

    def write(self, prefix: str, lines: list[bytes]) -> None:
        """Print lines of one command.

        Args:
            prefix: what precedes each of them.
            lines: without their line ends.
        """
        if lines:
            self._lines.write("\n".join(f"{prefix} {self._shown(line)}".rstrip() for line in lines))

    def _shown(self, line: bytes) -> str:
        # Of a line that is written again and again, such as a progress bar, its last form.
        last = line.rstrip(b"\r").rpartition(b"\r")[2]
        text = on_one_line(self._masker.text(last.decode("utf-8", "replace"))).expandtabs()
        return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"


class _Followed:
    """One command; a `FollowedCommand`."""

    def __init__(self, printer: FollowedLines, prefix: str) -> None:
        self._output = _Stream(printer, prefix)
        self._errors = _Stream(printer, prefix)

    def output(self, data: bytes) -> None:
        """Take a piece of its output."""
        self._output.take(data)

    def errors(self, data: bytes) -> None:
        """Take a piece of its error output."""
        self._errors.take(data)

    def end(self) -> None:
        """Print what is left: last lines without a line end."""
        self._output.end()
        self._errors.end()


class _Stream:
    """The lines of one stream of one command."""

    def __init__(self, printer: FollowedLines, prefix: str) -> None:
        self._printer = printer
        self._prefix = prefix
        self._rest = b""
        self._is_too_long = False

    def take(self, data: bytes) -> None:
        """Print the lines that are complete."""
        *lines, rest = (self._rest + data).split(b"\n")
        if self._is_too_long and lines:
            lines[0] = _LEFT_OUT.encode()
            self._is_too_long = False
        lines = [line if len(line) <= MOST_LINE_BYTES else _LEFT_OUT.encode() for line in lines]
        self._is_too_long = self._is_too_long or len(rest) > MOST_LINE_BYTES
        self._rest = b"" if self._is_too_long else rest
        self._printer.write(self._prefix, lines)

    def end(self) -> None:
        """Print a last line without a line end."""
        rest = _LEFT_OUT.encode() if self._is_too_long else self._rest
        self._printer.write(self._prefix, [rest] if rest else [])
        self._rest = b""
