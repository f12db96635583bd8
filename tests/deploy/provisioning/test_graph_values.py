"""The values of inputs while resources are provisioned: outputs, selectors, the environment's own values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.deploy.provisioning.building import definition, deployment, graph, score

from ensue.core.errors import DriverError
from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.evaluated_node import Outputs
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.language.collector import Collector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.provisioning.evaluated_node import EvaluatedNode
    from ensue.deploy.provisioning.nodes import ResourceGraph

DB = "${resources.db#modules.web.externals.db"


def built(asks: Any, **entity: Any) -> ResourceGraph:
    """Return the graph of a workload with a `db`, and a `dns` whose only input is that."""
    collector = Collector()
    definitions = [
        definition("workload", collector),
        definition("db", collector, driver_inputs={"values": {"size": 1}}),
        definition("dns", collector, driver_inputs={"values": {"it": asks}}, **entity),
    ]
    externals = {name: {"type": name} for name in ("db", "dns")}
    return graph(
        deployment({"modules": {"web": {"externals": externals}}}, collector), definitions, collector
    )


def after(
    graph_: ResourceGraph, outputs: Mapping[str, Outputs], outside: Mapping[str, Any] | None = None
) -> dict[str, EvaluatedNode]:
    """Return the nodes by type, evaluated in their order; those that have outputs are provisioned."""
    values = GraphValues(graph_, outside, is_complete=outside is not None)
    evaluated: dict[str, EvaluatedNode] = {}
    for node in graph_.nodes:
        evaluated[node.key.type] = values.evaluated(node)
        if node.key.type in outputs:
            values.note_outputs(node.key, outputs[node.key.type])
    return evaluated


def input_of(asks: Any, outputs: Mapping[str, Outputs]) -> Any:
    """Return the value of the input of `dns`."""
    return after(built(asks), outputs)["dns"].values["it"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("host", "db.local"),
        ("port", 5432),
        ("ports", {"80": "http", "list": [1, {"a": 2}]}),
        ("ports.80", "http"),
        ("ports.list.1.a", 2),
        ("none", None),
    ],
)
def test_an_output_keeps_its_type(path: str, value: Any) -> None:
    """A text that is one placeholder becomes the value, whatever that is."""
    ports = {"80": "http", "list": [1, {"a": 2}]}
    data = {"host": "db.local", "port": 5432, "ports": ports, "none": None}
    assert input_of(f"{DB}.outputs.{path}}}", {"db": Outputs(data=data)}) == value


def test_what_is_not_provisioned_is_unknown() -> None:
    """Before the resource has outputs the input is as it is written, and the node is not known."""
    nodes = after(built(f"{DB}.outputs.host}}"), {})
    assert isinstance(nodes["dns"].values["it"], Unknown)
    assert not nodes["dns"].is_known
    assert nodes["db"].is_known


@pytest.mark.parametrize(
    ("data", "has"),
    [({"host": 1, "port": 2}, "it has host, port"), ({}, "it is empty")],
)
def test_a_missing_output_names_what_there_is(data: dict[str, Any], has: str) -> None:
    """The message names the resource, the output that is asked for, and those that it has."""
    with pytest.raises(DriverError) as caught:
        input_of(f"{DB}.outputs.nope.deep}}", {"db": Outputs(data=data)})
    db = "db.default#modules.web.externals.db"
    assert str(caught.value) == f"{db} has no output 'nope' ({has})"


def test_a_missing_part_of_a_secret_is_missing_too() -> None:
    """The message does not quote the secret."""
    outputs = Outputs(data={"key": {"pem": "hunter2"}}, secret_paths=(("key",),))
    with pytest.raises(DriverError, match=r"has no output 'key\.none'") as caught:
        input_of(f"{DB}.outputs.key.none}}", {"db": outputs})
    assert "hunter2" not in str(caught.value)


def test_a_selector_collects_in_order() -> None:
    """The outputs of all that it finds are a list; unknown while one is, secret where one is."""
    selector = "${resources.workload#modules.web>db.outputs.host}"
    assert input_of(selector, {"db": Outputs(data={"host": "a"})}) == ["a"]
    assert isinstance(input_of(selector, {}), Unknown)
    secret = after(built(selector), {"db": Outputs(data={"host": "a"}, secret_paths=(("host",),))})
    assert secret["dns"].values == {"it": ["a"]}
    assert secret["dns"].secret_values == (("it", 0),)


def test_a_selected_resource_without_the_output_is_an_error() -> None:
    """A match is never left out of the list without a word."""
    with pytest.raises(DriverError, match=r"externals\.db has no output 'arn'"):
        input_of("${resources.workload#modules.web>db.outputs.arn}", {"db": Outputs(data={"host": 1})})


def test_a_secret_account_stays_secret() -> None:
    """It is marked in the node that has it, and in one that refers to it, however short it is."""
    collector = Collector()
    account = "${resources.db#modules.web.externals.db.outputs.key}"
    refers = {"values": {"as": "${resources.dns#modules.web.externals.dns.account}"}}
    definitions = [
        definition("workload", collector, driver_inputs=refers),
        definition("db", collector),
        definition("dns", collector, driver_account=account),
    ]
    externals = {name: {"type": name} for name in ("db", "dns")}
    made = graph(
        deployment({"modules": {"web": {"externals": externals}}}, collector), definitions, collector
    )
    nodes = after(made, {"db": Outputs(data={"key": "ab"}, secret_paths=(("key",),))})
    assert (nodes["dns"].account, nodes["dns"].secret_account) == ("ab", ((),))
    assert list(nodes["dns"].secret_texts()) == ["ab"]
    assert nodes["workload"].secret_values == (("as",),)


SCORE = """
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx, variables: {IT: "VALUE"}}}
resources: {env: {type: environment}, api: {type: service}}
"""


def outside(placeholder: str, values: Mapping[str, Any] | None) -> Any:
    """Return the value of a placeholder for a value of the environment."""
    collector = Collector()
    asked = score(SCORE.replace("VALUE", placeholder), collector)
    nodes = after(graph(asked, [definition("workload", collector)], collector), {}, values)
    return nodes["workload"].params["spec"]["containers"]["main"]["variables"]["IT"]


@pytest.mark.parametrize(
    ("placeholder", "values", "expected"),
    [
        ("${resources.env.TIER}", {"TIER": "gold"}, "gold"),
        ("${resources.env.TIER}", {"env.TIER": "own", "TIER": "any"}, "own"),
        ("${resources.env.TIER}", {"TIER": ["a"]}, ["a"]),
        ("${resources.api.name}", {}, "api"),
        ("${resources.api.host}", {}, "api"),
        ("http://${resources.api.hostname}", {"api.hostname": "elsewhere"}, "http://elsewhere"),
        ("${resources.api.port}", {"api.port": "80"}, "80"),
    ],
)
def test_values_of_the_environment(placeholder: str, values: dict[str, Any], expected: Any) -> None:
    """`RESOURCE.NAME` goes before `NAME`, and a service is known by its own name."""
    assert outside(placeholder, values) == expected


def test_a_value_that_nobody_gives() -> None:
    """It is unknown as long as nothing is provisioned; then it is an error that says how to give it."""
    assert isinstance(outside("${resources.env.TIER}", None), Unknown)
    with pytest.raises(DriverError, match=r"the environment has no value 'TIER' \(give it with --value TIER"):
        outside("${resources.env.TIER}", {"tier": "gold"})
    lacks = r"the service 'api' has no value 'port' \(give it with --value api\.port=VALUE\)"
    with pytest.raises(DriverError, match=lacks):
        outside("${resources.api.port}", {"port": "80"})


def test_the_values_of_a_node_are_remembered() -> None:
    """The values of the last evaluation of a node are kept; without one there are none."""
    made = built("x")
    values = GraphValues(made, {})
    node = made.nodes[0]
    assert values.evaluated_before(node.key) is None
    evaluated = values.evaluated(node)
    assert values.evaluated_before(node.key) is evaluated
