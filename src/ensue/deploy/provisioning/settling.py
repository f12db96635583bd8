"""The resources of a deployment that are left as they are, found before anything runs.

A resource is left as it is if its inputs are the same as when its driver was last called, and all that it
depends on is left as it is. Such a resource needs no state: a deployment that changes little runs little.

Resources are looked at in the order of their depth in the graph. Those that need more than memory for this (a
secret of a store, a fingerprint of a driver that reads files or a repository) are looked at together.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from ensue.core.errors import EnsueError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.provisioner import Provisioner
    from ensue.deploy.provisioning.surroundings import ProvisioningOutcome

FINGERPRINTS_AT_ONCE: Final = 10
"""How many drivers are asked for a fingerprint at once: a query of a repository is a process."""


def _always(_key: ResourceKey, _outcome: ProvisioningOutcome) -> bool:
    return True


async def settled(
    nodes: Sequence[GraphNode],
    provisioner: Provisioner,
    *,
    waiting: Collection[ResourceKey] = (),
    is_usable: Callable[[ResourceKey, ProvisioningOutcome], bool] = _always,
) -> dict[ResourceKey, ProvisioningOutcome]:
    """Return the outcomes of the resources that are left as they are; nothing is stored.

    What cannot be looked at (a secret that cannot be read) is not among them: its state reports the error.

    Args:
        nodes: the resources, each after those it depends on.
        provisioner: knows what is kept, and is given the outputs of these resources.
        waiting: the resources that wait for a list that is not known yet.
        is_usable: returns whether nothing else is wrong with a resource.
    """
    outcomes: dict[ResourceKey, ProvisioningOutcome] = {}
    places = asyncio.Semaphore(FINGERPRINTS_AT_ONCE)

    async def settle(node: GraphNode) -> None:
        try:
            outcome = await provisioner.left_as_it_is(node)
        except EnsueError:
            return
        if outcome is not None and is_usable(node.key, outcome):
            outcomes[node.key] = outcome

    async def settle_slowly(node: GraphNode) -> None:
        try:
            async with places, asyncio.timeout(node.options.timeout_s):
                await settle(node)
        except TimeoutError:
            return

    for layer in _layers(nodes, waiting):
        slow: list[GraphNode] = []
        for node in layer:
            if not all(map(outcomes.__contains__, node.depends_on)):
                continue
            if provisioner.is_quick(node):
                await settle(node)
            else:
                slow.append(node)
        await asyncio.gather(*map(settle_slowly, slow))
    return outcomes


def _layers(nodes: Sequence[GraphNode], waiting: Collection[ResourceKey]) -> Iterator[list[GraphNode]]:
    """Yield the resources by depth: those that depend on nothing first."""
    depths: dict[ResourceKey, int] = {}
    layers: list[list[GraphNode]] = []
    for node in nodes:
        if node.key in waiting or not all(map(depths.__contains__, node.depends_on)):
            continue
        depth = depths[node.key] = 1 + max(map(depths.__getitem__, node.depends_on), default=-1)
        if depth == len(layers):
            layers.append([])
        layers[depth].append(node)
    yield from layers
