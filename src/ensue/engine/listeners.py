"""Rule: when all of a scope has ended, those that listen to something that changed get a `mod_watch`.

A listener is a chunk of its own: `listener_<ID>`, without requisites and growth. It runs after
failhard too, once however much of what it listens to changed.

Source: Salt 3008's `listen`, measured.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from ensue.engine.node import Node, Role
from ensue.model.requisite import RequisiteKind

if TYPE_CHECKING:
    from ensue.engine.node import Scope
    from ensue.model.chunk import Chunk


def listener_nodes(scope: Scope) -> list[Node]:
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
        (returned := scope.result_of(index)) is not None and bool(returned.changes)
        for requisite in chunk.requisites
        if requisite.kind is RequisiteKind.LISTEN
        for index in requisite.chunks
    )


def _listener(chunk: Chunk) -> Chunk:
    options = replace(chunk.options, delayed_render=(), registers=())
    return msgspec.structs.replace(
        chunk, id=f"listener_{chunk.id}", function="mod_watch", requisites=(), options=options
    )
