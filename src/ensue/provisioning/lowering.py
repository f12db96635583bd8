"""A resource graph as a plan: a state for each resource, which requires the states of those it depends on.

Resources to be removed come last, each after everything that depends on it, or did when it was provisioned.
What was made for a replaced resource before is destroyed after the resource and all that depends on it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.contracts.growth import Plan
from ensue.model.chunk import Chunk
from ensue.model.requisite import Requisite, RequisiteKind
from ensue.model.source_document import NoDocument
from ensue.provisioning.definitions import BESIDE_OTHERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ensue.contracts.growth import DeploymentScope
    from ensue.diagnostics import Diagnostic
    from ensue.model.srn import Srn
    from ensue.provisioning.active import ActiveResource
    from ensue.provisioning.identity import Key
    from ensue.provisioning.nodes import Node

MODULE: Final = "graph"
"""The state module whose functions the states of a deployment call."""

PROVISIONED: Final = "provisioned"
REMOVED: Final = "removed"
CLEARED: Final = "cleared"


class Work(NamedTuple):
    """The resources that a deployment provisions and removes.

    Args:
        nodes: the resources of the graph, in the order of provisioning.
        removed: the resources to be removed.
        cleared: the resources of the graph for which something was made before that is to be destroyed.
        kept: all records of the environment.
    """

    nodes: Sequence[Node]
    removed: Sequence[ActiveResource]
    cleared: Collection[Key]
    kept: Mapping[Key, ActiveResource]


def lower(
    work: Work, target: Srn, scope: str, *, deployment: DeploymentScope, warnings: tuple[Diagnostic, ...]
) -> Plan:
    """Return the plan of a deployment.

    Args:
        work: the resources.
        target: the machine that runs the deployment.
        scope: the path of the plan's scope.
        deployment: the environment.
        warnings: warnings about its inputs.
    """
    chunks: list[Chunk] = []
    places: dict[Key, int] = {}

    def add(key: Key, function: str, required: Iterable[Key], node: Node | None = None) -> None:
        before = tuple(sorted({places[one] for one in required if one in places}))
        places.setdefault(key, len(chunks))
        asked_for = None if node is None else node.places[0]
        chunks.append(
            Chunk(
                id=str(key),
                name=str(key),
                module=MODULE,
                function=function,
                arguments={},
                sls="",
                order=len(chunks),
                document=NoDocument() if asked_for is None else asked_for.document,
                keys=() if asked_for is None else tuple(map(str, asked_for.keys)),
                requisites=(Requisite(RequisiteKind.REQUIRE, before),) if before else (),
                options=BESIDE_OTHERS if node is None else node.options,
            )
        )

    for node in work.nodes:
        add(node.key, PROVISIONED, node.depends_on, node)
    for key, after in _with_dependents(work.nodes, work.cleared):
        add(key, CLEARED, after)
    for one, users in _users_first(work.removed, work.kept):
        add(one.key, REMOVED, users)
    return Plan(chunks=tuple(chunks), scope=scope, target=target, deployment=deployment, warnings=warnings)


def _with_dependents(nodes: Sequence[Node], wanted: Collection[Key]) -> list[tuple[Key, list[Key]]]:
    """Return the wanted resources, each with itself and all that depends on it, directly or not."""
    if not wanted:
        return []
    users: dict[Key, list[Key]] = {}
    for node in nodes:
        for key in node.depends_on:
            users.setdefault(key, []).append(node.key)
    found: list[tuple[Key, list[Key]]] = []
    for node in nodes:
        if node.key in wanted:
            reached = {node.key: None}
            waiting = [node.key]
            while waiting:
                new = [one for one in users.get(waiting.pop(), ()) if one not in reached]
                reached.update(dict.fromkeys(new))
                waiting += new
            found.append((node.key, list(reached)))
    return found


def _users_first(
    removed: Sequence[ActiveResource], kept: Mapping[Key, ActiveResource]
) -> list[tuple[ActiveResource, list[Key]]]:
    """Return the resources to remove in the order of removal, each with the resources that use it."""
    users: dict[Key, list[Key]] = {}
    for one in kept.values():
        for key in one.uses:
            users.setdefault(key, []).append(one.key)
    left = {one.key: one for one in sorted(removed, key=lambda one: one.key, reverse=True)}
    waits_for = {key: sum(user in left for user in users.get(key, ())) for key in left}
    free = deque(key for key, count in waits_for.items() if not count)
    ordered: list[tuple[ActiveResource, list[Key]]] = []
    while free:
        one = left.pop(free.popleft())
        ordered.append((one, users.get(one.key, [])))
        for key in one.uses:
            if key in left:
                waits_for[key] -= 1
                if not waits_for[key]:
                    free.append(key)
    # Records of different deployments may form a cycle: the rest is removed in any order, and
    # waits for those of its users that came before.
    return [*ordered, *((one, users.get(one.key, [])) for one in left.values())]
