"""The drawing of what a run grew into, from its journal; a run that was killed is drawn as far as it got."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ensue.core.model.events import (
    FannedOut,
    NodeFinished,
    NodeStarted,
    ScopeClosed,
    ScopeOpened,
    ScopePlanned,
)
from ensue.output.drawing.drawing import DrawnEdge, DrawnState, ScopeBox, ScopeStatus
from ensue.store.runs.callers import caller_of
from ensue.store.runs.own_minion import own_minion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import Return
    from ensue.output.drawing.drawing import NodeStatus


def draw_events(events: Iterable[RunEvent], minion_id: str) -> ScopeBox:
    """Return the drawing of a run.

    Args:
        events: all events of one run, in order.
        minion_id: the id of the machine, unless the run was started with another one.
    """
    known = list(events)
    return _Artist(own_minion(known, minion_id)).draw(known)


class _Artist:
    def __init__(self, minion_id: str) -> None:
        self._own_target = f"minion:{minion_id}"
        self._top = ScopeBox(kind="top", name=minion_id, scope="", status="done")
        self._boxes: dict[str, ScopeBox] = {"": self._top}
        self._nodes: dict[tuple[str, str], DrawnState] = {}
        self._planned: list[ScopePlanned] = []
        self._fanned: dict[tuple[str, str], tuple[str, ...]] = {}

    def draw(self, events: Iterable[RunEvent]) -> ScopeBox:
        """Return the drawing of these events."""
        for event in events:
            match event:
                case NodeStarted():
                    self._started(event)
                case NodeFinished(returned=returned):
                    self._finished(returned)
                case ScopeOpened():
                    self._opened(event)
                case ScopeClosed():
                    self._closed(event)
                case ScopePlanned():
                    self._planned.append(event)
                case FannedOut(scope=scope, tag_=tag, tags=tags):
                    self._fanned[scope, tag] = tags
                case _:
                    pass
        for planned in self._planned:
            self._connect(planned)
        return self._top

    def _started(self, event: NodeStarted) -> None:
        module, _, function = event.function.rpartition(".")
        name = event.tag_.removeprefix(f"{module}_|-{event.id}_|-").removesuffix(f"_|-{function}")
        self._add(
            DrawnState(
                number=len(self._nodes),
                tag=event.tag_,
                id=event.id,
                name=name,
                function=event.function,
                scope=event.scope,
                target=self._foreign(event.target),
                status="running",
            )
        )

    def _finished(self, returned: Return) -> None:
        node = self._nodes.get((returned.scope, returned.tag))
        if node is None:
            node = DrawnState(
                number=len(self._nodes),
                tag=returned.tag,
                id=returned.id,
                name=returned.name,
                function=f"{returned.module}.{returned.function}",
                scope=returned.scope,
                target=self._foreign(returned.target),
                status="running",
            )
            self._add(node)
        node.status = _status(returned)

    def _foreign(self, target: str) -> str:
        return "" if target == self._own_target else target

    def _add(self, node: DrawnState) -> None:
        self._nodes[node.scope, node.tag] = node
        box = self._boxes.get(node.scope)
        if box is not None:
            box.nodes.append(node)

    def _opened(self, event: ScopeOpened) -> None:
        caller = self._caller(event.caller, event.scope, event.name)
        if caller is not None:
            self._grow(caller, event.kind, event.name, event.scope, "running")

    def _closed(self, event: ScopeClosed) -> None:
        scope_return = event.returned
        if scope_return.scope not in self._boxes:
            # A scope that was not rendered was never opened.
            caller = self._caller(event.caller, scope_return.scope, scope_return.name)
            if caller is None:
                return
            self._grow(caller, scope_return.kind, scope_return.name, scope_return.scope, "running")
        box = self._boxes[scope_return.scope]
        box.status, box.comment = cast("ScopeStatus", scope_return.status), scope_return.comment

    def _grow(self, caller: DrawnState, kind: str, name: str, scope: str, status: ScopeStatus) -> None:
        if scope not in self._boxes:
            self._boxes[scope] = ScopeBox(kind=kind, name=name, scope=scope, status=status)
            caller.grown.append(self._boxes[scope])

    def _caller(self, tag: str, scope: str, name: str) -> DrawnState | None:
        return caller_of(scope, name, lambda path: self._nodes.get((path, tag)))

    def _connect(self, planned: ScopePlanned) -> None:
        box = self._boxes.get(planned.scope)
        if box is None:
            return
        for before, after, kind in planned.edges:
            firsts = self._nodes_of(planned.scope, planned.tags[before])
            seconds = self._nodes_of(planned.scope, planned.tags[after])
            box.edges += [
                DrawnEdge(first.number, second.number, kind) for first, second in _pairs(firsts, seconds)
            ]

    def _nodes_of(self, scope: str, tag: str) -> list[DrawnState]:
        """Return the nodes that a chunk was fanned out to, or its own; one that never started has none."""
        nodes = (self._nodes.get((scope, tag_)) for tag_ in self._fanned.get((scope, tag), (tag,)))
        return [node for node in nodes if node is not None]


def _pairs(
    firsts: Sequence[DrawnState], seconds: Sequence[DrawnState]
) -> Iterator[tuple[DrawnState, DrawnState]]:
    """Yield the lines of a requisite between the nodes of two chunks: those on the same resource.

    A line per pair would be too many. A node without a partner is tied to the first of the other side.
    """
    if not firsts or not seconds:
        return
    there = {first.target: first for first in firsts} if len(seconds) > 1 else {}
    alone = {first.number: first for first in firsts}
    for second in seconds:
        first = there.get(second.target, firsts[0])
        alone.pop(first.number, None)
        yield first, second
    for first in alone.values():
        yield first, seconds[0]


def _status(returned: Return) -> NodeStatus:
    match returned.result:
        case False:
            return "failed"
        case None:
            return "would_change"
        case True:
            return "changed" if returned.changes else "succeeded"
