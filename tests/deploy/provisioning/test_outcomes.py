"""The outcome of a deployment: of resources that were reached, and of those that were not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.deploy.provisioning.building import CONTEXT, definition, deployment, graph
from tests.deploy.provisioning.test_lowering import kept, key

from ensue.deploy.provisioning.evaluated_node import Outputs
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.outcomes import node_outcomes, summed_up
from ensue.deploy.provisioning.surroundings import ProvisioningOutcome
from ensue.language.collector import Collector

if TYPE_CHECKING:
    from ensue.core.contracts.deployment import Deployed
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import ResourceGraph


def of_set(data: dict[str, Any], **brings: Any) -> ResourceGraph:
    """Return the graph of a deployment set; `brings` is what `db` provisions along with itself."""
    collector = Collector()
    definitions = [
        definition("workload", collector),
        definition("db", collector, provision=brings),
        definition("policy", collector),
    ]
    return graph(deployment(data, collector), definitions, collector)


SHOP: dict[str, Any] = {
    "modules": {
        "web": {"externals": {"own.db": {"type": "db"}}},
        "api.v2": {"spec": {"containers": {"m": {"variables": {"A": "${shared.main.x}"}}}}},
    },
    "shared": {"main": {"type": "db"}},
}


def summary(made: ResourceGraph, **outputs: ProvisioningOutcome) -> Deployed:
    """Return the summary of a deployment in which every resource has the outcome of its type."""
    outcomes = {node.key: outputs.get(node.key.type, ProvisioningOutcome("unchanged")) for node in made.nodes}
    return summed_up(node_outcomes(made, CONTEXT, None, {}, outcomes))


def test_outputs_by_workload_and_name() -> None:
    """Names with dots stay whole; what comes along with a resource has no place of its own."""
    made = of_set(SHOP, policy={"is_dependent": True})
    db = ProvisioningOutcome(
        "created", outputs=Outputs(data={"host": "h", "pw": "s"}, secret_paths=(("pw",),))
    )
    done = summary(made, db=db, policy=ProvisioningOutcome("created", outputs=Outputs(data={"arn": "a"})))
    assert done.workloads == {"web": {"resources": {"own.db": {"host": "h", "pw": "s"}}}}
    assert done.shared == {"main": {"host": "h", "pw": "s"}}
    assert set(done.sensitive) == {"web:resources:own.db:pw", "shared:main:pw"}
    assert done.statuses == {"created": 4, "unchanged": 2}
    assert len(done.changes["created"]) == 4  # type: ignore[arg-type] # a list


def test_outputs_of_workloads() -> None:
    """A workload has its own outputs beside those of its resources."""
    done = summary(of_set(SHOP), workload=ProvisioningOutcome("updated", outputs=Outputs(data={"url": "u"})))
    assert done.workloads == {"web": {"outputs": {"url": "u"}}, "api.v2": {"outputs": {"url": "u"}}}
    assert done.shared == {}


def test_failures_are_told_with_their_resources() -> None:
    """Each failure names its resource; what was skipped for it is counted."""
    made = of_set(SHOP)
    failed = made.nodes[0].key
    done = summed_up(
        node_outcomes(made, CONTEXT, None, {}, {failed: ProvisioningOutcome("failed", "no space")})
    )
    assert done.failures == (f"{failed}: no space",)
    assert done.statuses["failed"] == 1
    assert done.changes == {}


def test_rendered_files_are_changes() -> None:
    """A deployment that renders nothing anew has no such change."""
    assert summed_up([], ("web.yaml",)).changes == {"rendered": ["web.yaml"]}
    assert summed_up([]).changes == {}


def test_each_resource_of_the_graph_has_its_known_inputs() -> None:
    """What a deployment knows of a resource's inputs is in its outcome, and nothing of others."""
    made = of_set(SHOP)
    values = GraphValues(made)
    evaluated = {node.key: values.evaluated(node) for node in made.nodes[:2]}
    known = {
        node_outcome.key: node_outcome.evaluated
        for node_outcome in node_outcomes(made, CONTEXT, values, {}, {})
    }
    assert known == dict.fromkeys(known) | evaluated
    assert not any(node_outcome.evaluated for node_outcome in node_outcomes(made, CONTEXT, None, {}, {}))


def of_records(*records: ActiveResource, **words: Any) -> dict[str, tuple[str, str]]:
    outcomes: dict[ResourceKey, ProvisioningOutcome] = words.pop("outcomes", {})
    all_ = node_outcomes(None, CONTEXT, None, {record.key: record for record in records}, outcomes, **words)
    return {
        node_outcome.key.type: (node_outcome.outcome.status, node_outcome.outcome.comment)
        for node_outcome in all_
    }


def test_what_is_not_asked_for_is_orphaned() -> None:
    """It has the record that is kept of it."""
    assert of_records(kept("db")) == {
        "db": ("orphaned", "no resource of the deployment needs it any more"),
    }
    (node_outcome,) = node_outcomes(None, CONTEXT, None, {key("db"): kept("db")}, {})
    assert node_outcome.kept == kept("db")
    assert summed_up([node_outcome]).orphans == ("db.default#shared.db",)


def test_what_was_to_be_removed_and_was_not_is_skipped() -> None:
    """It is no orphan that `--prune` would remove: the resources that still use it are named."""
    records = [kept("app", "db"), kept("db"), kept("net")]
    outcomes = of_records(
        *records,
        outcomes={key("app"): ProvisioningOutcome("failed", "in use", old=records[0])},
        removed={record.key for record in records},
    )
    assert outcomes == {
        "app": ("failed", "in use"),
        "db": ("skipped", "app.default#shared.app still uses it"),
        "net": ("skipped", "the run was stopped before it"),
    }


def test_what_was_destroyed_has_its_old_record() -> None:
    """A program can read which definition and driver it had."""
    outcome = ProvisioningOutcome("destroyed", "gone", old=kept("db"))
    (node_outcome,) = node_outcomes(None, CONTEXT, None, {}, {key("db"): outcome})
    assert node_outcome.kept == kept("db")
    assert summed_up([node_outcome]).changes == {"destroyed": ["db.default#shared.db"]}
