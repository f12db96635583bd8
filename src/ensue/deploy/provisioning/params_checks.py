"""Check the params of resources against the schemas of their definitions.

What is known is checked while the graph is built, and what becomes known later before a driver is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import DriverError
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.provisioning.early_values import early_values
from ensue.deploy.provisioning.evaluation import evaluate
from ensue.deploy.provisioning.params_schemas import judged
from ensue.deploy.provisioning.sensitive import Parted, parted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.diagnostics import Diagnostic
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.growth import GraphResource
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.params_schemas import ParamsSchema
    from ensue.language.collector import Collector


def late_misfits(evaluated: EvaluatedNode) -> list[Diagnostic]:
    """Return what does not satisfy the schema of a resource's params, as far as they have become known.

    Args:
        evaluated: the resource with its inputs; of params that were known from the start nothing is returned.
    """
    node = evaluated.node
    if node.params_schema is None:
        return []
    place = node.places[0] if node.params is None else node.params.place
    params = Parted(evaluated.params, evaluated.secret_params, {})
    return judged(node.key, params, node.params_schema, place)


def refuse_late_misfits(evaluated: EvaluatedNode) -> None:
    """Refuse a resource whose params have become known and do not satisfy their schema.

    Raises:
        DriverError: they do not.
    """
    if misfits := late_misfits(evaluated):
        words = (f"{diagnostic.span}: {diagnostic.summary}: {diagnostic.detail}" for diagnostic in misfits)
        raise DriverError("; ".join(words))


def refuse_misfits(
    resources: Iterable[GraphResource], context: Context, collector: Collector
) -> dict[ResourceKey, ParamsSchema]:
    """Report params that do not satisfy the schema of their definition.

    Args:
        resources: the resources of the graph.
        context: its environment.
        collector: receives the errors.

    Returns:
        The schemas of resources with params of which parts are not known yet; they are checked again then.
    """
    waiting: dict[ResourceKey, ParamsSchema] = {}
    for resource in resources:
        schema = None if resource.definition is None else resource.definition.params_schema
        if schema is None:
            continue
        written = resource.params
        data = None if written is None else evaluate(written.data, early_values(resource.key, context))
        params = parted(data)
        place = resource.place if written is None else written.place
        remedy = resource.about_its_id if place == resource.place else ""
        collector.add(judged(resource.key, params, schema, place, remedy))
        if unknowns_in(params.data):
            waiting[resource.key] = schema
    return waiting
