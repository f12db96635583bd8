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
from typing import Final

_ALLOCATIONS_BETWEEN_COLLECTIONS: Final = 2_000_000
_OWN_MODULES: Final = ("_asyncio", "asyncio", "builtins", "ensue")
"""Where the types are defined whose finalizers write nothing: tasks, coroutines and the command's loop."""


def collect_rarely() -> None:
    """Collect rarely from now on."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS, 50, 1000)


def exempt_program() -> None:
    """Never visit again what has been loaded so far.

    To be called before plug-ins are loaded: what they leave unfinished is seen by `exempt_rest`.
    """
    gc.freeze()


def exempt_rest() -> None:
    """Do not collect at the end of the process, unless a finalizer is left to be called.

    Python finishes an object (writes the rest of a file, removes a temporary one) when nothing refers to it
    any more; one that is part of a cycle only a collection finds. So what is left is collected if any of it
    has a finalizer. Types decide that, because a dead proxy fails whatever it is asked.
    """
    kinds = {id(kind): kind for kind in map(type, gc.get_objects())}
    if not any(map(_has_finalizer, kinds.values())):
        gc.freeze()


def _has_finalizer(kind: type) -> bool:
    module = str(kind.__module__).partition(".")[0]
    return module not in _OWN_MODULES and any("__del__" in vars(base) for base in kind.__mro__)
