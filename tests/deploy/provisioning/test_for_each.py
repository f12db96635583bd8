"""`for_each`: the items of lists and mappings, and graphs that are the same as with entries written out."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deploy.provisioning.building import CONTEXT, definition, deployment

from ensue.core.contracts.driver import ForeignPart
from ensue.core.errors import CompileError, ExpansionError
from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.building import build_graph
from ensue.deploy.provisioning.evaluated_node import Outputs
from ensue.deploy.provisioning.for_each import MOST_ITEMS, items_of
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.identity import ResourceKey, parse_descriptor
from ensue.deploy.provisioning.matching import Catalog
from ensue.deploy.provisioning.nodes import ListName, ResourceGraph
from ensue.deploy.provisioning.sensitive import Foreign, Sensitive
from ensue.language.collector import Collector

DNS = ResourceKey("dns", "default", "modules.web.externals.dns")
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(), inner, max_size=4),
)
WORDS = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,9}", fullmatch=True)


def built(
    entries: dict[str, Any], collector: Collector, given_: Any = None, values: dict[str, Any] | None = None
) -> ResourceGraph:
    """Return the graph of a workload with a resource whose definition has entries."""
    inputs = {"values": values or {}}
    definitions = [
        definition(
            "workload", collector, driver_inputs={"values": {"all": "${resources.workload>zone.outputs.x}"}}
        ),
        definition("dns", collector, driver_inputs=inputs, provision=entries),
        definition("zone", collector, provision={"record": {"is_dependent": True, "match_dependents": True}}),
        definition("record", collector, driver_inputs={"values": {"id": "${context.res.id}"}}),
    ]
    asked = deployment({"modules": {"web": {"externals": {"dns": {"type": "dns"}}}}}, collector)
    return build_graph(asked, Catalog(definitions, collector), CONTEXT, collector, given_ or {})


def entry(value: Any, **more: Any) -> dict[str, Any]:
    return {"zone#${each.key}": {"for_each": value, "match_dependents": True, **more}}


@given(ANYTHING)
def test_any_value_has_items_that_can_be_ids_or_is_refused(value: Any) -> None:
    """A key is a word of letters, digits, - and _; and each occurs once."""
    try:
        items = items_of(value)
    except ExpansionError:
        return
    assert len(items) == len(value) == len({item.key for item in items})
    for item in items:
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}", item.key)
        assert parse_descriptor(f"zone#{item.key}") == ("zone", None, item.key)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("eu", "a text, neither a list nor a mapping"),
        (None, "null, neither"),
        (["a", "a"], "'a' occurs twice"),
        ([1, "1"], "'1' occurs twice"),
        ({1: "a", "1": "b"}, "'1' occurs twice"),
        (["a.b"], "'a.b' cannot be a part of an id"),
        (["a#b"], "'a#b' cannot"),
        (["${context.app.id}"], "cannot be a part of an id"),
        (["-rf"], "'-rf' cannot"),
        (["../up"], "cannot"),
        ([""], "'' cannot"),
        (["a\n"], "cannot"),
        (["ä"], "cannot"),
        (["x" * 101], "cannot"),
        ([10**5000], "item 1 is a number"),
        ([-1], "'-1' cannot"),
        (["a", True], "item 2 is a truth value"),
        ([1.5], "item 1 is a number, neither a text nor a whole number"),
        ([["a"]], "item 1 is a list"),
        (list(range(MOST_ITEMS + 1)), "it has 1,001 items, at most 1,000 are allowed"),
        ([Sensitive("s3cret")], "its items are secret"),
        (Sensitive(["s3cret"]), "its items are secret"),
        (Sensitive({"a": 1}), "its items are secret"),
        (Foreign([Sensitive("s3cret")], ()), "its items are secret"),
    ],
)
def test_what_is_refused(value: Any, words: str) -> None:
    """The message says why, and never shows a secret."""
    with pytest.raises(ExpansionError) as refused:
        items_of(value)
    assert words in str(refused.value)
    assert "s3cret" not in str(refused.value)


def test_as_many_items_as_are_allowed() -> None:
    """A thousand are."""
    assert len(items_of(list(range(MOST_ITEMS)))) == MOST_ITEMS


@given(st.lists(WORDS, unique=True, max_size=6), st.booleans(), st.booleans())
def test_a_list_is_the_entries_written_out(names: list[str], dependent: bool, matched: bool) -> None:
    """The same resources with the same params and dependencies in the same order, by the same hash."""
    flags = {"is_dependent": dependent, "match_dependents": matched}
    collector = Collector()
    listed = {"zone#${each.key}": {"for_each": names, "params": {"n": "${each.value}"}, **flags}}
    written = {f"zone#{name}": {"params": {"n": name}, **flags} for name in names}
    expanded, other = built(listed, collector), built(written, collector)
    assert expanded.hash == other.hash
    assert [node.key for node in expanded.nodes] == [node.key for node in other.nodes]
    assert [node.dependencies for node in expanded.nodes] == [node.dependencies for node in other.nodes]
    values, others = GraphValues(expanded), GraphValues(other)
    assert [node.params for node in values.nodes()] == [node.params for node in others.nodes()]


@given(st.lists(WORDS, unique=True, max_size=6))
def test_an_output_is_the_same_list_later(names: list[str]) -> None:
    """The graph is the same but for the dependency on its source, which each item has."""
    collector = Collector()
    name = ListName(DNS, "zone#${each.key}")
    before = built(entry("${resources.dns.outputs.zones}"), collector)
    assert [point.name for point in before.points] == [name]
    assert before.points[0].waiting == {ResourceKey("workload", "default", "modules.web")}
    assert before.points[0].types.keys() == {"zone", "record"}
    assert before.nodes[-1].key.type == "workload"
    assert before.nodes[-1].selected == {}
    items = items_of(Foreign(names, (ForeignPart(placeholder="", resource=str(DNS)),)))
    later = built(entry("${resources.dns.outputs.zones}"), collector, {name: items})
    written = built(entry(names), collector)
    assert later.points == ()
    assert {node.key for node in later.nodes} == {node.key for node in written.nodes}
    for node, other in zip(later.nodes, written.nodes, strict=True):
        assert {dependency for dependency in node.dependencies if dependency.why != "for_each"} == set(
            other.dependencies
        )
        assert node.selected == other.selected
        is_item = node.key.type == "zone"
        assert [dependency.to for dependency in node.dependencies if dependency.why == "for_each"] == (
            [DNS] if is_item else []
        )
        assert node.grown_for == (name if node.key.type in {"zone", "record"} else None)


def test_an_id_with_an_output_stays_an_output() -> None:
    """Also where another resource has inherited it: the driver knows that it is not an author's text."""
    collector = Collector()
    name = ListName(DNS, "zone#${each.key}")
    items = items_of(Foreign(["eu"], (ForeignPart(placeholder="", resource=str(DNS)),)))
    graph = built(entry("${resources.dns.outputs.zones}"), collector, {name: items})
    record = next(node for node in GraphValues(graph).nodes() if node.node.key.type == "record")
    assert record.values == {"id": "eu"}
    assert [part.resource for part in record.foreign["values", "id"]] == [str(DNS)]


def test_a_param_with_an_output_stays_an_output() -> None:
    """With its marks: of another resource, and secret."""
    collector = Collector()
    name = ListName(DNS, "zone#${each.key}")
    value = {"eu": {"host": "h", "password": Sensitive("s3cret")}}
    items = items_of(Foreign(value, (ForeignPart(placeholder="", resource=str(DNS)),)))
    params = {"host": "${each.value.host}", "login": "u:${each.value.password}", "all": "${each.value}"}
    graph = built(entry("${resources.dns.outputs.zones}", params=params), collector, {name: items})
    zone = next(node for node in GraphValues(graph).nodes() if node.node.key.type == "zone")
    assert zone.params == {"host": "h", "login": "u:s3cret", "all": {"host": "h", "password": "s3cret"}}
    assert set(zone.secret_params) == {("login",), ("all", "password")}
    assert set(zone.foreign_params) == {("host",), ("login",), ("all",)}
    assert "s3cret" not in str(zone.node.params and zone.node.params.source)


def test_a_placeholder_in_an_output_is_text() -> None:
    """It is inserted as it is, wherever it comes from."""
    collector = Collector()
    name = ListName(DNS, "zone#${each.key}")
    items = items_of(Foreign({"eu": "${context.app.id}"}, (ForeignPart(placeholder="", resource=str(DNS)),)))
    entries = entry("${resources.dns.outputs.zones}", params={"text": "${each.value}/${context.app.id}"})
    graph = built(entries, collector, {name: items})
    zone = next(node for node in GraphValues(graph).nodes() if node.node.key.type == "zone")
    assert zone.params == {"text": "${context.app.id}/shop"}


def test_a_list_is_known_when_its_source_is_provisioned() -> None:
    """Before, its value is unknown."""
    collector = Collector()
    graph = built(entry("${resources.dns.outputs.zones}"), collector)
    values, owner = GraphValues(graph), next(node for node in graph.nodes if node.key == DNS)
    assert isinstance(values.list_of(graph.points[0], owner), Unknown)
    values.note_outputs(DNS, Outputs(data={"zones": ["eu"]}))
    assert [item.key for item in items_of(values.list_of(graph.points[0], owner))] == ["eu"]


def test_two_lists_with_one_item_and_other_params() -> None:
    """One resource cannot have two different sets of params."""
    collector = Collector()
    params = {"n": "${each.value}"}
    same = {"zone#${each.key}": {"for_each": ["a"], "params": params}, "zone#a": {"params": {"n": "a"}}}
    assert len([node for node in built(same, collector).nodes if node.key.type == "zone"]) == 1
    other = {"zone#${each.key}": {"for_each": ["a"], "params": params}, "zone#a": {"params": {"n": "b"}}}
    with pytest.raises(CompileError) as refused:
        built(other, collector)
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == ["E0820"]


def test_a_list_of_the_organization_is_refused_without_one() -> None:
    """It is never known, so it does not wait for an output."""
    with pytest.raises(CompileError) as refused:
        built(entry(["${context.org.id}"]), Collector())
    assert "no organization is given (--org)" in str(refused.value)
