"""The log: the standard library's, on stderr and in a file, everything masked.

Salt's level names are accepted. What a user must see is printed as a result, a diagnostic or
progress, and not only logged.
"""

from __future__ import annotations

import logging
import os
from typing import IO, TYPE_CHECKING, Final

from ensue.output.colours import without_escapes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.output.streams import ErrorLines

LEVELS: Final[dict[str, int]] = {
    "all": 1,
    "garbage": 1,
    "trace": 5,
    "debug": logging.DEBUG,
    "profile": 15,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "quiet": logging.CRITICAL + 50,
}
"""Levels by Salt's names, the most verbose first."""

_LINE: Final = "[%(levelname)-8s] %(message)s"
_TRACEBACK: Final = "Traceback (most recent call last):"
_FILE_LINE: Final = "%(asctime)s [%(name)s:%(lineno)d][%(levelname)-8s][%(process)d] %(message)s"


class MaskedFormatter(logging.Formatter):
    """A formatter whose whole text, tracebacks included, is masked and safe for a terminal.

    Lines that continue a message are indented, so that none looks like a message of its own.

    Args:
        line: the format.
        mask: removes secrets from text.
    """

    def __init__(self, line: str, mask: Callable[[str], str]) -> None:
        super().__init__(line)
        self._mask = mask

    def format(self, record: logging.LogRecord) -> str:
        """Return the record's text."""
        first, *more = without_escapes(self._mask(super().format(record))).split("\n")
        return "\n".join([first, *(line if line == _TRACEBACK else f"  {line}" for line in more)])


class _LinesHandler(logging.Handler):
    def __init__(self, lines: ErrorLines) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.write(self.format(record))


class _PrivateFileHandler(logging.FileHandler):
    """Creates its file so that only the owner can read it: a log reveals much, even without secrets."""

    def _open(self) -> IO[str]:  # type: ignore[override] # the parent promises TextIOWrapper; callers use IO[str] only
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="backslashreplace")


def configure_logging(
    level: str, lines: ErrorLines, mask: Callable[[str], str], *, file: Path | None = None
) -> None:
    """Set up the root logger, replacing what was set up before.

    Args:
        level: what goes to stderr, by name.
        lines: writes to stderr.
        mask: removes the secrets that are known at that time from text.
        file: where the log is also written.

    Raises:
        OSError: the file cannot be opened.
    """
    shown = _LinesHandler(lines)
    shown.setLevel(LEVELS[level])
    shown.setFormatter(MaskedFormatter(_LINE, mask))
    handlers: list[logging.Handler] = [shown]
    if file is not None:
        kept = _PrivateFileHandler(file, delay=False)
        kept.setLevel(LEVELS[level])
        kept.setFormatter(MaskedFormatter(_FILE_LINE, mask))
        handlers.append(kept)
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
        if isinstance(old, _LinesHandler | _PrivateFileHandler):
            old.close()
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(LEVELS[level])
    logging.captureWarnings(capture=True)
