"""How much one minion may print: it reports what it likes, and other minions print on the same terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_LINES: Final = 20
"""The most lines of one minion that are printed while a run goes on; the results have its failures."""

MOST_CHARS: Final = 8 << 10
"""The most that these lines have together."""

MOST_SUMMARY_CHARS: Final = 32 << 10
"""The most that the summary of a run has about one minion."""

MOST_ANSWER_CHARS: Final = 256 << 10
"""The most that a terminal shows of the answer of one minion to a call."""

LONGEST_CHARS: Final = 1000
"""The most of one text of a minion: a line, a warning, a version."""

_UNITS: Final = ((1 << 20, "MiB"), (1 << 10, "KiB"))


class MinionLines:
    """The lines of one minion, as far as they are printed, and a count of the rest.

    Args:
        most_lines: how many are printed.
        most_chars: how long they are together.
    """

    def __init__(self, most_lines: int = MOST_LINES, most_chars: int = MOST_CHARS) -> None:
        self._lines = most_lines
        self._chars = most_chars
        self._left_out_lines = 0
        self._left_out_chars = 0

    @property
    def is_full(self) -> bool:
        """Whether nothing more is printed."""
        return self._lines <= 0 or self._chars <= 0

    def take(self, line: str) -> str:
        """Return what is printed of a line; empty for nothing."""
        if self.is_full:
            self.leave_out(line)
            return ""
        shown = shortened_text(line, min(self._chars, LONGEST_CHARS))
        self._lines -= 1
        self._chars -= len(shown) + 1
        self._left_out_chars += len(line) - len(shown)
        return shown

    def leave_out(self, line: str) -> None:
        """Count a line that is not printed."""
        self._left_out_lines += 1
        self._left_out_chars += len(line) + 1

    @property
    def rest(self) -> str:
        """What was left out; empty if nothing was."""
        if not self._left_out_chars:
            return ""
        lines = "1 line" if self._left_out_lines == 1 else f"{self._left_out_lines} lines"
        what = f"{lines}, " if self._left_out_lines else ""
        return f"{what}{size_text(self._left_out_chars)}"


def bounded_lines(lines: Iterable[str], most_chars: int, advice: str) -> Iterator[str]:
    """Yield lines of one minion up to a size, and a line that says what was left out.

    Args:
        lines: the lines; none is cut that fits.
        most_chars: how long they may be together.
        advice: where the rest is.
    """
    left_out_lines = left_out_chars = 0
    for line in lines:
        # An empty line takes room, too.
        if len(line) < most_chars:
            most_chars -= len(line) + 1
            yield line
        elif most_chars > 0:
            shown = shortened_text(line, most_chars)
            yield shown
            left_out_chars += len(line) - len(shown)
            most_chars = 0
        else:
            left_out_lines += 1
            left_out_chars += len(line) + 1
    if left_out_chars:
        more = f"and {left_out_lines} more lines, " if left_out_lines else "and "
        yield f"{more}{size_text(left_out_chars)} more ({advice})"


def shortened_text(text: str, most_chars: int = LONGEST_CHARS) -> str:
    """Return a text, cut if it is longer."""
    return text if len(text) <= most_chars else f"{text[: most_chars - 1]}…"


def size_text(chars: int) -> str:
    """Return a number of characters, with a unit if it is large."""
    for size, unit in _UNITS:
        if chars >= size:
            return f"{chars / size:.1f} {unit}"
    return f"{chars} characters"
