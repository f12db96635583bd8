"""The part of a graph that some of its resources need."""

from __future__ import annotations

import pytest
from tests.deploy.provisioning.building import definition, deployment, graph, reading

from ensue.deploy.provisioning.part import part_of
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
