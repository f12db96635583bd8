"""Building graphs: a small reference evaluator agrees, order does not matter, and the work is linear."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.deploy.provisioning.building import CONTEXT, definition, deployment, graph, reading, score
from tests.support.work import calls_made_by

from ensue.core.diagnostics import Severity
from ensue.core.errors import CompileError
from ensue.core.model.chunk import Retry
from ensue.deploy.provisioning.building import build_graph
from ensue.deploy.provisioning.definitions import BESIDE_OTHERS
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.identity import Context, ResourceKey, guresid
from ensue.deploy.provisioning.matching import Catalog
from ensue.deploy.provisioning.workloads import Deployment
from ensue.language.collector import Collector

if TYPE_CHECKING:
    import random

TYPES = ("a", "b", "c", "d", "e")
SCORE = """
apiVersion: score.dev/v1b1
metadata: {name: NAME}
containers: {main: {image: nginx}}
resources: {db: {type: postgres, id: main}, cache: {type: redis}}
"""

Rules = dict[str, dict[str, Any]]


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """Draw what the definition of each type refers to, brings along and selects."""
    drawn: Rules = {}
    for type_ in (*TYPES, "workload"):
        others = st.sampled_from(TYPES)
        flags = st.fixed_dictionaries({"is_dependent": st.booleans(), "match_dependents": st.booleans()})
        drawn[type_] = {
            "refers": draw(st.lists(others, max_size=1, unique=True)),
            "brings": draw(st.dictionaries(others, flags, max_size=2)),
            "selects": draw(st.lists(st.tuples(others, st.sampled_from("<>"), others), max_size=1)),
        }
    return drawn


@given(rules(), st.lists(st.sampled_from(TYPES), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_random_graphs_are_what_the_rules_say(drawn: Rules, asked: list[str], order: random.Random) -> None:
    """The graph is what the rules applied one by one give, whatever the order of files."""
    expected = _by_rule(drawn, asked)
    try:
        built = _built(drawn, asked, None)
    except CompileError as error:
        codes = {diagnostic.code for diagnostic in error.diagnostics if diagnostic.severity is Severity.ERROR}
        built = None
    if built is None:
        assert codes == {"E0821"}
        assert _has_circle(expected)
        return
    assert not _has_circle(expected)
    edges = {(node.key, dependency.to) for node in built.nodes for dependency in node.dependencies}
    assert edges == expected[1]
    assert {node.key for node in built.nodes} == expected[0]
    again = _built(drawn, asked, order)
    assert again.hash == built.hash
    assert [node.key for node in again.nodes] == [node.key for node in built.nodes]
    places = {node.key: place for place, node in enumerate(built.nodes)}
    assert all(places[to] < places[owner] for owner, to in edges)


def _built(drawn: Rules, asked: list[str], order: random.Random | None) -> Any:
    collector = Collector()
    definitions = []
    for type_, rule in drawn.items():
        values = {f"r{refer}": f"${{resources.{refer}.outputs.x}}" for refer in rule["refers"]}
        values |= {
            f"s{n}": f"${{resources.{a}{d}{b}.outputs.x}}" for n, (a, d, b) in enumerate(rule["selects"])
        }
        provision = {key: dict(flags) for key, flags in rule["brings"].items()}
        if order is not None:
            values, provision = _shuffled(values, order), _shuffled(provision, order)
        definitions.append(
            definition(type_, collector, driver_inputs={"values": values}, provision=provision)
        )
    modules: dict[str, Any] = {
        "w1": {"externals": {f"n{n}": {"type": type_} for n, type_ in enumerate(asked)}},
        "w2": {"externals": {"n0": {"type": asked[0]}}},
    }
    if order is not None:
        order.shuffle(definitions)
        modules = _shuffled({name: _shuffled(module, order) for name, module in modules.items()}, order)
    return graph(deployment({"modules": modules}, collector), definitions, collector)


def _shuffled(mapping: dict[str, Any], order: random.Random) -> dict[str, Any]:
    keys = list(mapping)
    order.shuffle(keys)
    return {key: mapping[key] for key in keys}


def _by_rule(drawn: Rules, asked: list[str]) -> tuple[set[ResourceKey], set[tuple[ResourceKey, ResourceKey]]]:
    """Apply every rule to everything until nothing changes: slow, and exactly what the document says."""
    nodes: set[ResourceKey] = set()
    edges: set[tuple[ResourceKey, ResourceKey]] = set()
    for workload, types in (("w1", asked), ("w2", asked[:1])):
        owner = ResourceKey("workload", "default", f"modules.{workload}")
        nodes.add(owner)
        for number, type_ in enumerate(types):
            needed = ResourceKey(type_, "default", f"modules.{workload}.externals.n{number}")
            nodes.add(needed)
            edges.add((owner, needed))
    _close(drawn, nodes, edges)
    selected: set[tuple[ResourceKey, ResourceKey]] = set()
    for owner in nodes:
        for anchor, direction, type_ in drawn[owner.type]["selects"]:
            at = ResourceKey(anchor, owner.class_, owner.id)
            near = (
                {to for dependent, to in edges if dependent == at}
                if direction == ">"
                else {dependent for dependent, to in edges if to == at}
            )
            selected |= {(owner, neighbour) for neighbour in near if neighbour.type == type_}
    edges |= selected
    _close(drawn, nodes, edges)
    return nodes, edges


def _close(drawn: Rules, nodes: set[ResourceKey], edges: set[tuple[ResourceKey, ResourceKey]]) -> None:
    before = (-1, -1)
    while before != (len(nodes), len(edges)):
        before = (len(nodes), len(edges))
        for owner in list(nodes):
            rule = drawn[owner.type]
            for type_ in rule["refers"]:
                nodes.add(owner._replace(type=type_))
                edges.add((owner, owner._replace(type=type_)))
            siblings = {owner._replace(type=type_) for type_ in rule["brings"]}
            nodes |= siblings
            for type_, flags in rule["brings"].items():
                brought = owner._replace(type=type_)
                if flags["is_dependent"]:
                    edges.add((brought, owner))
                if flags["match_dependents"]:
                    edges |= {
                        (dependent, brought)
                        for dependent, to in list(edges)
                        if to == owner and dependent not in siblings
                    }


def _has_circle(expected: tuple[set[ResourceKey], set[tuple[ResourceKey, ResourceKey]]]) -> bool:
    nodes, edges = set(expected[0]), set(expected[1])
    while free := {node for node in nodes if not any(owner == node for owner, _ in edges)}:
        nodes -= free
        edges = {(owner, to) for owner, to in edges if to not in free}
    return bool(nodes)


@given(st.permutations(["a", "b", "c"]))
def test_the_order_of_files_does_not_matter(names: list[str]) -> None:
    """Score files in any order give the same graph, order and hash."""

    def built(names: list[str]) -> Any:
        collector = Collector()
        parts = [score(SCORE.replace("NAME", name), collector, f"{name}.yaml") for name in names]
        definitions = [definition(type_, collector) for type_ in ("workload", "postgres", "redis")]
        asked = Deployment(workloads=tuple(workload for part in parts for workload in part.workloads))
        return graph(asked, definitions, collector)

    here, there = built(names), built(sorted(names))
    assert here.hash == there.hash
    assert [node.key for node in here.nodes] == [node.key for node in there.nodes]


def test_two_workloads_of_one_name_are_refused() -> None:
    """The error is at each workload after the first, in the order of their files, and points to the first."""
    collector = Collector()
    parts = [score(SCORE.replace("NAME", "web"), collector, path) for path in ("c.yaml", "a.yaml", "b.yaml")]
    definitions = [definition(type_, collector) for type_ in ("workload", "postgres", "redis")]
    with pytest.raises(CompileError) as refused:
        graph(
            Deployment(workloads=tuple(workload for part in parts for workload in part.workloads)),
            definitions,
            collector,
        )
    places = [
        (
            diagnostic.code,
            diagnostic.span and diagnostic.span.path,
            [span.path for span, _ in diagnostic.related],
        )
        for diagnostic in refused.value.diagnostics
    ]
    assert places == [("E0815", "b.yaml", ["a.yaml"]), ("E0815", "c.yaml", ["a.yaml"])]


@pytest.mark.parametrize("change", ["env", "params", "inputs", "definition"])
def test_the_hash_tells_graphs_apart(change: str) -> None:
    """The hash changes with everything that changes a resource."""

    def hashed(change: str) -> str:
        collector = Collector()
        inputs = {"values": {"x": "2" if change == "inputs" else "1"}}
        shared = {"a": {"type": "a", "params": {"size": 2 if change == "params" else 1}}}
        asked = deployment({"modules": {}, "shared": shared}, collector)
        catalog = Catalog(
            [definition("a", collector, driver_inputs=inputs, driver_type=f"d{change == 'definition'}")],
            collector,
        )
        context = Context(app="shop", env="prod" if change == "env" else "dev", env_type="development")
        return build_graph(asked, catalog, context, collector).hash

    assert hashed(change) != hashed("")
    assert hashed(change) == hashed(change)


def test_a_guresid_is_of_one_resource_in_one_environment() -> None:
    """A guresid is stable, and another type, class, id, app or environment has another one."""
    key = ResourceKey("postgres", "default", "shared.db")
    others = [
        (CONTEXT, key._replace(type="mysql")),
        (CONTEXT, key._replace(class_="large")),
        (CONTEXT, key._replace(id="shared.other")),
        (Context(app="other", env="dev", env_type="development"), key),
        (Context(app="shop", env="prod", env_type="development"), key),
    ]
    assert guresid(CONTEXT, key) == "45559bf196d27cdff5171ca659477891"
    assert (
        len({guresid(context, resource) for context, resource in [(CONTEXT, key), *others]})
        == len(others) + 1
    )


def test_building_is_linear() -> None:
    """Four times as many workloads take about four times as much work, never the square of it."""
    small, large = (calls_made_by(partial(_build, workloads)) for workloads in (50, 200))
    assert large < 4.4 * small


def _build(workloads: int) -> None:
    collector = Collector()
    definitions = [
        definition("workload", collector, driver_inputs=reading("account")),
        definition(
            "account", collector, driver_inputs={"values": {"x": "${resources.workload>policy.outputs.arn}"}}
        ),
        definition(
            "db",
            collector,
            provision={"policy": {"match_dependents": True}},
            driver_inputs=reading("base-env"),
        ),
        definition("policy", collector, driver_inputs=reading("db")),
        definition("base-env", collector),
    ]
    module = {"externals": {f"db{number}": {"type": "db"} for number in range(5)}}
    asked = deployment({"modules": {f"w{n}": module for n in range(workloads)}}, collector)
    built = graph(asked, definitions, collector)
    assert len(list(GraphValues(built).nodes())) == 1 + 12 * workloads


def test_a_resource_that_reads_its_own_id_does_not_depend_on_itself() -> None:
    """Its GUResID is known before it is provisioned."""
    collector = Collector()
    inputs = {"values": {"it": "${resources.db.guresid}"}}
    definitions = [definition("workload", collector), definition("db", collector, driver_inputs=inputs)]
    asked = deployment({"modules": {"web": {"externals": {"db": {"type": "db"}}}}}, collector)
    (db,) = [node for node in graph(asked, definitions, collector).nodes if node.key.type == "db"]
    assert db.dependencies == ()


def test_the_image_of_a_container_is_a_text() -> None:
    """A list is an error at its place."""
    collector = Collector()
    score(SCORE.replace("image: nginx", "image: [nginx]"), collector)
    assert [(error.code, error.summary) for error in collector.errors] == [
        ("E0814", "'image' of the container 'main' is a list, not a text")
    ]


def test_files_of_a_container_that_are_neither_a_mapping_nor_a_list_are_passed_on() -> None:
    """Drivers get them as they are written."""
    collector = Collector()
    (workload,) = score(SCORE.replace("image: nginx", "image: nginx, files: a"), collector).workloads
    assert workload.module.data["spec"]["containers"]["main"]["files"] == "a"


def test_a_definition_says_how_the_states_of_its_resources_run() -> None:
    """`retry` and `timeout` become options of each state; without `attempts` the usual number counts."""
    read = definition("db", Collector(), timeout=60, retry={"interval": 2})
    assert read.options == replace(
        BESIDE_OTHERS, retry=Retry(attempts=Retry().attempts, interval_s=2.0), timeout_s=60.0
    )
    assert definition("db", Collector(), retry={"attempts": 3}).options.retry == Retry(
        attempts=3, interval_s=5.0
    )
