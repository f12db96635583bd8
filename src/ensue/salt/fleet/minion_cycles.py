"""Cycles among minions that wait for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from ensue.core.model.minion_state import MinionState

N = TypeVar("N", bound="Hashable")


def path_back(start: N, following: Mapping[N, Sequence[N]]) -> list[N]:
    """Return a shortest path from a node back to itself, without its end; empty if there is none.

    Args:
        start: the node.
        following: the nodes that each node leads to.
    """
    before: dict[N, N] = {}
    waiting = [start]
    for node in waiting:
        for other in following.get(node, ()):
            if other == start:
                path = [node]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if other not in before:
                before[other] = node
                waiting.append(other)
    return []


def closed_cycle(waits: Mapping[str, Sequence[tuple[str, MinionState]]]) -> list[tuple[str, MinionState]]:
    """Return minions that wait for each other, each with the state that it waits for.

    Args:
        waits: minions in which nothing goes on, each with the minions and states that it waits for: at least
            one, and all of them among these minions.
    """
    path: dict[str, tuple[str, MinionState]] = {}
    minion = min(waits)
    while minion not in path:
        other, state = min(waits[minion], key=str)
        path[minion] = (minion, state)
        minion = other
    return list(path.values())[[*path].index(minion) :]
