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
    """Return minions that wait for each other, each with the state that it waits for; empty if none do.

    Args:
        waits: the minions in which nothing goes on, each with the minions and states that it waits for. Those
            that wait for any other minion may still go on.
    """
    stuck = dict(waits)
    while free := [name for name, needs in stuck.items() if any(other not in stuck for other, _ in needs)]:
        for name in free:
            del stuck[name]
    if not stuck:
        return []
    path: dict[str, tuple[str, MinionState]] = {}
    minion = min(stuck)
    while minion not in path:
        other, state = min(stuck[minion], key=str)
        path[minion] = (minion, state)
        minion = other
    return list(path.values())[[*path].index(minion) :]
