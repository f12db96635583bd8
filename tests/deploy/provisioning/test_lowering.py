"""Resource graphs as plans: what requires what, and in which order resources are removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from tests.deploy.provisioning.building import CONTEXT, definition, deployment, graph, reading

from ensue.core.model.srn import Srn
from ensue.deploy.provisioning.active import ActiveResource
from ensue.deploy.provisioning.identity import ResourceKey
from ensue.deploy.provisioning.lowering import DeploymentWork, lower
from ensue.language.collector import Collector

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ensue.core.contracts.growth import Plan
    from ensue.deploy.provisioning.nodes import GraphNode

MINION = Srn("minion", "m")


def key(name: str) -> ResourceKey:
    return ResourceKey(name, "default", f"shared.{name}")


def kept(name: str, *needed: str) -> ActiveResource:
    """Return what is kept of a resource that depends on others."""
    return ActiveResource(
        key=key(name),
        env_type=CONTEXT.env_type,
        definition="d",
        definition_digest="",
        driver="fake",
        phase="active",
        depends_on=tuple(map(key, needed)),
    )


def plan_of(
    nodes: Iterable[GraphNode],
    removed: list[ActiveResource],
    rest: list[ActiveResource],
    cleared: Collection[ResourceKey] = (),
) -> Plan:
    work = DeploymentWork(list(nodes), removed, cleared, {record.key: record for record in (*removed, *rest)})
    return lower(work, MINION, "scope", deployment=CONTEXT, warnings=())


def order(plan: Plan) -> list[str]:
    """Return the chunks as `function type after types`."""
    types = [chunk.id.partition(".")[0] for chunk in plan.chunks]
    lines = []
    for chunk, type_ in zip(plan.chunks, types, strict=True):
        before = [types[index] for requisite in chunk.requisites for index in requisite.chunks]
        lines.append(f"{chunk.function} {type_}" + (f" after {' '.join(before)}" if before else ""))
    return lines


def test_a_resource_requires_what_it_depends_on() -> None:
    """Each resource is a state that may run beside others, with the place where it was asked for."""
    collector = Collector()
    definitions = [
        definition("workload", collector),
        definition("db", collector, driver_inputs=reading("net#modules.web.externals.net")),
        definition("net", collector),
    ]
    asked = deployment(
        {"modules": {"web": {"externals": {n: {"type": n} for n in ("db", "net")}}}}, collector
    )
    plan = plan_of(graph(asked, definitions, collector).nodes, [], [])
    assert order(plan) == ["provisioned net", "provisioned db after net", "provisioned workload after net db"]
    assert all(chunk.options.parallel and chunk.module == "graph" for chunk in plan.chunks)
    assert plan.chunks[0].keys == ("modules", "web", "externals", "net")
    assert plan.deployment is CONTEXT


def test_what_was_replaced_goes_after_all_that_depends_on_the_resource() -> None:
    """Directly or not; of resources that nothing was made for before, nothing is to be destroyed."""
    collector = Collector()
    definitions = [
        definition("workload", collector),
        definition("db", collector, driver_inputs=reading("net#modules.web.externals.net")),
        definition("net", collector),
        definition("dns", collector),
    ]
    externals = {name: {"type": name} for name in ("db", "net", "dns")}
    built = graph(
        deployment({"modules": {"web": {"externals": externals}}}, collector), definitions, collector
    )
    net = next(node.key for node in built.nodes if node.key.type == "net")
    plan = plan_of(built.nodes, [kept("net")], [], [net])
    assert order(plan)[-2:] == ["cleared net after net db workload", "removed net"]


def test_users_are_removed_first() -> None:
    """A resource goes after everything that is removed and depends on it; what stays is not waited for."""
    removed = [kept("net"), kept("db", "net"), kept("app", "db", "net", "stays")]
    assert order(plan_of([], removed, [kept("stays"), kept("also", "net")])) == [
        "removed app",
        "removed db after app",
        "removed net after app db",
    ]


def test_records_in_a_circle_are_removed_all_the_same() -> None:
    """Records of different deployments may name each other; those outside of the cycle keep their order."""
    removed = [kept("a", "b"), kept("b", "a"), kept("top", "a"), kept("self", "self")]
    lines = order(plan_of([], removed, []))
    assert lines == ["removed top", "removed self", "removed b", "removed a after top b"]


@given(st.dictionaries(st.sampled_from("abcdefg"), st.sets(st.sampled_from("abcdefg"), max_size=4)))
def test_the_order_of_removal(needs: dict[str, set[str]]) -> None:
    """Every record is removed once, and after its users unless the records form a cycle."""
    removed = [kept(name, *sorted(needed)) for name, needed in needs.items()]
    plan = plan_of([], removed, [])
    ids = [chunk.id for chunk in plan.chunks]
    assert sorted(ids) == sorted(str(record.key) for record in removed)
    assert all(index < place for place, chunk in enumerate(plan.chunks)
               for requisite in chunk.requisites for index in requisite.chunks)  # fmt: skip
    acyclic = {
        name: {dependency for dependency in needed if dependency < name} for name, needed in needs.items()
    }
    removed = [kept(name, *sorted(needed)) for name, needed in acyclic.items()]
    ids = [chunk.id for chunk in plan_of([], removed, []).chunks]
    assert all(
        ids.index(str(key(name))) < ids.index(str(key(dependency)))
        for name, needed in acyclic.items()
        for dependency in needed & acyclic.keys()
    )
