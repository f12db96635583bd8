"""Reads the files of a project (SLS, pillar, templates, ensue.yaml) as text.

A path may lead to something other than a file, such as a FIFO. The error names what it is; a run never
waits for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.core.files.regular_files import NotRegularError, TooLargeFileError, read_regular
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from pathlib import Path

_BYTE_ORDER_MARK: Final = "\ufeff"


def read_text(path: Path, shown: str) -> str:
    """Return the text of a file without a byte order mark, and with newlines as line ends.

    Args:
        path: the file.
        shown: the path as messages show it.

    Raises:
        CompileError: it is not a file, cannot be read, is too large or is not UTF-8; with the line.
    """
    try:
        content = read_regular(path)
    except NotRegularError as error:
        help_ = "replace it with a file"
        raise _refused("E0218", f"{shown} is {error}", shown, "a file is expected here", help_) from None
    except TooLargeFileError as error:
        raise _refused(
            "E0219", "a file is too large", shown, str(error), "split it into several files"
        ) from None
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or str(error)
        is_missing = isinstance(error, FileNotFoundError)
        help_ = _near(path) if is_missing else "check its owner and mode"
        raise _refused("E0208", "a file cannot be read", shown, detail, help_) from None
    return decoded(content, shown)


def _near(path: Path) -> str:
    """Return the file beside a missing one that may be meant."""
    try:
        beside = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        beside = []
    return near_names(path.name, beside) or "correct the path"


def decoded(content: bytes, shown: str) -> str:
    """Return a file's content as text.

    Args:
        content: the content.
        shown: the file's path as messages show it.

    Raises:
        CompileError: it is not UTF-8; with the line.
    """
    try:
        text = content.decode("utf-8").removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        detail = f"byte 0x{content[error.start]:02x} is not valid there"
        raise _refused(
            "E0208", "a file is not UTF-8", Span(shown, line), detail, "save it as UTF-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _refused(code: str, summary: str, place: Span | str, detail: str, help_: str = "") -> CompileError:
    span = place if isinstance(place, Span) else Span(place)
    return CompileError([Diagnostic(code=code, summary=summary, detail=detail, span=span, help=help_)])
