"""The resource graph of a project's deployments, built and planned; and queries of definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import ConfigurationError
from ensue.core.masking import literal_part
from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.environments.built_graph import GraphSource
from ensue.deploy.environments.deployment_checks import resources_meant
from ensue.deploy.environments.deployment_files import load_files, read_definitions, read_deployment
from ensue.deploy.provisioning.built_in import with_built_in
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.images import ANY_WORKLOAD, with_images
from ensue.deploy.provisioning.impact import Impact, impacts
from ensue.deploy.provisioning.matching import Catalog, DefinitionCandidate
from ensue.deploy.provisioning.offers import offers
from ensue.deploy.provisioning.params_checks import late_misfits
from ensue.deploy.provisioning.short_names import full_name
from ensue.language.collector import Collector, near_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ensue.core.masking import Masker
    from ensue.deploy.drivers.loading import Drivers
    from ensue.deploy.environments.built_graph import BuiltGraph
    from ensue.deploy.environments.deployment_files import LoadedDocument
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.definitions import Definition
    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.impact import SourceChange
    from ensue.deploy.provisioning.nodes import ResourceGraph
    from ensue.deploy.provisioning.offers import Offer
    from ensue.deploy.provisioning.workloads import Deployment
    from ensue.language.settings.settings import Settings


class PlannedGraph(msgspec.Struct, frozen=True, kw_only=True):
    """A resource graph before anything is provisioned.

    Args:
        graph: the graph.
        nodes: its nodes, in order, with all that is known about their inputs.
        missing_drivers: the drivers of its nodes that are not installed.
        warnings: warnings about the inputs.
    """

    graph: ResourceGraph
    nodes: tuple[EvaluatedNode, ...]
    missing_drivers: frozenset[str]
    warnings: tuple[Diagnostic, ...]


class DeploymentReader:
    """Reads a project's definitions and the files to deploy.

    Args:
        settings: the project's options.
        masker: receives the secrets of definitions.
        drivers: all drivers.
        definitions: where definitions are, instead of the option `definitions`; None: as the option says.
    """

    def __init__(
        self, settings: Settings, masker: Masker, drivers: Drivers, definitions: Path | None = None
    ) -> None:
        self._drivers = drivers
        self._root = settings.root
        self._masker = masker
        given = settings.option("definitions")
        listed: Sequence[Any] = given if is_list(given) else [given or "definitions"]
        self._folders = (
            [self._root / str(entry) for entry in listed] if definitions is None else [definitions]
        )
        self._must_exist = given is not None or definitions is not None

    def files_graph(
        self,
        files: Sequence[Path],
        context: Context,
        collector: Collector,
        images: Mapping[str, str] | None = None,
    ) -> BuiltGraph:
        """Return the resource graph of some files, without what only a deployment makes known.

        Args:
            files: Score files and deployment sets.
            context: where they are deployed.
            collector: receives warnings, and all errors if this raises.
            images: workload to the image of its containers that have none yet; `*`: of all others.

        Raises:
            CompileError: something is wrong with the files, the definitions or the graph.
        """
        return self.built(self.loaded(files, collector, images), context, collector, images)

    def planned(
        self, graph: ResourceGraph, collector: Collector, values: Mapping[str, str] | None = None
    ) -> PlannedGraph:
        """Return a resource graph with its nodes evaluated, as far as they are known before a deployment.

        Args:
            graph: the graph.
            collector: has the warnings so far.
            values: values of the environment, for Score's types `environment` and `service`.

        Raises:
            CompileError: params do not satisfy the schema of their definition.
        """
        plan = GraphValues(graph, values)
        nodes = tuple(plan.nodes())
        for evaluated_node in nodes:
            collector.add(late_misfits(evaluated_node))
        collector.stop_on_errors()
        if plan.lacks_org:
            collector.warning(
                "E0823",
                "a definition uses ${context.org.id}, and no organization is given",
                None,
                help="name it with --org",
            )
        return PlannedGraph(
            graph=graph,
            nodes=nodes,
            missing_drivers=frozenset(
                driver for driver in {node.driver for node in graph.nodes} if not self._drivers.has(driver)
            ),
            warnings=tuple(collector.warnings),
        )

    def loaded(
        self, files: Sequence[Path], collector: Collector, images: Mapping[str, str] | None = None
    ) -> list[LoadedDocument]:
        """Return the documents of some files.

        Args:
            files: Score files and deployment sets.
            collector: receives what cannot be read.
            images: workload to the image of its containers that have none yet; `*`: of all others.
        """
        return load_files(files, self._root, collector, images or {})

    def built(
        self,
        documents: Sequence[LoadedDocument],
        context: Context,
        collector: Collector,
        images: Mapping[str, str] | None = None,
    ) -> BuiltGraph:
        """Build the resource graph of some documents.

        Args:
            documents: the documents.
            context: where they are deployed.
            collector: receives warnings, and all errors if this raises.
            images: what the command line says of images. The documents have them already; one for a workload
                that is not deployed is an error.

        Raises:
            CompileError: something is wrong with the documents, the definitions or the graph.
        """
        catalog = self.catalog(collector)
        read = read_deployment(documents, collector, lambda key: catalog.chosen(key, context) is not None)
        self._masker.add_names(_names_in(read, context))
        named = {name: image for name, image in (images or {}).items() if name != ANY_WORKLOAD}
        for document in documents:
            named.update((name, image) for name, image in document.kept.workloads.items() if image)
        deployment = with_images(read, named, collector)
        return GraphSource(deployment, catalog, context).built(collector)

    def catalog(self, collector: Collector) -> Catalog:
        """Return all definitions; what is wrong with them is reported.

        Args:
            collector: receives the errors, and warnings about their files.
        """
        definitions = read_definitions(self._folders, self._root, collector, must_exist=self._must_exist)
        self._masker.add_names(name for definition in definitions for name in _names_of(definition))
        for definition in definitions:
            for written in (definition.inputs.secrets, definition.inputs.secret_refs):
                self._masker.add(*_secrets(written.data))
        return Catalog(with_built_in(definitions), collector)

    def definitions(self) -> tuple[list[Definition], list[Diagnostic]]:
        """Return all definitions, sorted by type and id, and warnings about their files.

        Raises:
            CompileError: something is wrong with them.
        """
        collector = Collector()
        catalog = self.catalog(collector)
        collector.stop_on_errors()
        return sorted(
            catalog.definitions.values(), key=lambda definition: (definition.type, definition.id)
        ), collector.warnings

    def candidates(
        self, type_: str, class_: str, values: Mapping[str, str | None]
    ) -> list[DefinitionCandidate]:
        """Rank the definitions for a resource, the chosen one first.

        Args:
            type_: the resource's type.
            class_: its class.
            values: the resource's values by criterion field; None: not known.

        Raises:
            CompileError: something is wrong with the definitions.
        """
        collector = Collector()
        catalog = self.catalog(collector)
        collector.stop_on_errors()
        return catalog.candidates(type_, class_, values)

    def offers(
        self, active: Iterable[ActiveResource], fields: Mapping[str, str], type_: str
    ) -> tuple[list[Offer], list[Diagnostic]]:
        """Return the types and classes of resources that definitions offer, and warnings about files.

        Args:
            active: resources of earlier deployments, which say what outputs there are.
            fields: the fields of criteria that are known.
            type_: only this type; empty: all.

        Raises:
            CompileError: something is wrong with the definitions, or none is for the type.
        """
        collector = Collector()
        catalog = self.catalog(collector)
        collector.stop_on_errors()
        offered = offers(catalog, active, fields, type_)
        if type_ and not offered:
            known = sorted({kind for kind, _ in catalog.kinds()})
            collector.error(
                "E0828",
                f"no definition offers the type {type_!r} here",
                None,
                help=near_names(type_, known) or "`ensue show types` lists those that there are",
            )
        collector.stop_on_errors()
        return offered, collector.warnings

    def impacts(
        self,
        active: Iterable[tuple[Context, ActiveResource]],
        definition: str | None,
        sources: Mapping[tuple[Context, ResourceKey], SourceChange],
    ) -> tuple[list[Impact], list[Diagnostic]]:
        """Return the active resources that a deployment would change as of now, and warnings about files.

        Args:
            active: the resources to check.
            definition: only resources that this definition is or was for; None: all.
            sources: the resources whose sources have changed.

        Raises:
            CompileError: something is wrong with the definitions.
        """
        collector = Collector()
        catalog = self.catalog(collector)
        known = list(active)
        names = {*catalog.definitions, *(record.definition for _, record in known)}
        if definition is not None and definition not in names:
            collector.error(
                "E0828", f"there is no definition {definition!r}", None, help=near_names(definition, names)
            )
        collector.stop_on_errors()
        return impacts(known, catalog, self._is_same_driver, definition, sources), collector.warnings

    def _is_same_driver(self, first: str, other: str) -> bool:
        """Return whether two names mean one driver; those of drivers that are not installed are compared."""
        has = self._drivers.has
        return first == other or (
            has(first) and has(other) and self._drivers.find(first).name == self._drivers.find(other).name
        )


def kept_resources(kept: Iterable[ResourceKey], names: Iterable[str]) -> list[ResourceKey]:
    """Return the active resources that are named.

    Args:
        kept: the active resources of an environment.
        names: `TYPE.CLASS#ID` each; `TYPE#ID` if one class has the id.

    Raises:
        ConfigurationError: the environment does not have some of them.
    """
    by_name = {str(key): key for key in kept}
    names = [full_name(name, by_name.values()) for name in names]
    missing = [name for name in names if name not in by_name]
    if missing:
        raise ConfigurationError(
            Diagnostic(
                code="E0841",
                summary=f"this environment has no record of {name!r}",
                help=resources_meant(name, sorted(by_name)) or "`ensue show active` lists the records",
            )
            for name in missing
        )
    return [by_name[name] for name in names]


def _names_in(deployment: Deployment, context: Context) -> Iterator[str]:
    """Yield the names that the files of a deployment give."""
    yield from (context.org, context.app, context.env, context.env_type)
    for request in deployment.shared:
        yield from request.key
    for workload in deployment.workloads:
        yield from workload.key
        yield from (word for request in workload.requests for word in request.key)


def _names_of(definition: Definition) -> Iterator[str]:
    """Yield the names in a definition."""
    yield from (definition.id, definition.type, definition.driver)
    for criterion in definition.criteria:
        yield criterion.class_
        yield from criterion.fields.values()
    for provision in definition.provisions:
        yield from filter(None, provision.target)
    for written in definition.written:
        yield from _keys(written.data)


def _keys(data: Any) -> Iterator[str]:
    if is_mapping(data):
        yield from map(str, data)
    if is_mapping(data) or is_list(data):
        for value in data.values() if is_mapping(data) else data:
            yield from _keys(value)


def _secrets(data: Any) -> Iterator[str]:
    """Yield the secrets that are written in the clear; a placeholder, or a reference to a store, is none.

    Values that a template makes from placeholders are not known here.
    """
    if isinstance(data, str):
        if literal_part(data):
            yield data
    elif is_mapping(data):
        for value in data.values() if "store" not in data else ():
            yield from _secrets(value)
    elif is_list(data):
        for value in data:
            yield from _secrets(value)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield str(data)
