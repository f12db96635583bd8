"""The resource graph of a project's deployments: built and planned, with definitions to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.app.deployment_files import read_definitions, read_deployment
from ensue.language.collector import Collector
from ensue.model.data import is_list, is_mapping
from ensue.provisioning.building import build_graph
from ensue.provisioning.matching import Candidate, Catalog
from ensue.provisioning.planned import Plan, PlannedNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ensue.app.settings import Settings
    from ensue.diagnostics import Diagnostic
    from ensue.masking import Masker
    from ensue.provisioning.definitions import Definition
    from ensue.provisioning.identity import Context
    from ensue.provisioning.nodes import ResourceGraph


class PlannedGraph(msgspec.Struct, frozen=True, kw_only=True):
    """A resource graph before anything is provisioned.

    Args:
        graph: the graph.
        nodes: its nodes, in order, with all that is known of their inputs.
        missing_drivers: the drivers of its nodes that are not installed.
        warnings: remarks on the inputs.
    """

    graph: ResourceGraph
    nodes: tuple[PlannedNode, ...]
    missing_drivers: frozenset[str]
    warnings: tuple[Diagnostic, ...]


class Deployments:
    """Reads a project's definitions and what is to be deployed.

    Args:
        settings: the project's options.
        masker: gets the secrets of definitions.
        definitions: where definitions are, in place of the option `definitions`; None: as the option says.
    """

    def __init__(self, settings: Settings, masker: Masker, definitions: Path | None = None) -> None:
        self._root = settings.root
        self._masker = masker
        given = settings.option("definitions")
        listed: Sequence[Any] = given if is_list(given) else [given or "definitions"]
        self._folders = [self._root / str(one) for one in listed] if definitions is None else [definitions]
        self._must_exist = given is not None or definitions is not None

    def planned(self, files: Sequence[Path], context: Context) -> PlannedGraph:
        """Return the resource graph of some files.

        Args:
            files: Score files and deployment sets.
            context: where they are deployed.

        Raises:
            CompileError: something is wrong with the files, the definitions or the graph.
        """
        found = Collector()
        catalog = self._catalog(found)
        deployment = read_deployment(files, self._root, found)
        graph = build_graph(deployment, catalog, context, found)
        plan = Plan(graph)
        nodes = tuple(plan.nodes())
        if plan.lacks_org:
            found.warning(
                "E0823",
                "a definition asks for ${context.org.id}, and no organization is given",
                None,
                help="name it with --org",
            )
        return PlannedGraph(
            graph=graph,
            nodes=nodes,
            missing_drivers=missing_drivers({node.driver for node in graph.nodes}),
            warnings=tuple(found.warnings),
        )

    def definitions(self) -> tuple[list[Definition], list[Diagnostic]]:
        """Return all definitions, sorted by type and id, and remarks on their files.

        Raises:
            CompileError: something is wrong with them.
        """
        found = Collector()
        catalog = self._catalog(found)
        found.stop_on_errors()
        return sorted(catalog.definitions.values(), key=lambda one: (one.type, one.id)), found.warnings

    def candidates(self, type_: str, class_: str, values: Mapping[str, str | None]) -> list[Candidate]:
        """Rank the definitions for a resource, the chosen one first.

        Args:
            type_: the resource's type.
            class_: its class.
            values: criterion field to the value that the resource has; None: not known.

        Raises:
            CompileError: something is wrong with the definitions.
        """
        found = Collector()
        catalog = self._catalog(found)
        found.stop_on_errors()
        return catalog.candidates(type_, class_, values)

    def _catalog(self, found: Collector) -> Catalog:
        definitions = read_definitions(self._folders, self._root, found, must_exist=self._must_exist)
        for definition in definitions:
            for written in (definition.inputs.secrets, definition.inputs.secret_refs):
                self._masker.add(*_secrets(written.data))
        return Catalog(definitions, found)


def missing_drivers(names: set[str]) -> frozenset[str]:
    """Return those of some drivers that are not installed; `humanitec/echo` is `echo` as well."""
    from importlib.metadata import entry_points

    installed = entry_points(group="ensue.drivers").names
    return frozenset(
        name for name in names if name not in installed and name.removeprefix("humanitec/") not in installed
    )


def _secrets(data: Any) -> Iterator[str]:
    """Yield the secrets that are written in the clear; where one is kept elsewhere is no secret.

    What a template puts together out of placeholders is not known here.
    """
    if isinstance(data, str):
        yield data
    elif is_mapping(data):
        for value in data.values() if "store" not in data else ():
            yield from _secrets(value)
    elif is_list(data):
        for value in data:
            yield from _secrets(value)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield str(data)
