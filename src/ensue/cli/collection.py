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
import sys
from types import CoroutineType, GeneratorType
from typing import Any, Final, cast

_ALLOCATIONS_BETWEEN_COLLECTIONS: Final = 2_000_000


def collect_rarely() -> None:
    """Collect rarely from now on."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS, 50, 1000)


def exempt_program() -> None:
    """Never visit again what has been loaded so far.

    To be called before plug-ins are loaded: what they leave unfinished is seen by `exempt_rest`.
    """
    gc.freeze()


def exempt_rest() -> None:
    """Do not collect at the end of the process, unless an object is left that is yet to be finished.

    Python finishes an object (writes the rest of a file, removes a temporary one) when nothing refers to it
    any more; one that is part of a cycle only a collection finds. So what is left is collected if any of it
    has a finalizer, and does not say itself that it is over. Only objects of such types are asked: a dead
    proxy fails whatever it is asked.
    """
    objects: list[object] = gc.get_objects()
    kinds = {id(kind): kind for kind in map(type, objects)}
    finished_later = {
        key for key, kind in kinds.items() if any("__del__" in vars(base) for base in kind.__mro__)
    }
    if all(_is_over(each) for each in objects if id(type(each)) in finished_later):
        gc.freeze()


def _is_over(left: Any) -> bool:
    """Return whether the finalizer of an object would find it finished, so that it does nothing."""
    kind = cast("type[object]", type(left))
    if issubclass(kind, CoroutineType):
        return not left.cr_suspended
    if issubclass(kind, GeneratorType):
        return not left.gi_suspended
    loops = sys.modules.get("asyncio")
    if loops is None:
        return False
    if issubclass(kind, loops.Future):
        return bool(left.done())
    return issubclass(kind, loops.BaseEventLoop) and bool(left.is_closed())
