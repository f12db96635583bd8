"""Who asks for a resource of a deployment that would be created, for its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.deploy.provisioning.identity import WORKLOAD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.outcomes import NodeOutcome

_MODULE = "modules."


class Requesters:
    """The resources that depend on each resource of a graph.

    Args:
        outcomes: the outcome of every resource.
    """

    def __init__(self, outcomes: Iterable[NodeOutcome]) -> None:
        self._names: dict[ResourceKey, dict[str, None]] = {}
        for resource in outcomes:
            for dependency in resource.node.dependencies if resource.node is not None else ():
                self._names.setdefault(dependency.to, {})[_name(resource.key)] = None

    def line(self, resource: NodeOutcome) -> str:
        """Return who asks for a resource that would be created, or where; else empty, and for workloads."""
        if resource.outcome.action != "create" or resource.node is None or resource.key.type == WORKLOAD:
            return ""
        names = self._names.get(resource.key)
        return f"asked for by {', '.join(names)}" if names else _place(resource.node)


def _place(node: GraphNode) -> str:
    """Return where a resource is asked for that nothing depends on, such as a co-provisioned one."""
    return f"asked for at {node.places[0].span()}" if node.places else ""


def _name(key: ResourceKey) -> str:
    if key.type == WORKLOAD:
        return f"workload {key.id.removeprefix(_MODULE)}"
    return str(key)
