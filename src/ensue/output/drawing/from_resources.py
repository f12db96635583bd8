"""The drawing of a deployment: its resources, with a box per workload for what belongs to it.

The input is a plain value, so that a planned graph and a provisioned one are drawn alike.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.output.drawing.drawing import RESOURCE_GRAPH, DrawnEdge, DrawnResource, ScopeBox

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.nodes import ResourceGraph, Why
    from ensue.deploy.provisioning.outcomes import NodeOutcome
    from ensue.output.drawing.drawing import DrawnStatus

_WORKLOAD = "workload"
_KEPT_EDGE: Final[Why] = "reference"
"""The kind of dependencies that only the store knows, because it does not record why they exist."""
_FOR_EACH: Final[Why] = "for_each"


class ResourceToDraw(msgspec.Struct, frozen=True, kw_only=True):
    """A resource to draw.

    Args:
        type: its type.
        class_: its class.
        id: its id.
        definition: the id of its definition; empty if not known.
        driver: its driver; empty if not known.
        status: its status.
        comment: why it has that status; may be empty.
        edges: `TYPE.CLASS#ID` of each resource that it depends on, and why; those not drawn are left out.
    """

    type: str
    class_: str
    id: str
    definition: str = ""
    driver: str = ""
    status: DrawnStatus = "planned"
    comment: str = ""
    edges: tuple[tuple[str, Why], ...] = ()

    @property
    def key(self) -> str:
        """`TYPE.CLASS#ID`."""
        return f"{self.type}.{self.class_}#{self.id}"


def deployment_name(context: Context) -> str:
    """Return the name of a deployment: application, environment and type of the environment."""
    return f"{context.app}/{context.env} ({context.env_type})"


def planned_resources(
    graph: ResourceGraph,
    missing_drivers: Collection[str],
    records: Mapping[ResourceKey, ActiveResource] = MappingProxyType({}),
) -> Iterator[ResourceToDraw]:
    """Yield the resources of a graph as earlier deployments left them.

    Args:
        graph: the graph.
        missing_drivers: the drivers that are not installed.
        records: what earlier deployments have provisioned; a resource without a record is planned.
    """
    waits: dict[ResourceKey, list[str]] = {}
    for point in graph.points:
        for key in sorted(point.waiting):
            waits.setdefault(key, []).append(str(point.head))
    for node in graph.nodes:
        absent = node.driver in missing_drivers
        yield ResourceToDraw(
            type=node.key.type,
            class_=node.key.class_,
            id=node.key.id,
            definition=node.definition,
            driver=node.driver,
            status=_recorded(records.get(node.key)),
            comment=f"the driver {node.driver} is not installed" if absent else "",
            edges=(
                *((str(dependency.to), dependency.why) for dependency in node.dependencies),
                *((name, _FOR_EACH) for name in waits.get(node.key, ())),
            ),
        )
    for point in {point_.head: point_ for point_ in graph.points}.values():
        yield ResourceToDraw(
            type=point.head.type,
            class_=point.head.class_,
            id=point.head.id,
            definition=" or ".join(point.definitions),
            comment=f"one for each item of a list of {point.name.owner}",
            edges=tuple((str(key), _FOR_EACH) for key in point.sources),
        )


def _recorded(record: ActiveResource | None) -> DrawnStatus:
    if record is None:
        return "planned"
    return "active" if record.phase == "active" and record.attempted is None else "failed"


def provisioned_resources(outcomes: Iterable[NodeOutcome]) -> Iterator[ResourceToDraw]:
    """Yield the resources of a deployment with their outcome, including orphaned ones.

    Args:
        outcomes: the outcome of every resource.
    """
    for resource in outcomes:
        node, kept = resource.node, resource.kept
        edges: list[tuple[str, Why]]
        if node is not None:
            edges = [(str(to.to), to.why) for to in node.dependencies]
        else:
            edges = [(str(key), _KEPT_EDGE) for key in kept.depends_on] if kept else []
        yield ResourceToDraw(
            type=resource.key.type,
            class_=resource.key.class_,
            id=resource.key.id,
            definition=node.definition if node else kept.definition if kept else "",
            driver=node.driver if node else kept.driver if kept else "",
            status=resource.outcome.status,
            comment=resource.outcome.comment,
            edges=tuple(edges),
        )


def draw_resources(name: str, resources: Sequence[ResourceToDraw]) -> ScopeBox:
    """Return the drawing of a deployment.

    A resource belongs to a workload if its id is that of the workload, or begins with it and a dot.
    Resources that belong to none are not in an inner box.

    Args:
        name: the name of the deployment.
        resources: all of them, each `TYPE.CLASS#ID` once; their edges form no cycle.
    """
    top = ScopeBox(kind=RESOURCE_GRAPH, name=name, scope="", status="done")
    boxes = {resource.id: _workload_box(resource.id) for resource in resources if resource.type == _WORKLOAD}
    for number, resource in enumerate(resources):
        box = boxes.get(_owner(resource.id, boxes), top)
        box.nodes.append(
            DrawnResource(
                number=number,
                id=resource.id,
                type=resource.type,
                class_=resource.class_,
                definition=resource.definition,
                driver=resource.driver,
                status=resource.status,
                comment=resource.comment,
            )
        )
    top.inner = [boxes[id_] for id_ in sorted(boxes)]
    top.edges = list(dict.fromkeys(_edges(resources)))
    return top


def _workload_box(id_: str) -> ScopeBox:
    return ScopeBox(kind=_WORKLOAD, name=id_.removeprefix("modules."), scope="", status="done")


def _owner(id_: str, workloads: Mapping[str, ScopeBox]) -> str:
    """Return the longest id of a workload that an id begins with; empty if there is none."""
    owner = id_
    while owner and owner not in workloads:
        owner = owner.rpartition(".")[0]
    return owner


def _edges(resources: Sequence[ResourceToDraw]) -> Iterator[DrawnEdge]:
    numbers = {resource.key: number for number, resource in enumerate(resources)}
    for number, resource in enumerate(resources):
        for to, why in resource.edges:
            if to in numbers:
                yield DrawnEdge(numbers[to], number, why)
