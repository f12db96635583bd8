"""The command line: one module a command; each parses, calls `ensue.app`, prints, and returns an exit code.

Importing this package costs nothing: a command's module is loaded when the command is named, and
whatever needs a project, a template or an event loop is loaded when the command runs.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALLOCATIONS_BETWEEN_COLLECTIONS: Final = 2_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    Args:
        arguments: the words after `ensue`; None: those that the process was started with.
    """
    if arguments is None:
        # A command allocates for its whole life and ends: looking for cyclic garbage in that costs a
        # quarter of a large run and frees next to nothing.
        gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS, 50, 1000)
    from ensue.cli.entry import run
    from ensue.cli.interrupts import Interrupts

    interrupts = Interrupts()
    if arguments is not None:
        with interrupts:
            return run(arguments, interrupts)
    # Not given back: until the process has ended, signals end it as the documentation says.
    interrupts.take_over()
    exit_code = run(arguments, interrupts)
    interrupts.leave()
    if interrupts.insists:
        from ensue.cli.leaving import leave_threads

        leave_threads(exit_code)
    return exit_code
