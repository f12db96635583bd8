"""Spares the process of a command most of Python's garbage collection.

A command allocates until it ends, so that collecting frees almost nothing. The threshold is set before any
library is loaded: with Python's own, collecting takes a third of a large run (the benchmark
`deploy-60000-first`). What the program consists of lives until the end, where the interpreter would visit all
of it once more: a fifth of what a small command costs (`nop-1`). Both are only for a process that is a
command's own.
"""

from __future__ import annotations

import gc
from typing import Final

_ALLOCATIONS_BETWEEN_COLLECTIONS: Final = 2_000_000


def collect_rarely() -> None:
    """Collect rarely from now on."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS, 50, 1000)


def exempt_program() -> None:
    """Never visit again what has been loaded so far.

    To be called before plug-ins are loaded: files that they leave open in a cycle are closed at the end.
    """
    gc.freeze()
