"""Rule: at the end of a scope, chunks that listen to something that changed get a `mod_watch`.

After them the scope's complaints are reported. A listener is a separate chunk, `listener_<ID>`, without
requisites and growth. It runs once, however many changes it listens to, and after failhard as well.

Source: Salt 3008's `listen`, measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.requisite import RequisiteKind
from ensue.engine.answer import DecidedReturn
from ensue.engine.node import Node, Role
from ensue.engine.returns import failure, unreachable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.contracts.growth import Complaint
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.requisite import Requisite
    from ensue.engine.node import Scope


def closing_nodes(scope: Scope) -> list[Node]:
    """Return the nodes for the end of a scope: its listeners, then its complaints."""
    return [*_listener_nodes(scope), *_complaint_nodes(scope)]


def _complaint_nodes(scope: Scope) -> list[Node]:
    return [
        _complaint_node(scope, number, complaint)
        for number, complaint in enumerate(scope.plan.complaints, start=len(scope.plan.chunks))
    ]


def _complaint_node(scope: Scope, number: int, complaint: Complaint) -> Node:
    chunk = complaint.chunk
    node = Node(scope, number, chunk, Role.COMPLAINT, refused=complaint.comment)
    if complaint.unreachable:
        node.instead = DecidedReturn(unreachable(failure(chunk.name, complaint.comment)), ran=False)
    return node


def _listener_nodes(scope: Scope) -> list[Node]:
    """Return a node for every chunk of a scope that listens to a change, in the order of declaration.

    The chunk itself declares that, or with `listen_in` the chunk that it listens to. A chunk that was checked
    first (`prereq`) has, as in Salt, the position of its check.
    """
    nodes: dict[str, Node] = {}
    if not _somebody_listens(scope.plan.chunks):
        return []
    for index in dict.fromkeys(scope.nodes[number].index for number in scope.order):
        for heard in _who_heard(scope, index):
            for chunk in _chunks_of(scope, heard):
                listener = _listener(chunk)
                if listener.tag not in nodes:
                    nodes[listener.tag] = Node(scope, heard, listener, Role.LISTENER)
    return list(nodes.values())


def _somebody_listens(chunks: Sequence[Chunk]) -> bool:
    last: Sequence[Requisite] = ()
    for chunk in chunks:
        if chunk.requisites is not last:  # chunks with the same requisites share one object
            last = chunk.requisites
            for requisite in last:
                if requisite.kind is RequisiteKind.LISTEN or requisite.kind is RequisiteKind.LISTEN_IN:
                    return True
    return False


def _chunks_of(scope: Scope, index: int) -> list[Chunk]:
    """Return the chunks of an ID: those of its fan-out, or none if its target matched nothing."""
    if index in scope.fanned:
        return [node.chunk for node in scope.fanned[index]]
    chunk = scope.nodes[index].chunk
    return [chunk] if chunk.options.fan_out is None else []


def _who_heard(scope: Scope, index: int) -> Iterator[int]:
    """Yield the chunks that a chunk declares as listeners: itself, then those of its `listen_in`."""
    requisites = scope.nodes[index].chunk.requisites
    for requisite in requisites:
        if requisite.kind is RequisiteKind.LISTEN and any(
            _changed(scope, chunk) for chunk in requisite.chunks
        ):
            yield index
    for requisite in requisites:
        if requisite.kind is RequisiteKind.LISTEN_IN and _changed(scope, index):
            yield from requisite.chunks


def _changed(scope: Scope, index: int) -> bool:
    returned = scope.result_of(index)
    return returned is not None and bool(returned.changes)


def _listener(chunk: Chunk) -> Chunk:
    options = msgspec.structs.replace(chunk.options, delayed_render=(), registers=())
    return msgspec.structs.replace(
        chunk, id=f"listener_{chunk.id}", function="mod_watch", requisites=(), options=options
    )
