"""How deep each node of a drawing is: states below what they come after, resources beside what needs them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def depths(numbers: Iterable[int], deeper: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return how many edges the longest path to each node has.

    Args:
        numbers: the nodes.
        deeper: by node, the nodes that an edge from it leads to; no edges form a cycle.
    """
    waits = dict.fromkeys(numbers, 0)
    for ends in deeper.values():
        for end in ends:
            waits[end] += 1
    depth = dict.fromkeys(waits, 0)
    ready = deque(number for number, count in waits.items() if not count)
    while ready:
        number = ready.popleft()
        for end in deeper.get(number, ()):
            depth[end] = max(depth[end], depth[number] + 1)
            waits[end] -= 1
            if not waits[end]:
                ready.append(end)
    return depth
