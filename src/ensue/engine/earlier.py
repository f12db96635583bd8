"""Returns of an earlier run that was cut short, which a run that resumes it takes over.

A state is not called again when its journal says that it succeeded and nothing speaks against that: what it
was called with has not changed, the journal has its return whole (a secret or data that JSON does not know is
not written), and what it did has outlived that run. Everything else is called anew.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.errors import UnknownRunError
from ensue.model.events import NodeFinished, RunFinished, RunStarted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.model.chunk import Chunk
    from ensue.model.events import RunEvent
    from ensue.model.returns import Return


_ENCODER: Final = msgspec.json.Encoder(enc_hook=str)

NO_FINGERPRINT: Final = -1
"""What stands for arguments that hold a secret: a sum of them would help to find it out."""


class EarlierRun(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed to go on with a run.

    Args:
        run_id: its id.
        mods: the SLS it was asked for; empty for a highstate.
        done: returns to take over, by (scope, tag).
    """

    run_id: str
    mods: tuple[str, ...]
    done: Mapping[tuple[str, str], Return]


def earlier_run(events: Sequence[RunEvent]) -> EarlierRun:
    """Return what a journal has to go on with.

    Args:
        events: all events of one run, in order.

    Raises:
        UnknownRunError: it is a plan, it ended by itself, or it has not even begun.
    """
    started = next((event for event in events if isinstance(event, RunStarted)), None)
    if started is None:
        raise UnknownRunError("the journal of this run has no beginning, so there is nothing to resume")
    if started.test:
        raise UnknownRunError(
            f"{started.run_id} is a plan: it has changed nothing, so there is nothing to resume"
        )
    ended = next((event for event in events if isinstance(event, RunFinished)), None)
    if ended is not None and ended.status != "interrupted":
        raise UnknownRunError(
            f"{started.run_id} came to its end ({ended.status}), so there is nothing to resume"
            " (ensue apply begins anew)"
        )
    return EarlierRun(
        run_id=started.run_id,
        mods=started.mods,
        done={
            (event.returned.scope, event.returned.tag): event.returned
            for event in events
            if isinstance(event, NodeFinished) and event.exact and _outlives(event.returned)
        },
    )


def _outlives(returned: Return) -> bool:
    # What a state has applied elsewhere is gone through again: the scope's own states are taken over.
    return returned.result is True and not returned.sensitive and not returned.applied


def fingerprint(chunk: Chunk) -> int:
    """Return a number that tells what a chunk is called with from what it was called with earlier."""
    if not chunk.arguments:
        return 0
    try:
        return zlib.crc32(_ENCODER.encode(chunk.arguments))
    except (TypeError, ValueError, OverflowError):
        # Data that JSON has no form for, such as keys that are mappings.
        return zlib.crc32(repr(chunk.arguments).encode("utf-8", "backslashreplace"))
