"""Outputs that are foreseen before anything is provisioned, and what they spare while it is."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.deploy.provisioning.stand_ins import RememberingDriver, environment

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.deploy.provisioning.evaluated_node import Outputs
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.surroundings import DriverCall

TYPES = ("a", "b", "c", "d")


def entity(driver: str, uses: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the entity of a definition whose inputs are a size and outputs of other resources."""
    of = {type_: f"${{resources.{type_}#modules.web.externals.the-{type_}.outputs.size}}" for type_ in uses}
    return {"driver_type": driver, "driver_inputs": {"values": {"size": 1, **of}}}


def deployed(resources: dict[str, dict[str, Any]], **drivers: RememberingDriver) -> dict[str, Any]:
    """Foresee all resources in their order, then provision them; return their outputs by type."""

    async def deploy() -> dict[str, Any]:
        for node in built.nodes:
            await foreseen.foresee(values.evaluated(node))
        outcomes = [await provisioner.provision(node, call) for node in built.nodes]
        pairs = zip(built.nodes, outcomes, strict=True)
        return {node.key.type: outcome.outputs and outcome.outputs.data for node, outcome in pairs}

    shop = environment(**drivers)
    built = shop.built(resources)
    values = GraphValues(built, {})
    provisioner = shop.provisioner(values)
    call = DriverCall(shop._services, test=False, clock=shop.clock)
    foreseen = provisioner.foreseen
    assert foreseen is not None
    return asyncio.run(deploy())


def test_a_pure_driver_is_called_once() -> None:
    """A resource is provisioned with what its pure driver has returned before."""
    pure = RememberingDriver(is_pure=True)
    outputs = deployed({"a": entity("pure"), "b": entity("pure", ("a",))}, pure=pure)
    assert sorted(pure.calls) == ["create a", "create b", "create workload"]
    assert outputs["b"] == {"size": 1, "a": 1}


def test_a_pure_driver_is_called_again_with_inputs_that_were_not_foreseen() -> None:
    """What a plan foresees may come differently: what depends on it is evaluated with what was made."""
    planning = RememberingDriver(plan_is_pure=True, made=Provisioned(values={"size": 3}))
    planning.planned = Planned(outputs=Provisioned(values={"size": 2}))
    outputs = deployed({"a": entity("planning"), "b": entity("pure", ("a",))}, planning=planning)
    assert planning.calls == ["plan a", "create a"]
    assert outputs["b"] == {"size": 1, "a": 3}


def test_declared_outputs_are_known_by_name_alone() -> None:
    """A driver that declares its outputs is not asked, and what depends on it waits for them."""
    declaring = RememberingDriver(outputs=frozenset({"size"}), made=Provisioned(values={"size": 3}))
    pure = RememberingDriver(is_pure=True)
    outputs = deployed(
        {"a": entity("declaring"), "b": entity("pure", ("a",))}, declaring=declaring, pure=pure
    )
    assert declaring.calls == ["create a"]
    assert outputs["b"] == {"size": 1, "a": 3}


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(TYPES), st.sampled_from(["evaluate", "foresee", "note"]), st.integers(0, 2)
        ),
        min_size=20,
        max_size=60,
    )
)
def test_a_node_is_evaluated_with_the_outputs_that_were_noted_last(steps: list[tuple[str, str, int]]) -> None:
    """In whatever order outputs are foreseen, noted and noted again, a node is evaluated with the newest."""
    resources = {type_: entity("pure", TYPES[:place]) for place, type_ in enumerate(TYPES)}
    graph = environment().built(resources)
    nodes = {node.key.type: node for node in graph.nodes}
    values, outputs = GraphValues(graph, {}), dict[str, Outputs]()
    for type_, action, size in steps:
        node = nodes[type_]
        if action == "evaluate":
            fresh = GraphValues(graph, {})
            for noted_type, known in outputs.items():
                fresh.note_outputs(nodes[noted_type].key, known)
            assert values.evaluated(node).values == fresh.evaluated(node).values
        else:
            outputs[type_] = Outputs(data={"size": size})
            values.note_outputs(node.key, outputs[type_], is_final=action == "note")


def test_inputs_of_a_resource_between_are_those_that_were_made() -> None:
    """An input that another resource reads is that of now, although the outputs beside it are the same."""
    planning = RememberingDriver(plan_is_pure=True, made=Provisioned(values={"size": 3}))
    planning.planned = Planned(outputs=Provisioned(values={"size": 2}))
    constant = RememberingDriver(is_pure=True, made=Provisioned(values={"size": 7}))
    reads = "${resources.b#modules.web.externals.the-b.values.a}"
    last = {"driver_type": "pure", "driver_inputs": {"values": {"read": reads}}}
    outputs = deployed(
        {"a": entity("planning"), "b": entity("constant", ("a",)), "c": last},
        planning=planning,
        constant=constant,
    )
    assert outputs["c"] == {"read": 3}
