"""A resource graph, as data for programs and as text for people.

Secrets are masked here: no value below `secrets` is ever shown.
"""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ensue.core.masking import MASK
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.secret_values import IDENTITY_KEYS, hide_named
from ensue.core.model.sensitive_paths import hide_paths
from ensue.deploy.provisioning.evaluation import as_written
from ensue.deploy.provisioning.field_changes import changed_fields, may_stay
from ensue.deploy.provisioning.sensitive import colon_paths
from ensue.output.colours import on_one_line
from ensue.output.failures import without_way_out
from ensue.output.field_lines import field_lines
from ensue.output.presentable import presentable
from ensue.output.requesters import Requesters

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ensue.core.masking import Masker
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode, GrowthPoint, ResourceGraph
    from ensue.deploy.provisioning.outcomes import NodeOutcome
    from ensue.deploy.provisioning.sensitive import Path
    from ensue.deploy.provisioning.set_differences import ValueDifference
    from ensue.deploy.provisioning.surroundings import Status
    from ensue.output.colours import Palette


_BAD: Final = frozenset({"failed", "skipped", "orphaned"})
_EXPLAINED: Final = _BAD | {"planned", "replaced", "retained", "forgotten"}
"""Statuses whose comment is shown."""

_CHANGED: Final = frozenset({"created", "updated", "replaced", "destroyed", "retained", "forgotten"})


def graph_data(
    graph: ResourceGraph, nodes: Iterable[EvaluatedNode], missing: Collection[str], masker: Masker
) -> dict[str, Any]:
    """Return a planned graph as data for programs.

    Args:
        graph: the graph.
        nodes: its nodes, in order.
        missing: the drivers that are not installed.
        masker: the secrets.
    """
    context = graph.context
    return {
        "app": context.app,
        "env": context.env,
        "env_type": context.env_type,
        "hash": graph.hash,
        "nodes": [_node_data(node, missing, masker) for node in nodes],
        **({"lists": [_list_data(point) for point in graph.points]} if graph.points else {}),
    }


def deployment_data(
    context: Context, hash_: str, outcomes: Iterable[NodeOutcome], masker: Masker
) -> dict[str, Any]:
    """Return the outcome of a deployment as data for programs.

    Args:
        context: the environment.
        hash_: the hash of the graph; empty if there is none.
        outcomes: the outcome of every resource, in the order of provisioning.
        masker: the secrets.
    """
    return {
        "app": context.app,
        "env": context.env,
        "env_type": context.env_type,
        "hash": hash_,
        "nodes": [_outcome_data(resource, masker) for resource in outcomes],
    }


def _outcome_data(resource: NodeOutcome, masker: Masker) -> dict[str, Any]:
    outcome, outputs = resource.outcome, resource.outcome.outputs
    data = (
        _of_record(resource) if resource.node is None else _of_node(resource.node, resource.evaluated, masker)
    )
    shown: Any = {} if outputs is None else hide_paths(outputs.data, colon_paths(outputs.secret_paths))
    return {
        **data,
        "outputs": presentable(hide_named(as_written(shown), shown=IDENTITY_KEYS), masker),
        "status": outcome.status,
        **({"action": outcome.action} if outcome.action else {}),
        "comment": masker.text(outcome.comment),
        "changes": [
            presentable(changed_field.as_change, masker) for changed_field in changed_fields(resource)
        ],
        **_replaces(outcome.replaces),
        **({"warnings": list(map(masker.text, outcome.warnings))} if outcome.warnings else {}),
        **({"waits_until": masker.text(outcome.waits)} if outcome.waits else {}),
    }


def _replaces(gone: ActiveResource | None) -> dict[str, Any]:
    """Return what a resource replaces; nothing if it replaces nothing."""
    if gone is None:
        return {}
    return {"replaces": {"definition": gone.definition, "driver": gone.driver}}


def _of_record(resource: NodeOutcome) -> dict[str, Any]:
    """Return the record of a resource that is not in the graph."""
    kept = resource.kept
    depends_on = sorted(map(str, kept.depends_on)) if kept else []
    return {
        **_identity(resource.key, resource.guresid),
        "definition": kept.definition if kept else "",
        "driver": kept.driver if kept else "",
        "account": None,
        "params": {},
        "inputs": {"values": {}, "secrets": {}},
        "depends_on": depends_on,
        "edges": [],
    }


def _identity(key: ResourceKey, guresid: str) -> dict[str, Any]:
    return {"type": key.type, "class": key.class_, "id": key.id, "guresid": guresid}


def _of_node(node: GraphNode, evaluated: EvaluatedNode | None, masker: Masker) -> dict[str, Any]:
    def shown(data: Any) -> Any:
        return presentable(hide_named(as_written(data), shown=IDENTITY_KEYS), masker)

    known = evaluated
    return {
        **_identity(node.key, node.guresid),
        "definition": node.definition,
        "driver": node.driver,
        "account": None if known is None else shown(_hidden(known.account, known.secret_account)),
        "params": {}
        if known is None or known.params is None
        else shown(_hidden(known.params, known.secret_params)),
        "inputs": {
            "values": {} if known is None else shown(_hidden(known.values, known.secret_values)),
            "secrets": {} if known is None else masked(known.secrets),
        },
        "depends_on": sorted(str(key) for key in node.depends_on),
        "edges": [{"to": str(dependency.to), "why": dependency.why} for dependency in node.dependencies],
    }


def _hidden(data: Any, paths: Iterable[Path]) -> Any:
    return hide_paths(data, colon_paths(paths))


def deployment_lines(
    context: Context,
    outcomes: Sequence[NodeOutcome],
    masker: Masker,
    palette: Palette,
    *,
    is_plan: bool = False,
    explained: Collection[str] = (),
) -> Iterator[str]:
    """Yield the outcome of a deployment as text: each resource with its status, then the count per status.

    Args:
        context: the environment.
        outcomes: the outcome of every resource, in the order of provisioning.
        masker: the secrets.
        palette: the colours.
        is_plan: whether nothing was changed.
        explained: the resources about which a diagnostic says how to go on.
    """
    counts: Counter[str] = Counter()
    requesters = Requesters(outcomes)
    width = len("to destroy" if is_plan else "unchanged")
    pad = " " * (width + 2)
    for resource in outcomes:
        status = resource.outcome.status
        word = _word(resource)
        counts[word] += 1
        colour = (
            palette.light_red if status in _BAD else palette.green if status in _CHANGED else palette.cyan
        )
        sign = f"-/+ {word}" if word in {"replaced", "to replace"} else word
        yield palette.paint(colour, f"{sign:>{width}}") + f"  {on_one_line(str(resource.key))}"
        fields = list(changed_fields(resource))
        if resource.outcome.comment and (status in _EXPLAINED or _has_no_changed_input(status, fields)):
            comment = masker.text(resource.outcome.comment)
            comment = without_way_out(comment) if str(resource.key) in explained else comment
            yield from (f"{pad}{on_one_line(line)}" for line in comment.splitlines())
        yield from (f"{pad}warning: {on_one_line(masker.text(text))}" for text in resource.outcome.warnings)
        if requester := requesters.line(resource):
            yield f"{pad}{on_one_line(masker.text(requester))}"
        yield from (f"{pad}{line}" for line in field_lines(fields, masker, palette))
    total = ", ".join(f"{count} {status}" for status, count in counts.items())
    where = f"{context.app}/{context.env}" + (f" ({context.env_type})" if context.env_type else "")
    yield ""
    yield on_one_line(f"{where}: {total or 'no resources'}")
    if counts["excluded"]:
        yield "excluded resources are left as they are (--only)"
    if counts["orphaned"]:
        yield "orphaned resources are removed with --prune"
    if is_plan:
        yield from map(on_one_line, _renamed(outcomes))
    if is_plan and any(outcome.outcome.is_compared for outcome in outcomes):
        yield "compared inputs only; --refresh looks at what was made"


def _has_no_changed_input(status: Status, fields: Sequence[ValueDifference]) -> bool:
    """Return whether a resource was updated for something else than its inputs: it or its source differs."""
    return status == "updated" and all(field.path.startswith("/outputs/") for field in fields)


def _renamed(outcomes: Sequence[NodeOutcome]) -> Iterator[str]:
    """Yield a line per resource that a plan creates while the only other one of its type leaves."""
    by_kind: dict[tuple[str, str], dict[str, list[NodeOutcome]]] = {}
    for resource in outcomes:
        kind = by_kind.setdefault((resource.key.type, resource.key.class_), {})
        kind.setdefault(_word(resource), []).append(resource)
    for kind in by_kind.values():
        leaving = [*kind.get("orphaned", ()), *kind.get("to destroy", ()), *kind.get("to forget", ())]
        match leaving, kind.get("to create"):
            case [old], [new]:
                loss = ", and what the former one made is destroyed" if _word(old) == "to destroy" else ""
                yield (
                    f"if {old.key} was renamed to {new.key}: under another name it is another resource, "
                    f"without the data{loss}; keep the name (`ensue doc deploying` has more under Renaming)"
                )
            case _:
                pass


def _word(resource: NodeOutcome) -> str:
    """Return the status of a resource; in a plan what would be done."""
    if may_stay(resource):
        return "may change"
    return f"to {resource.outcome.action}" if resource.outcome.action else resource.outcome.status


def _node_data(planned: EvaluatedNode, missing: Collection[str], masker: Masker) -> dict[str, Any]:
    data = _of_node(planned.node, planned, masker)
    return {**data, "status": "planned", "comment": _comment(planned.node, missing)}


def _list_data(point: GrowthPoint) -> dict[str, Any]:
    """Return a list that is known only after its sources, as data."""
    return {
        "entry": point.name.entry,
        "of": str(point.name.owner),
        "type": point.head.type,
        "class": point.head.class_,
        "known_after": [str(key) for key in point.sources],
        "definitions": list(point.definitions),
        "waiting": sorted(map(str, point.waiting)),
    }


def masked(secrets: Any) -> Any:
    """Return only the keys of secret inputs; the place of a secret in a store is not shown either."""
    if is_mapping(secrets) and not ("store" in secrets and "ref" in secrets):
        return {str(key): masked(value) for key, value in secrets.items()}
    if is_list(secrets):
        return [masked(value) for value in secrets]
    return None if secrets is None else MASK


def _record_lines(key: ResourceKey, records: Mapping[ResourceKey, ActiveResource]) -> Iterator[str]:
    """Yield what the store has of a resource; nothing in an environment without any."""
    if not records:
        return
    record = records.get(key)
    if record is None:
        yield "    planned: nothing is made yet"
    elif record.phase == "active":
        yield (
            "    active" if record.attempted is None else "    active, but the last call of its driver failed"
        )
    else:
        yield f"    failed: {record.phase} has not succeeded"


def graph_lines(
    graph: ResourceGraph,
    missing: Collection[str],
    palette: Palette,
    records: Mapping[ResourceKey, ActiveResource] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield a graph as text: each resource, what defines it, and what it depends on.

    Args:
        graph: the graph.
        missing: the drivers that are not installed.
        palette: the colours.
        records: what earlier deployments have provisioned.
    """
    context = graph.context
    count = len(graph.nodes)
    resources = "1 resource" if count == 1 else f"{count} resources"
    where = on_one_line(f"{context.app}/{context.env} ({context.env_type})")
    yield f"{where}: {resources}, in the order of provisioning"
    for node in graph.nodes:
        absent = palette.paint(palette.light_yellow, " (not installed)") if node.driver in missing else ""
        yield ""
        yield palette.paint(palette.cyan, on_one_line(node.name))
        yield on_one_line(f"    {node.definition}, driver {node.driver}") + absent
        yield from _record_lines(node.key, records)
        yield from (on_one_line(f"    after {line}") for line in _dependencies(node))
    for point in graph.points:
        yield ""
        yield palette.paint(palette.cyan, on_one_line(str(point.head)))
        may_get = " or ".join(point.definitions) or "no definition matches"
        yield on_one_line(f"    one for each item of a list of {point.name.owner}: {may_get}")
        yield from (on_one_line(f"    known after {key}") for key in point.sources)
        yield from (on_one_line(f"    before {key}") for key in sorted(point.waiting))
    yield ""
    yield f"hash {graph.hash}"


def _dependencies(node: GraphNode) -> Sequence[str]:
    whys: dict[str, list[str]] = {}
    for dependency in node.dependencies:
        whys.setdefault(str(dependency.to), []).append(dependency.why)
    return [f"{to} ({', '.join(reasons)})" for to, reasons in whys.items()]


def _comment(node: GraphNode, missing: Collection[str]) -> str:
    return f"the driver {node.driver} is not installed" if node.driver in missing else ""
