"""Lower a plan for the scheduler: nodes, their dependencies, and the order in which ready nodes start.

Nodes `0 … n-1` are the plan's chunks; those after them are checks (see `prereq.py`). The order is
the plan's own. It is changed, as little as possible, only where a rule contradicts it (a chunk that requires
a resource precedes the chunk that registers it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.engine.graph.cycles import CycleError, find_cycles
from ensue.engine.graph.dag import Dag, Edge
from ensue.engine.graph.ordering import order_with_priorities
from ensue.engine.graph.transforms.prereq import check_places, checked_chunks, prereq_edges
from ensue.engine.graph.transforms.registration import (
    POSSIBLE,
    REASON,
    possible_edges,
    registrars_of,
    registration_edges,
)
from ensue.engine.graph.transforms.requisites import requisite_edges
from ensue.engine.graph.transforms.sequence import is_row, sequence_edges

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.srn import Srn


def matches_none(_chunk: Chunk, _srn: Srn) -> bool:
    """Report that a target matches nothing, for every target."""
    return False


class Lowered(msgspec.Struct, frozen=True, kw_only=True):
    """A plan in the form that the scheduler uses.

    Args:
        order: all nodes in the order in which ready ones start.
        waits_for: how many edges enter each node.
        dependents: the nodes that wait for each node, once per edge, in order of their start.
        check_of: the node that checks a chunk, by the chunk's index.
        registrars: for each resource, the chunks that will register it.
        self_waiting: chunks that would wait for themselves, each with the nodes of the cycle.
    """

    order: Sequence[int]
    waits_for: list[int]
    dependents: list[tuple[int, ...]]
    check_of: Mapping[int, int]
    registrars: Mapping[Srn, Sequence[int]]
    self_waiting: Mapping[int, tuple[int, ...]]


class LoweringRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules for lowering a plan.

    Args:
        ordered: whether the nodes of one target run one after the other.
        awaits: the resource that a chunk requires.
        promises: the resources that a chunk will register.
        may_await: whether the target of a chunk that is fanned out may match a resource.
    """

    ordered: bool
    awaits: Callable[[Chunk], Srn | None]
    promises: Callable[[Chunk], Sequence[Srn]]
    may_await: Callable[[Chunk, Srn], bool] = matches_none


def lower(plan: Plan, rules: LoweringRules) -> Lowered:
    """Apply all rules to a plan.

    Raises:
        CycleError: requisites form a cycle; the compiler refuses such plans.
    """
    first_check = len(plan.chunks)
    check_of = {chunk: first_check + place for place, chunk in enumerate(checked_chunks(plan))}
    count = first_check + len(check_of)
    registrars = registrars_of(plan, rules.promises)
    if rules.ordered and not check_of and not registrars and is_row(plan):
        return _row(count)
    edges = [
        *requisite_edges(plan),
        *prereq_edges(plan, check_of),
        *registration_edges(plan, rules.awaits, registrars),
        *possible_edges(plan, rules.may_await, registrars),
    ]
    self_waiting: dict[int, tuple[int, ...]] = {}
    order: Sequence[int] = range(count)
    if check_of or any(edge.before >= edge.after for edge in edges):
        edges, self_waiting = _without_registration_cycles(count, edges)
        order = order_with_priorities(count, edges, _places(plan, check_of))
    if rules.ordered:
        edges += _sequence(plan, check_of, order)
    waits_for, dependents = _both_ways(edges, order)
    return Lowered(
        order=order,
        waits_for=waits_for,
        dependents=dependents,
        check_of=check_of,
        registrars=registrars,
        self_waiting=self_waiting,
    )


def _row(count: int) -> Lowered:
    dependents: list[tuple[int, ...]] = [(node + 1,) for node in range(count)]
    dependents[-1:] = [()] if count else []
    return Lowered(
        order=range(count),
        waits_for=[min(node, 1) for node in range(count)],
        dependents=dependents,
        check_of={},
        registrars={},
        self_waiting={},
    )


def _places(plan: Plan, check_of: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """Keys that keep the plan's order, that of its checks included."""
    return [(place, 1, 0) for place in range(len(plan.chunks))] + [
        (place, 0, turn) for place, turn in check_places(plan, list(check_of))
    ]


def _sequence(plan: Plan, check_of: Mapping[int, int], order: Sequence[int]) -> list[Edge]:
    chunks = plan.chunks
    checked = list(check_of)

    def target_of(node: int) -> Srn | None:
        target = chunks[node if node < len(chunks) else checked[node - len(chunks)]].target
        return None if target is None or target == plan.target else target

    def is_parallel(node: int) -> bool:
        return node < len(chunks) and chunks[node].options.parallel

    return list(sequence_edges(order, target_of, is_parallel))


def _without_registration_cycles(
    count: int, edges: list[Edge]
) -> tuple[list[Edge], dict[int, tuple[int, ...]]]:
    """Remove registration edges that close a cycle.

    A target then matches only the resources that are registered by its turn; a chunk that requires one
    particular resource fails at its turn.
    """
    self_waiting: dict[int, tuple[int, ...]] = {}
    while cycles := find_cycles(Dag(count, edges)):
        given_up = {edge for cycle in cycles for edge in cycle if edge.reason == POSSIBLE}
        if given_up:
            edges = [edge for edge in edges if edge not in given_up]
            continue
        given_up = {edge for cycle in cycles for edge in cycle if edge.reason == REASON}
        if not given_up:
            raise CycleError(cycles)
        for cycle in cycles:
            waits = tuple(edge.before for edge in cycle)
            self_waiting.update({edge.after: waits for edge in cycle if edge.reason == REASON})
        edges = [edge for edge in edges if edge not in given_up]
    return edges, self_waiting


def _both_ways(edges: Sequence[Edge], order: Sequence[int]) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return how many edges enter each node, and the nodes that its edges lead to, in order of start."""
    waits_for = [0] * len(order)
    outgoing: list[list[int]] = [[] for _ in order]
    for edge in edges:
        waits_for[edge.after] += 1
        outgoing[edge.before].append(edge.after)
    rank = _ranks(order)
    return waits_for, [tuple(sorted(afters, key=rank)) for afters in outgoing]


def _ranks(order: Sequence[int]) -> Callable[[int], int]:
    places = [0] * len(order)
    for place, node in enumerate(order):
        places[node] = place
    return places.__getitem__
