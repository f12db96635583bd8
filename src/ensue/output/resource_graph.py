"""A resource graph to look at: as data for a program, and as text.

Secrets are masked here: no leaf below `secrets` is ever shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.masking import MASK
from ensue.model.data import is_list, is_mapping
from ensue.output.colours import on_one_line
from ensue.output.presentable import presentable
from ensue.provisioning.evaluation import as_written

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ensue.masking import Masker
    from ensue.output.colours import Palette
    from ensue.provisioning.nodes import Node, ResourceGraph
    from ensue.provisioning.planned import PlannedNode


def graph_data(
    graph: ResourceGraph, nodes: Iterable[PlannedNode], missing: Collection[str], masker: Masker
) -> dict[str, Any]:
    """Return a planned graph as data for a program.

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
        "nodes": [_node_data(one, missing, masker) for one in nodes],
    }


def _node_data(planned: PlannedNode, missing: Collection[str], masker: Masker) -> dict[str, Any]:
    node = planned.node

    def shown(data: Any) -> Any:
        return presentable(as_written(data), masker)

    return {
        "type": node.key.type,
        "class": node.key.class_,
        "id": node.key.id,
        "guresid": node.guresid,
        "definition": node.definition,
        "driver": node.driver,
        "account": shown(planned.account),
        "params": shown({} if planned.params is None else planned.params),
        "inputs": {"values": shown(planned.values), "secrets": masked(planned.secrets)},
        "depends_on": sorted(str(key) for key in node.depends_on),
        "edges": [{"to": str(one.to), "why": one.why} for one in node.dependencies],
        "status": "planned",
        "comment": _comment(node, missing),
    }


def masked(secrets: Any) -> Any:
    """Return secret inputs with their keys alone; where a secret is kept elsewhere is not shown either."""
    if is_mapping(secrets) and not ("store" in secrets and "ref" in secrets):
        return {str(key): masked(value) for key, value in secrets.items()}
    if is_list(secrets):
        return [masked(value) for value in secrets]
    return None if secrets is None else MASK


def graph_lines(graph: ResourceGraph, missing: Collection[str], palette: Palette) -> Iterator[str]:
    """Yield a graph as text: each resource, what defines it, and what it depends on.

    Args:
        graph: the graph.
        missing: the drivers that are not installed.
        palette: the colours.
    """
    context = graph.context
    count = len(graph.nodes)
    resources = "1 resource" if count == 1 else f"{count} resources"
    where = on_one_line(f"{context.app}/{context.env} ({context.env_type})")
    yield f"{where}: {resources}, in the order of provisioning"
    for node in graph.nodes:
        absent = palette.paint(palette.light_yellow, " (not installed)") if node.driver in missing else ""
        yield ""
        yield palette.paint(palette.cyan, on_one_line(str(node.key)))
        yield on_one_line(f"    {node.definition}, driver {node.driver}") + absent
        yield from (on_one_line(f"    after {line}") for line in _dependencies(node))
    yield ""
    yield f"hash {graph.hash}"


def _dependencies(node: Node) -> Sequence[str]:
    whys: dict[str, list[str]] = {}
    for one in node.dependencies:
        whys.setdefault(str(one.to), []).append(one.why)
    return [f"{to} ({', '.join(reasons)})" for to, reasons in whys.items()]


def _comment(node: Node, missing: Collection[str]) -> str:
    return f"the driver {node.driver} is not installed" if node.driver in missing else ""
