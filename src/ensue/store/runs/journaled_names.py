"""The names in a journal, which were masked when it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.events import NodeFinished, NodeStarted, RunStarted, ScopeOpened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.model.events import RunEvent


def journaled_names(events: Iterable[RunEvent]) -> str:
    """Return the names of a run, one a line: a source of names (`Masker.add_source`).

    Nothing of an SLS is read when an earlier run is shown, so this says which words its author wrote.
    """
    return "\n".join(dict.fromkeys(_names(events)))


def _names(events: Iterable[RunEvent]) -> Iterator[str]:
    for event in events:
        match event:
            case RunStarted(mods=mods):
                yield from mods
            case NodeStarted(id=id_, function=function):
                yield from (id_, function)
            case NodeFinished(returned=returned):
                yield from (returned.id, returned.sls)
            case ScopeOpened(scope=scope):
                yield scope
            case _:
                pass
