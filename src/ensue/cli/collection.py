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
from itertools import compress
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
    try:  # No line of Python visits each of them: there may be millions.
        finished_later = {kind for kind in set(map(type, objects)) if _has_finalizer(kind)}
    except TypeError:  # A type that cannot be hashed, which only plug-ins have.
        return
    left = compress(objects, map(finished_later.__contains__, map(type, objects)))
    if all(map(_is_over, left)):
        gc.freeze()


def _has_finalizer(kind: type) -> bool:
    return any("__del__" in vars(base) for base in kind.__mro__)


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
