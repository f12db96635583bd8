"""Files of any content: every reader notes what is wrong, with a place, and never fails."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.deploy.provisioning.building import ALONE, CONTEXT, definition

from ensue.core.errors import CompileError
from ensue.deploy.provisioning.building import build_graph
from ensue.deploy.provisioning.definition_files import read_definition
from ensue.deploy.provisioning.deployment_sets import read_deployment_set
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.matching import Catalog
from ensue.deploy.provisioning.score_files import read_score
from ensue.deploy.provisioning.workloads import Deployment
from ensue.language.collector import Collector
from ensue.language.yaml import YamlDocument

WORDS = """
apiVersion kind metadata entity object id name type driver_type driver_inputs values secrets secret_refs
provision criteria class app_id params is_dependent containers resources service ports modules shared
externals spec web a.b#c
"""
KEYS = st.sampled_from(WORDS.split())
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from(
        [
            "Definition", "score.dev/v1b1", "web", "", "${resources.web.outputs.x}", "${externals.web.x}",
            "${shared.web}", "${context.res.id}", "${metadata.name}", "${resources.web>a.outputs.x}", "${x",
        ]
    ),
    st.text(max_size=5),
)  # fmt: skip
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=25,
)
MAPPINGS = st.dictionaries(KEYS, ANYTHING, max_size=8)


def _document(data: Any) -> YamlDocument:
    return YamlDocument("file.json", json.dumps(data))


def _check(collector: Collector) -> None:
    for fault in (*collector.errors, *collector.warnings):
        assert fault.summary
        assert fault.span is not None
        assert fault.span.path == "file.json"


@given(st.one_of(ANYTHING, MAPPINGS, MAPPINGS.map(lambda entity: {"kind": "Definition", "entity": entity})))
def test_any_definition(data: Any) -> None:
    """A definition is read, or its errors are collected."""
    collector = Collector()
    read = read_definition(data, _document(data), collector)
    _check(collector)
    assert read is None or not collector.errors


@given(MAPPINGS)
def test_any_score_file(data: dict[str, Any]) -> None:
    """A Score file gives a workload or errors, and its graph has nodes or errors."""
    collector = Collector()
    workload = read_score(data, _document(data), collector, ALONE)
    _check(collector)
    assert workload is not None or collector.errors
    _build(Deployment(workloads=() if workload is None else (workload,)), collector)


@given(MAPPINGS.map(lambda modules: {"modules": {"w": {"externals": modules}}, "shared": modules}) | MAPPINGS)
def test_any_deployment_set(data: dict[str, Any]) -> None:
    """A deployment set gives workloads or errors, and its graph has nodes or errors."""
    collector = Collector()
    asked = read_deployment_set(data, _document(data), collector)
    _check(collector)
    _build(asked, collector)


def _build(asked: Deployment, collector: Collector) -> None:
    definitions = [definition(type_, collector) for type_ in ("workload", "web")]
    try:
        graph = build_graph(asked, Catalog(definitions, collector), CONTEXT, collector)
    except CompileError as error:
        codes = {diagnostic.code for diagnostic in error.diagnostics}
        assert all(code.startswith("E08") for code in codes)
        return
    assert len(list(GraphValues(graph).nodes())) == len(graph.nodes)
