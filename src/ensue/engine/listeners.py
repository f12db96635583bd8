"""Rule: when all of a scope has ended, those that listen to something that changed get a `mod_watch`.

After them the scope's complaints are told. A listener is a chunk of its own: `listener_<ID>`, without
requisites and growth. It runs after failhard too, once however much of what it listens to changed.

Source: Salt 3008's `listen`, measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.engine.node import Node, Role
from ensue.model.requisite import RequisiteKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.engine.node import Scope
    from ensue.model.chunk import Chunk


def closing_nodes(scope: Scope) -> list[Node]:
    """Return what comes when all states of a scope are over: its listeners, then its complaints."""
    return [*_listener_nodes(scope), *_complaint_nodes(scope)]


def _complaint_nodes(scope: Scope) -> list[Node]:
    return [
        Node(scope, number, complaint.chunk, Role.COMPLAINT, refused=complaint.comment)
        for number, complaint in enumerate(scope.plan.complaints, start=len(scope.plan.chunks))
        if not complaint.after_changes_of or _changed(scope, complaint.after_changes_of)
    ]


def _listener_nodes(scope: Scope) -> list[Node]:
    """Return a node for every chunk of a scope that has heard of a change, in the order of their start.

    A chunk that was checked first (`prereq`) stands, as in Salt, where its check stood.
    """
    nodes: dict[str, Node] = {}
    for number in scope.order:
        node = scope.nodes[number]
        if node.chunk.requisites and _heard(scope, node.chunk):
            listener = _listener(node.chunk)
            if listener.tag not in nodes:
                nodes[listener.tag] = Node(scope, node.index, listener, Role.LISTENER)
    return list(nodes.values())


def _heard(scope: Scope, chunk: Chunk) -> bool:
    return any(
        _changed(scope, requisite.chunks)
        for requisite in chunk.requisites
        if requisite.kind is RequisiteKind.LISTEN
    )


def _changed(scope: Scope, indices: Sequence[int]) -> bool:
    returns = (scope.result_of(index) for index in indices)
    return any(returned is not None and bool(returned.changes) for returned in returns)


def _listener(chunk: Chunk) -> Chunk:
    options = msgspec.structs.replace(chunk.options, delayed_render=(), registers=())
    return msgspec.structs.replace(
        chunk, id=f"listener_{chunk.id}", function="mod_watch", requisites=(), options=options
    )
