"""A bug in ensue itself: the traceback goes to a file, and the user gets one clear line."""

from __future__ import annotations

import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def write_crash_file(error: BaseException, folder: Path | None, mask: Callable[[str], str]) -> Path | None:
    """Write the traceback of an unexpected exception to a new file that only its owner can read.

    Args:
        error: the exception.
        folder: the project's cachedir. If it is None or not writable, the folder for temporary files is used.
        mask: removes secrets from text.

    Returns:
        The file; None if it could not be written anywhere.
    """
    text = mask(_report(error))
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for place in (folder, Path(tempfile.gettempdir())):
        if place is None:
            continue
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(place / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError:
            continue
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        return place / name
    return None


def _report(error: BaseException) -> str:
    words = "".join(traceback.format_exception(error))
    # The command line is left out: a value after --pillar may be a secret that the masker does not know.
    return f"python {sys.version}\n\n{words}"


def crash_line(error: BaseException, file: Path | None, mask: Callable[[str], str]) -> str:
    """Return the one line that a user sees."""
    where = f"the traceback is in {file}" if file else "the traceback could not be written anywhere"
    # Masked before it is cut: the masker may not recognise a single line of a secret.
    first = mask(str(error)).strip().partition("\n")[0]
    description = mask(f"{type(error).__name__}: {first}" if first else type(error).__name__)
    return f"internal error: {description} (this is a bug in ensue, please report it; {where})"
