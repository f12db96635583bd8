"""Ending a process after a second signal, which waits for no thread.

Any other process ends as the interpreter ends it: it waits for threads, calls what is registered with
`atexit`, and closes files that are still open, those of plug-ins among them.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def leave_threads(exit_code: int) -> None:
    """End the process at once when a thread is still at work, and return when none is.

    Args:
        exit_code: the code it ends with.
    """
    threading = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        return
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # pyright: ignore[reportUnnecessaryComparison] # closed at the start
            with suppress(OSError, ValueError):
                stream.flush()
    os._exit(exit_code)
