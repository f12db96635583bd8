"""How a process ends after a second signal: without waiting for threads.

Otherwise the interpreter ends the process: it waits for threads, calls what is registered with `atexit`,
and closes open files, including those of plug-ins.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def leave_threads(exit_code: int) -> None:
    """End the process at once if a thread is still running; return if none is.

    Args:
        exit_code: the exit code of the process.
    """
    threading = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        return
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # pyright: ignore[reportUnnecessaryComparison] # closed at the start
            with suppress(OSError, ValueError):
                stream.flush()
    os._exit(exit_code)
