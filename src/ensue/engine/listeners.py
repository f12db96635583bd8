"""Rule: at the end of a scope, chunks that listen to something that changed get a `mod_watch`.

After them the scope's complaints are reported. A listener is a separate chunk, `listener_<ID>`, without
requisites and growth. It runs once, however many changes it listens to, and after failhard as well.

Source: Salt 3008's `listen`, measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.chunk import LISTENER_FUNCTION, LISTENER_PREFIX
from ensue.core.model.fan_out import parts_of
from ensue.core.model.requisite import RequisiteKind
from ensue.core.model.returns import UnknownReturn
from ensue.engine.answer import DecidedReturn
from ensue.engine.node import Node, Role
from ensue.engine.requisites import may_change
from ensue.engine.returns import failure, unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ensue.core.contracts.growth import Complaint
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.requisite import Requisite
    from ensue.core.model.returns import Return
    from ensue.engine.node import Scope


def closing_nodes(scope: Scope, is_owed: Callable[[Node], bool]) -> list[Node]:
    """Return the nodes for the end of a scope: its listeners, then its complaints.

    Args:
        scope: the scope.
        is_owed: returns whether an earlier run owes what a listener does.
    """
    return [*_listener_nodes(scope, is_owed), *_complaint_nodes(scope)]


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


def _listener_nodes(scope: Scope, is_owed: Callable[[Node], bool]) -> list[Node]:
    """Return a node for every chunk of a scope that listens to a change, in the order of declaration.

    The chunk itself declares that, or with `listen_in` the chunk that it listens to. A chunk that was checked
    first (`prereq`) has, as in Salt, the position of its check. In a plan, a chunk may listen to what only an
    apply changes; its node says so.
    """
    if not _somebody_listens(scope.plan.chunks):
        return []
    nodes: dict[str, Node] = {}
    changers: dict[str, dict[str, None]] = {}
    certain: set[str] = set()
    for index in dict.fromkeys(scope.nodes[number].index for number in scope.order):
        for listening, heard in _heard(scope, index):
            has_changed = any(returned.changes for returned in heard)
            names = () if has_changed else _may_change(scope, heard)
            for chunk in _chunks_of(scope, listening):
                listener = Node(scope, listening, listener_of(chunk), Role.LISTENER)
                tag, owed = listener.chunk.tag, is_owed(listener)
                if not (has_changed or names or owed):
                    continue
                nodes.setdefault(tag, listener)
                changers.setdefault(tag, {}).update(dict.fromkeys(names))
                if has_changed or owed:
                    certain.add(tag)
    for tag, node in nodes.items():
        if tag not in certain:
            comment = f"runs if {' or '.join(changers[tag])} changes something (known after apply)"
            answer = UnknownReturn(name=node.chunk.name, result=None, comment=comment)
            node.instead = DecidedReturn(answer, ran=False)
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


def _heard(scope: Scope, index: int) -> Iterator[tuple[int, list[Return]]]:
    """Yield the chunks that a chunk declares as listeners, itself, then those of its `listen_in`.

    Each with the returns of what it listens to.
    """
    requisites = scope.nodes[index].chunk.requisites
    for requisite in requisites:
        if requisite.kind is RequisiteKind.LISTEN:
            yield index, _returns(scope, requisite.chunks)
    for requisite in requisites:
        if requisite.kind is RequisiteKind.LISTEN_IN:
            for listening in requisite.chunks:
                yield listening, _returns(scope, (index,))


def _returns(scope: Scope, indices: Sequence[int]) -> list[Return]:
    return [returned for index in indices if (returned := scope.result_of(index)) is not None]


def _may_change(scope: Scope, heard: Sequence[Return]) -> list[str]:
    """Return, in a plan, the IDs of the states of which only an apply shows whether they change something."""
    if not scope.test:
        return []
    return [part.id for returned in heard for part in parts_of(returned) if may_change(part)]


def listener_of(chunk: Chunk) -> Chunk:
    """Return the chunk of the listener that a chunk has."""
    options = msgspec.structs.replace(chunk.options, delayed_render=(), registers=())
    return msgspec.structs.replace(
        chunk,
        id=f"{LISTENER_PREFIX}{chunk.id}",
        function=LISTENER_FUNCTION,
        requisites=(),
        options=options,
    )
