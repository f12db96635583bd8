"""Leaving the process without taking apart first all that it holds, which takes longer than a small run.

What others have to do at the end of a process is done: functions registered with `atexit`, output that waits
to be written. Where a thread is still at work, or somebody watches (a profiler, a debugger), the interpreter
ends the process itself; after a second signal no thread is waited for.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.cli.interrupts import Interrupts


def leave(exit_code: int, interrupts: Interrupts) -> None:
    """End the process, or return where that is the interpreter's affair.

    Args:
        exit_code: the code it ends with.
        interrupts: the signals of the process.
    """
    interrupts.leave()
    threading = sys.modules.get("threading")
    has_threads = threading is not None and threading.active_count() > 1
    if sys.getprofile() or sys.gettrace() or (has_threads and not interrupts.insists):
        return
    atexit._run_exitfuncs()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] # it has no public name
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # pyright: ignore[reportUnnecessaryComparison] # closed at the start
                stream.flush()
    except (OSError, ValueError):
        return
    os._exit(exit_code)
