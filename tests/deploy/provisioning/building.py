"""Definitions and deployments from text, and their graphs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ensue.deploy.provisioning.building import build_graph
from ensue.deploy.provisioning.definition_files import read_definition
from ensue.deploy.provisioning.deployment_sets import read_deployment_set
from ensue.deploy.provisioning.identity import Context
from ensue.deploy.provisioning.matching import Catalog
from ensue.deploy.provisioning.score_files import ScoreServices, read_score
from ensue.deploy.provisioning.workloads import Deployment
from ensue.language.yaml import YamlDocument, load_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.deploy.provisioning.definitions import Definition
    from ensue.deploy.provisioning.nodes import ResourceGraph
    from ensue.language.collector import Collector

CONTEXT = Context(app="shop", env="dev", env_type="development")

ALONE = ScoreServices(is_defined=lambda _: False, read_source=lambda _: None)
"""Of a Score file without definitions and without files beside it."""


def definition(type_: str, collector: Collector, **entity: Any) -> Definition:
    """Return a definition for all resources of a type, of that id."""
    full = {"type": type_, "driver_type": "echo", "criteria": [{}], **entity}
    data = {"kind": "Definition", "metadata": {"id": type_}, "entity": full}
    read = read_definition(data, YamlDocument(f"definitions/{type_}.yaml", ""), collector)
    assert read is not None, collector.errors
    return read


def reading(name: str) -> dict[str, Any]:
    """Return the inputs of a definition that refers to one resource."""
    return {"values": {"it": f"${{resources.{name}.outputs.value}}"}}


def deployment(data: dict[str, Any], collector: Collector) -> Deployment:
    """Return what a deployment set asks for."""
    return read_deployment_set(data, YamlDocument("set.json", json.dumps(data)), collector)


def score(text: str, collector: Collector, path: str = "score.yaml") -> Deployment:
    """Return what a Score file asks for."""
    document = YamlDocument(path, text)
    workload = read_score(load_document(document), document, collector, ALONE)
    return Deployment(workloads=() if workload is None else (workload,))


def graph(asked: Deployment, definitions: Iterable[Definition], collector: Collector) -> ResourceGraph:
    """Return the graph of a deployment."""
    return build_graph(asked, Catalog(definitions, collector), CONTEXT, collector)
