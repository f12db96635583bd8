"""A resource graph with what it was built from, so that it can be built again when lists become known."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ensue.deploy.provisioning.building import build_graph
from ensue.deploy.provisioning.expansion import NO_ITEMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ensue.deploy.provisioning.definitions import Definition
    from ensue.deploy.provisioning.for_each import Item
    from ensue.deploy.provisioning.identity import Context
    from ensue.deploy.provisioning.matching import Catalog
    from ensue.deploy.provisioning.nodes import ListName, ResourceGraph
    from ensue.deploy.provisioning.workloads import Deployment
    from ensue.language.collector import Collector


class GraphSource(NamedTuple):
    """What a resource graph is built from.

    Args:
        deployment: the workloads and shared resources.
        catalog: the definitions.
        context: the environment.
    """

    deployment: Deployment
    catalog: Catalog
    context: Context

    @property
    def digests(self) -> dict[str, str]:
        """The hash of each definition by its id."""
        return {id_: definition.digest for id_, definition in self.catalog.definitions.items()}

    @property
    def destroy_first(self) -> set[str]:
        """The ids of the definitions whose resources are made when what they replace is destroyed."""
        return {id_ for id_, definition in self.catalog.definitions.items() if definition.destroy_first}

    def built(self, collector: Collector, given: Mapping[ListName, Sequence[Item]] = NO_ITEMS) -> BuiltGraph:
        """Build the graph.

        Args:
            collector: receives warnings, and all errors if this raises.
            given: the items of lists that are outputs, as far as they are known.

        Raises:
            CompileError: something is wrong with the inputs or the graph.
        """
        definitions = self.catalog.definitions
        graph = build_graph(self.deployment, self.catalog, self.context, collector, given)
        used = {node.definition for node in graph.nodes}
        return BuiltGraph(
            graph=graph,
            definitions={id_: definitions[id_] for id_ in used},
            env_types=frozenset(_env_types(definitions.values())),
            source=self,
        )


class BuiltGraph(msgspec.Struct, frozen=True, kw_only=True):
    """A resource graph, with the hashes of its definitions.

    Args:
        graph: the graph.
        definitions: the definitions that it uses, by their ids.
        env_types: the types of environments that criteria name.
        source: what it was built from.
    """

    graph: ResourceGraph
    definitions: Mapping[str, Definition]
    env_types: frozenset[str]
    source: GraphSource

    @property
    def digests(self) -> dict[str, str]:
        """The hash of each definition that it uses, by its id."""
        return {id_: definition.digest for id_, definition in self.definitions.items()}


def _env_types(definitions: Iterable[Definition]) -> Iterator[str]:
    for definition in definitions:
        for criterion in definition.criteria:
            if env_type := criterion.fields.get("env_type"):
                yield env_type
