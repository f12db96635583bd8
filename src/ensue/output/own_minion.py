"""Which machine a recorded run ran on: its journal has no line for that, but every state has its target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.model.events import FannedOut, NodeFinished, NodeStarted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.model.events import RunEvent

_MINION: Final = "minion:"


def own_minion(events: Iterable[RunEvent], minion_id: str) -> str:
    """Return the id of the machine of a run.

    Args:
        events: all events of one run, in order.
        minion_id: what this machine is called now; the run may have been told otherwise (`--id`).
    """
    minions = list(dict.fromkeys(target for target in _targets(events) if target.startswith(_MINION)))
    return (
        minions[0].removeprefix(_MINION) if minions and f"{_MINION}{minion_id}" not in minions else minion_id
    )


def _targets(events: Iterable[RunEvent]) -> Iterator[str]:
    """Yield the targets of the top scope's states, of those that were fanned out the one they had before."""
    elsewhere: set[str] = set()
    for event in events:
        match event:
            case FannedOut(scope="", target=target, tags=tags):
                elsewhere.update(tags)
                yield target
            case NodeStarted(scope="", tag_=tag, target=target) if tag not in elsewhere:
                yield target
            case NodeFinished(returned=returned) if not returned.scope and returned.tag not in elsewhere:
                yield returned.target
            case _:
                pass
