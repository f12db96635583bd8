"""Spares the process of a command most of Python's garbage collection.

A command allocates until it ends, so that collecting frees almost nothing. The threshold is set before any
library is loaded: with Python's own, collecting takes a third of a large run (the benchmark
`deploy-60000-first`). What the program consists of lives until the end, where the interpreter would visit all
of it once more: a fifth of what a small command costs (`nop-1`). What a run leaves goes back to the operating
system as a whole: to collect it first takes a fifth of an unchanged deployment (`deploy-60000-unchanged`).
All of this is only for a process that is a command's own.
"""

from __future__ import annotations

import gc
import io
from contextlib import suppress
from typing import Final

_ALLOCATIONS_BETWEEN_COLLECTIONS: Final = 2_000_000
_WRITERS: Final = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)


def collect_rarely() -> None:
    """Collect rarely from now on."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS, 50, 1000)


def exempt_program() -> None:
    """Never visit again what has been loaded so far.

    To be called before plug-ins are loaded: files that they leave open are written by `exempt_rest`.
    """
    gc.freeze()


def exempt_rest() -> None:
    """Do not collect at the end of the process; files that plug-ins have left open are written all the same.

    Python closes a file when nothing refers to it any more; one that is part of a cycle only a collection
    finds.
    """
    for left in filter(_is_writer, gc.get_objects()):
        with suppress(OSError, ValueError):
            left.flush()
    gc.freeze()


def _is_writer(value: object) -> bool:
    return isinstance(value, _WRITERS)
