"""Rule: a chunk that requires a resource waits for the chunks that declare that they register it.

Two injected functions say which resource a chunk requires and which it registers: only the composition
root knows that `ssh_host.fetch_file` takes a resource as its `name`.

Source: derived-resources document: a registration is visible to everything later in the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.engine.graph.dag import Edge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk, FanOut
    from ensue.core.model.srn import Srn

REASON: Final = "registration"
"""The reason of these edges; a chunk whose edge had to be removed fails with a message that says so."""

POSSIBLE: Final = "possible registration"
"""The reason of edges to a chunk whose target may match what is registered; cycles remove them first."""


def registrars_of(plan: Plan, promises: Callable[[Chunk], Sequence[Srn]]) -> dict[Srn, list[int]]:
    """Return, for each resource, the chunks that will register it.

    Args:
        plan: the plan.
        promises: the resources that a chunk will register.
    """
    registrars: dict[Srn, list[int]] = {}
    for index, chunk in enumerate(plan.chunks):
        for srn in promises(chunk):
            registrars.setdefault(srn, []).append(index)
    return registrars


def possible_edges(
    plan: Plan, may_await: Callable[[Chunk, Srn], bool], registrars: Mapping[Srn, Sequence[int]]
) -> Iterator[Edge]:
    """Yield an edge from every chunk that will register a resource to every other whose target may match it.

    Args:
        plan: the plan.
        may_await: whether the target of a chunk that is fanned out may match a resource.
        registrars: the result of `registrars_of`.
    """
    if not registrars:
        return
    before: dict[FanOut, list[int]] = {}
    for index, chunk in enumerate(plan.chunks):
        fan_out = chunk.options.fan_out
        if fan_out is None:
            continue
        if fan_out not in before:
            matched = (mine for srn, mine in registrars.items() if may_await(chunk, srn))
            before[fan_out] = sorted({registrar for mine in matched for registrar in mine})
        for registrar in before[fan_out]:
            if registrar != index:
                yield Edge(registrar, index, POSSIBLE)


def registration_edges(
    plan: Plan, awaits: Callable[[Chunk], Srn | None], registrars: Mapping[Srn, Sequence[int]]
) -> Iterator[Edge]:
    """Yield an edge from every chunk that will register a resource to every other that requires it.

    Args:
        plan: the plan.
        awaits: returns the resource that a chunk requires; None if it requires none.
        registrars: the result of `registrars_of`.
    """
    if not registrars:
        return
    for index, chunk in enumerate(plan.chunks):
        needed = awaits(chunk)
        if needed is None or index in (mine := registrars.get(needed, ())):
            continue
        for registrar in mine:
            yield Edge(registrar, index, REASON)
