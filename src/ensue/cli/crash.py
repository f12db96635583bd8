"""When ensue itself is at fault: the traceback goes into a file, the user gets one clear line."""

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
    """Write the traceback of an unexpected exception to a new file that its owner alone can read.

    Args:
        error: the exception.
        folder: the project's cachedir; None or one that cannot be written: the folder for temporary files.
        mask: takes secrets out of text.

    Returns:
        The file, None when none could be written anywhere.
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
    # The command line is left out: what a user writes behind --pillar may be a secret nobody knows of.
    return f"python {sys.version}\n\n{words}"


def crash_line(error: BaseException, file: Path | None, mask: Callable[[str], str]) -> str:
    """Return the one line that a user sees."""
    where = f"the traceback is in {file}" if file else "the traceback could not be written anywhere"
    # Masked first: a line of a secret by itself may not be known for one.
    first = mask(str(error)).strip().partition("\n")[0]
    said = mask(f"{type(error).__name__}: {first}" if first else type(error).__name__)
    return f"internal error: {said} (this is a fault of ensue, please report it; {where})"
