"""Orders are valid, smallest key first, and cycles are refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.engine.graph.cycles import CycleError, find_cycles, knots
from ensue.engine.graph.dag import Dag, Edge
from ensue.engine.graph.ordering import earliest_dependent, order_with_priorities

EDGES = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40)


def _reachable(pairs: list[tuple[int, int]], start: int) -> set[int]:
    seen: set[int] = set()
    frontier = {after for before, after in pairs if before == start}
    while frontier:
        seen |= frontier
        frontier = {after for before, after in pairs if before in frontier} - seen
    return seen


@given(pairs=EDGES, keys=st.lists(st.integers(0, 5), min_size=12, max_size=12))
def test_order_is_valid_and_greedy(pairs: list[tuple[int, int]], keys: list[int]) -> None:
    """Every place of an order holds the smallest key among the nodes whose predecessors are all placed."""
    pairs = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
    ordered = order_with_priorities(12, [Edge(*pair) for pair in pairs], keys)
    assert sorted(ordered) == list(range(12))
    for place, node in enumerate(ordered):
        placed = set(ordered[:place])
        free = [n for n in ordered[place:] if all(b in placed for b, after in pairs if after == n)]
        assert (keys[node], node) == min((keys[n], n) for n in free)


@given(pairs=EDGES)
def test_every_knot_and_only_knots_yield_a_cycle(pairs: list[tuple[int, int]]) -> None:
    """Nodes on cycles are those that reach themselves; each knot yields one real cycle."""
    graph = Dag(12, [Edge(*pair) for pair in pairs])
    caught = {node for node in range(12) if node in _reachable(pairs, node)}
    assert {node for knot in knots(graph) for node in knot} == caught
    cycles = find_cycles(graph)
    assert len(cycles) == len(knots(graph))
    for cycle in cycles:
        assert all(edge in graph.edges for edge in cycle)
        assert all(
            edge.after == following.before
            for edge, following in zip(cycle, cycle[1:] + cycle[:1], strict=True)
        )
        assert len({edge.before for edge in cycle}) == len(cycle)


def test_shortest_cycle_is_chosen() -> None:
    """Of a long and a short cycle, the short one is reported."""
    edges = [Edge(0, 1), Edge(1, 2), Edge(2, 3), Edge(3, 0), Edge(2, 1)]
    assert [edge.before for edge in find_cycles(Dag(4, edges))[0]] == [1, 2]


def test_cycle_error_carries_all_knots() -> None:
    """Two separate cycles are reported together."""
    with pytest.raises(CycleError) as caught:
        order_with_priorities(5, [Edge(0, 1), Edge(1, 0), Edge(2, 3), Edge(3, 2)], [0] * 5)
    assert [[edge.before for edge in cycle] for cycle in caught.value.cycles] == [[0, 1], [2, 3]]


def test_long_chains_and_long_cycles_need_no_recursion() -> None:
    """A chain and a ring of a hundred thousand nodes are sorted."""
    count = 100_000
    chain = [Edge(node, node + 1) for node in range(count - 1)]
    assert order_with_priorities(count, chain, [-node for node in range(count)]) == list(range(count))
    ring = find_cycles(Dag(count, [*chain, Edge(count - 1, 0)]))
    assert len(ring[0]) == count


def test_earliest_dependent_moves_direct_predecessors_only() -> None:
    """A node is pulled forward by its direct dependents, not by theirs."""
    edges = [Edge(0, 1), Edge(1, 2)]
    assert earliest_dependent(3, edges, [30, 20, 10]) == [20, 10, 10]


def test_lighter_edges_after_a_heavier_one_do_not_pull() -> None:
    """As in Salt, an edge of smaller weight that follows a heavier one is ignored."""
    assert earliest_dependent(3, [Edge(0, 1, "watch", 7), Edge(0, 2, "require", 3)], [9, 5, 1]) == [5, 5, 1]
    assert earliest_dependent(3, [Edge(0, 2, "require", 3), Edge(0, 1, "watch", 7)], [9, 5, 1]) == [1, 5, 1]


def test_an_edge_pulls_by_an_order_of_its_own() -> None:
    """If every edge has an order, that counts, and not the order of the dependent node."""
    assert earliest_dependent(3, [Edge(0, 2), Edge(1, 2)], [9, 9, 1], [5, 20]) == [5, 9, 1]


def test_edges_stay_inside_the_graph() -> None:
    """An edge to a node that does not exist is refused."""
    with pytest.raises(IndexError, match="leaves the graph's 2 nodes"):
        Dag(2, [Edge(0, 2)])


def test_edges_of_one_weight_all_pull() -> None:
    """Of equal edges the one to the earliest dependent counts, wherever it is declared."""
    assert earliest_dependent(3, [Edge(0, 1, "require", 3), Edge(0, 2, "require", 3)], [9, 5, 1]) == [1, 5, 1]
