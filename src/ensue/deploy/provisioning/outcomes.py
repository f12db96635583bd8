"""The outcomes of a deployment's resources, including those that were never reached."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.core.contracts.deployment import Deployed
from ensue.deploy.provisioning.active import users_of
from ensue.deploy.provisioning.identity import WORKLOAD, guresid
from ensue.deploy.provisioning.sensitive import colon_paths
from ensue.deploy.provisioning.surroundings import ProvisioningOutcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ensue.core.model.data import DataMap
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.graph_values import GraphValues
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, GrowthPoint, ListName, ResourceGraph
    from ensue.deploy.provisioning.sensitive import Path

_CHANGED = ("created", "updated", "replaced", "destroyed", "retained", "forgotten", "planned")
UNUSABLE: Final = frozenset({"failed", "skipped"})
"""The statuses of resources that nothing can depend on."""
_ORPHANED = ProvisioningOutcome("orphaned", "no resource of the deployment needs it any more")


class NodeOutcome(NamedTuple):
    """The outcome of one resource.

    Args:
        key: the resource.
        guresid: its globally unique id.
        node: its node; None: it is not in the graph.
        evaluated: the node with the known inputs; None if it was not reached.
        kept: its record, of this deployment or of an earlier one; None: there is none.
        outcome: its outcome.
    """

    key: ResourceKey
    guresid: str
    node: GraphNode | None
    evaluated: EvaluatedNode | None
    kept: ActiveResource | None
    outcome: ProvisioningOutcome


class UnknownLists(NamedTuple):
    """The lists of a deployment whose resources have not joined the graph.

    Args:
        points: the lists.
        faults: why some of them name no resources.
        is_plan: whether the others were not known because nothing is provisioned in a plan.
    """

    points: Sequence[GrowthPoint] = ()
    faults: Mapping[ListName, str] = MappingProxyType({})
    is_plan: bool = False

    def of_owners(
        self, known: Mapping[ResourceKey, ProvisioningOutcome]
    ) -> dict[ResourceKey, ProvisioningOutcome]:
        """Return the outcomes of resources; one whose list names no resources has failed."""
        outcomes = dict(known)
        for name, fault in self.faults.items():
            outcomes[name.owner] = outcomes.get(name.owner, ProvisioningOutcome("failed"))._replace(
                status="failed", comment=fault
            )
        return outcomes

    def needed(self) -> dict[ResourceKey, list[ResourceKey]]:
        """Return, by resource, those whose lists it waits for, or which have such a list."""
        needed: dict[ResourceKey, list[ResourceKey]] = {}
        for point in self.points:
            sources = [point.name.owner] if point.name in self.faults else point.sources
            for key in point.waiting:
                needed.setdefault(key, []).extend(sources)
        return needed

    def rows(self, known: Mapping[ResourceKey, ProvisioningOutcome]) -> Iterator[NodeOutcome]:
        """Yield the outcome of each list itself; several lists may be for resources of the same ids."""
        points = {point.head: point for point in self.points if point.name not in self.faults}
        for point in points.values():
            sources = ", ".join(map(str, point.sources))
            if self.is_plan:
                may_get = f" ({' or '.join(point.definitions)})" if point.definitions else ""
                outcome = ProvisioningOutcome(
                    "planned", f"one for each item of a list, known after {sources}{may_get}"
                )
            else:
                outcome = _skipped(point.sources, known)
            yield NodeOutcome(point.head, "", None, None, None, outcome)

    def of_types(self) -> dict[str, ProvisioningOutcome]:
        """Return, by type, the outcome of resources that are not in the graph, but may join it for a list."""
        outcomes: dict[str, ProvisioningOutcome] = {}
        for point in reversed(self.points):
            if self.is_plan:
                sources = ", ".join(map(str, point.sources))
                outcome = ProvisioningOutcome("planned", f"whether it is needed is known after {sources}")
            else:
                comment = f"whether it is needed is not known: the list for {point.name} is not known"
                outcome = ProvisioningOutcome("skipped", comment)
            outcomes.update(dict.fromkeys(point.types, outcome))
        return outcomes


_ALL_KNOWN: Final = UnknownLists()


def node_outcomes(
    graph: ResourceGraph | None,
    context: Context,
    values: GraphValues | None,
    kept: Mapping[ResourceKey, ActiveResource],
    outcomes: Mapping[ResourceKey, ProvisioningOutcome],
    *,
    removed: Collection[ResourceKey] = (),
    lists: UnknownLists = _ALL_KNOWN,
) -> Iterator[NodeOutcome]:
    """Yield the outcome of every resource: those of the graph in the order of provisioning, then the others.

    Args:
        graph: the graph; None: the environment was destroyed.
        context: the environment.
        values: has the known inputs.
        kept: the current records.
        outcomes: the outcomes of the resources that were reached.
        removed: the resources that were to be removed.
        lists: the lists whose resources have not joined the graph.
    """
    known = lists.of_owners(outcomes)
    nodes = graph.nodes if graph is not None else ()
    needed = lists.needed()
    for node in nodes:
        if node.key not in known:
            known[node.key] = _skipped([*node.depends_on, *needed.get(node.key, ())], known)
        evaluated = values.evaluated_before(node.key) if values is not None else None
        record = kept.get(node.key)
        yield NodeOutcome(
            node.key, node.guresid, node, evaluated, record, _with_rest(known[node.key], record)
        )
    own = {node.key for node in nodes}
    yield from lists.rows(known)
    others = [key for key in outcomes if key not in own]
    left = sorted(kept.keys() - own - set(others))
    users = users_of(kept) if removed else {}
    of_types = lists.of_types()
    for key in [*others, *left]:
        outcome = known.get(key) or of_types.get(key.type)
        outcome = outcome or (_left(users.get(key, ())) if key in removed else _ORPHANED)
        record = kept.get(key) or outcome.old
        yield NodeOutcome(key, guresid(context, key), None, None, record, outcome)


def summed_up(all_: Iterable[NodeOutcome], rendered: tuple[str, ...] = ()) -> Deployed:
    """Return the result of a deployment in the form that the state `graph.deployed` returns.

    Args:
        all_: the outcome of every resource.
        rendered: the changed files of rendered workloads.
    """
    statuses: Counter[str] = Counter()
    changes: DataMap = {}
    failures: list[str] = []
    orphans: list[str] = []
    by_key: dict[ResourceKey, NodeOutcome] = {}
    for resource in all_:
        status = resource.outcome.status
        statuses[status] += 1
        by_key[resource.key] = resource
        if status in _CHANGED:
            changes.setdefault(resource.outcome.change, []).append(str(resource.key))  # type: ignore[union-attr] # a list
        elif status == "failed":
            failures.append(f"{resource.key}: {resource.outcome.comment}")
        elif status == "orphaned":
            orphans.append(str(resource.key))
    if rendered:
        changes["rendered"] = list(rendered)
    workloads, shared, secret = _outputs(by_key)
    return Deployed(
        statuses=statuses,
        changes=changes,
        workloads=workloads,
        shared=shared,
        sensitive=colon_paths(secret),
        failures=tuple(failures),
        orphans=tuple(orphans),
        rendered=rendered,
    )


def _with_rest(outcome: ProvisioningOutcome, record: ActiveResource | None) -> ProvisioningOutcome:
    """Return an outcome that also says what was made for the resource before and is still there."""
    if record is None or not record.beside or outcome.status in {"planned", "failed", "skipped"}:
        return outcome
    drivers = ", ".join(part.driver for part in record.beside)
    rest = f"what the driver {drivers} made stays until all that depends on the resource is there"
    return outcome._replace(comment=f"{outcome.comment}; {rest}" if outcome.comment else rest)


def _left(users: Iterable[ResourceKey]) -> ProvisioningOutcome:
    """Return the outcome of a resource that was to be removed but was not reached."""
    if not users:
        return ProvisioningOutcome("skipped", "the run was stopped before it")
    return ProvisioningOutcome("skipped", f"{', '.join(map(str, users))} still uses it")


def _skipped(
    depends_on: Iterable[ResourceKey], known: Mapping[ResourceKey, ProvisioningOutcome]
) -> ProvisioningOutcome:
    """Return the outcome of a resource that was not reached, with the failure that caused this."""
    failed = {
        key: provisioning_outcome.status
        for key in depends_on
        if (provisioning_outcome := known.get(key)) and provisioning_outcome.status in UNUSABLE
    }
    if not failed:
        return ProvisioningOutcome("skipped", "the run was stopped before it")
    return ProvisioningOutcome("skipped", ", ".join(f"{key} {status}" for key, status in failed.items()))


def _outputs(by_key: Mapping[ResourceKey, NodeOutcome]) -> tuple[DataMap, DataMap, list[Path]]:
    """Return the outputs by workload, the outputs of shared resources, and the paths of secrets in both."""
    workloads: DataMap = {}
    shared: DataMap = {}
    secret: list[Path] = []
    for key in _named(by_key):
        outputs = by_key[key].outcome.outputs
        place = _place(key)
        if outputs is None or place is None:
            continue
        if place[0] == "shared":
            shared[place[1]] = outputs.data
        else:
            own: Any = workloads.setdefault(place[0], {})
            for part in place[1:-1]:
                own = own.setdefault(part, {})
            own[place[-1]] = outputs.data
        secret += [(*place, *below) for below in outputs.secret_paths]
    return workloads, shared, secret


def _named(by_key: Mapping[ResourceKey, NodeOutcome]) -> Iterator[ResourceKey]:
    """Yield workloads, what they declare, and shared resources.

    A co-provisioned resource may have the id of its owner; among shared ones that no workload declares, the
    first in the order of provisioning is the one that the file requests.
    """
    declared: dict[ResourceKey, None] = {}
    first_shared: dict[str, ResourceKey] = {}
    for key, resource in by_key.items():
        if resource.node is None:
            continue
        if key.type == WORKLOAD:
            declared[key] = None
            declared.update((to, None) for to, why in resource.node.dependencies if why == "workload")
        elif key.id.startswith("shared."):
            first_shared.setdefault(key.id, key)
    yield from declared
    named = {key.id for key in declared}
    yield from (key for id_, key in first_shared.items() if id_ not in named)


def _place(key: ResourceKey) -> tuple[str, ...] | None:
    """Return the place of a resource's outputs; None for a resource that no file names."""
    parts = key.id.split(".")
    if key.type == WORKLOAD and parts[0] == "modules":
        return (".".join(parts[1:]), "outputs")
    if parts[0] == "shared":
        return ("shared", ".".join(parts[1:]))
    if parts[0] == "modules" and "externals" in parts[2:]:
        at = parts.index("externals", 2)
        return (".".join(parts[1:at]), "resources", ".".join(parts[at + 1 :]))
    return None
