"""The states beside one state that are about paths below its own: what a state that cleans a folder keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.fan_out import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.model.chunk import Chunk
    from ensue.core.model.returns import Return
    from ensue.engine.node import Node, Scope


def declared_below(node: Node) -> tuple[tuple[str, str, str], ...]:
    """Return the states with names below the name of a state, each as module, function and name.

    Those of its target in its scope and in the scopes around it count, also if the chosen part of the run
    leaves them out, and those of scopes that have run. What a scope declares that opens later is not known.

    Args:
        node: the state.
    """
    if not node.chunk.name.startswith("/"):
        return ()
    folder, target = node.chunk.name.rstrip("/") + "/", str(node.target)
    named = {
        (module, function, name)
        for scope in _scopes(node)
        for where, module, function, name in (*_chunks(scope), *_returned(_returns(scope)))
        if name.startswith(folder) and where == target
    }
    return tuple(sorted(named))


def _scopes(node: Node) -> Iterator[Scope]:
    scope = node.scope
    yield scope
    while scope.caller is not None:
        scope = scope.caller.scope
        yield scope


def _chunks(scope: Scope) -> Iterator[tuple[str, str, str, str]]:
    plan = scope.plan
    chunks: Iterable[Chunk] = (*plan.chunks, *(excluded.chunk for excluded in plan.excluded))
    for chunk in chunks:
        if chunk.options.fan_out is None:
            yield str(chunk.target or plan.target), chunk.module, chunk.function, chunk.name
    for nodes in scope.fanned.values():
        for node in nodes:
            yield str(node.target), node.chunk.module, node.chunk.function, node.chunk.name


def _returns(scope: Scope) -> Iterator[Return]:
    return (node.returned for node in scope.nodes if node.returned is not None)


def _returned(returns: Iterable[Return]) -> Iterator[tuple[str, str, str, str]]:
    for returned in returns:
        for part in parts_of(returned):
            yield part.target, part.module, part.function, part.name
            for inner in (*part.delayed, *part.applied):
                yield from _returned(inner.returns.values())
