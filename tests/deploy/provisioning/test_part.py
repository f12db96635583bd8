"""The part of a graph that some of its resources need."""

from __future__ import annotations

import msgspec
import pytest
from tests.deploy.provisioning.building import definition, deployment, graph, reading
from tests.deploy.provisioning.test_for_each import built, entry
from tests.deploy.provisioning.test_lowering import kept

from ensue.deploy.provisioning.identity import ResourceKey
from ensue.deploy.provisioning.part import may_be_cleared, part_of
from ensue.language.collector import Collector


@pytest.mark.parametrize(
    ("type_", "types"), [("a", ["a"]), ("b", ["a", "b"]), ("c", ["a", "b", "c"]), ("d", ["d"])]
)
def test_a_part_has_what_its_resources_need_however_far(type_: str, types: list[str]) -> None:
    """`c` reads an output of `b`, which reads one of `a`; nothing reads `d`."""
    collector = Collector()
    inputs = {"b": reading("a#modules.web.externals.a"), "c": reading("b#modules.web.externals.b")}
    definitions = [definition(each, collector, driver_inputs=inputs.get(each, {})) for each in "abcd"]
    externals = {each: {"type": each} for each in "abcd"}
    asked = deployment({"modules": {"web": {"externals": externals}}}, collector)
    whole = graph(asked, [*definitions, definition("workload", collector)], collector)
    (name,) = (node.name for node in whole.nodes if node.key.type == type_)
    nodes, points = part_of(whole, [name])
    assert ([node.key.type for node in nodes], points) == (types, ())
    assert part_of(whole, []) == (whole.nodes, whole.points)


@pytest.mark.parametrize("name", ["workload.default#modules.web", "zone.default#eu"])
def test_a_part_has_a_list_that_it_waits_for_and_what_the_list_is_read_from(name: str) -> None:
    """A resource that is not there may join the graph for the list."""
    whole = built(entry("${resources.dns.outputs.zones}"), Collector())
    nodes, points = part_of(whole, [name])
    assert ([node.key.type for node in nodes][:1], points) == (["dns"], whole.points)
    alone, none = part_of(whole, [whole.nodes[0].name])
    assert ([node.key.type for node in alone], none) == (["dns"], ())


def test_only_what_would_be_replaced_may_be_cleared_if_it_joins_for_a_list() -> None:
    """It has another driver, or is made anew, or something is left beside it."""
    points = built(entry("${resources.dns.outputs.zones}"), Collector()).points
    same = msgspec.structs.replace(kept("zone"), driver="echo")
    records = {
        ResourceKey("zone", "default", "same"): same,
        ResourceKey("zone", "default", "other"): msgspec.structs.replace(same, driver="fake"),
        ResourceKey("zone", "default", "anew"): same,
        ResourceKey("zone", "default", "beside"): msgspec.structs.replace(same, beside=(same,)),
    }
    cleared = may_be_cleared(records, records, points, ["zone.default#anew"])
    assert [key.id for key in cleared] == ["anew", "beside", "other"]
