"""Lists that are known only while a deployment runs, in real deployments: parts, failures, kills, history."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import CONTEXT, DEPLOY, DESTROY, Waiting
from tests.cli.lists_project import DNS, ListsProject, by_id, lists_project

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAILING = """\
---
kind: Definition
metadata: {id: zone-a}
entity:
  type: zone
  driver_type: log
  driver_inputs:
    values: {fail: no room}
  criteria: [{res_id: a}]
"""
READ = """\
kind: Definition
metadata: {id: network}
entity:
  type: network
  driver_type: command
  driver_inputs: {values: {command: [sh, network.sh]}}
  criteria: [{}]
---
kind: Definition
metadata: {id: names}
entity:
  type: names
  driver_type: echo
  driver_inputs: {values: {zones: "${resources.network#shared.outputs.zones}"}}
  criteria: [{}]
---
kind: Definition
metadata: {id: dns}
entity:
  type: dns
  driver_type: echo
  provision:
    "zone#${each.key}":
      for_each: ${resources.SOURCE#shared.outputs.zones}
      match_dependents: true
  criteria: [{}]
"""
NOTHING_ELSE = {
    "dns dns": "unchanged",
    "zone a": "unchanged",
    "zone b": "unchanged",
    "workload web": "unchanged",
}


@pytest.fixture
def project(tmp_path: Path) -> ListsProject:
    """A project that was not deployed yet."""
    return lists_project(tmp_path / "project")


@pytest.fixture
def waiting(project: ListsProject) -> Iterator[Waiting]:
    """A deployment whose items do not end by themselves."""
    project.zones("[a]")
    project.zone("{wait: true, id: x}")
    started = Waiting(project, *DEPLOY, "--out", "json")
    yield started
    started.close()


def test_one_apply_provisions_what_a_list_names(project: ListsProject) -> None:
    """A dependent waits for the items and reads their outputs; the second time nothing is called."""
    assert set(project.deployed().values()) == {"created"}
    assert project.log() == ["create dns", "create workload", "create zone", "create zone"]
    ended = project.run(*DEPLOY, "--out", "json")
    assert by_id(ended.document) == NOTHING_ELSE
    web = ended.document["nodes"][-1]
    assert web["outputs"] == {"ids": ["a", "b"]}
    assert {edge["why"] for edge in web["edges"]} == {"workload", "match_dependents", "selector"}
    assert project.log() == []


def test_the_hash_is_that_of_the_entries_written_out(project: ListsProject) -> None:
    """The record of the deployment has the graph with the items, and their definitions."""
    first = project.run(*DEPLOY, "--out", "json").document["hash"]
    project.zones("[a]")
    project.run(*DEPLOY)
    project.zones("[a, b]")
    assert project.run(*DEPLOY, "--out", "json").document["hash"] == first
    shown = project.run("deployments", "show", "3", *CONTEXT[:4], "--out", "json").document
    assert first in json.dumps(shown)
    assert "zone" in json.dumps(shown)


def test_an_item_alone_is_provisioned(project: ListsProject) -> None:
    """With the source of its list; what `--only` leaves out is excluded, also what may be an item."""
    assert project.deployed("--only", "zone.default#b") == {
        "dns dns": "created",
        "zone a": "excluded",
        "zone b": "created",
        "workload web": "excluded",
    }
    assert project.log() == ["create dns", "create zone"]
    assert project.deployed()["zone a"] == "created"
    project.log()
    assert project.deployed("--only", DNS) == {
        "dns dns": "unchanged",
        "workload web": "excluded",
        "zone a": "excluded",
        "zone b": "excluded",
    }


def test_a_dependent_alone_has_all_items(project: ListsProject) -> None:
    """It depends on them."""
    nodes = project.deployed("--only", "workload.default#modules.web")
    assert set(nodes.values()) == {"created"}
    assert len(nodes) == 4


def test_a_resource_that_nothing_can_add_is_refused(project: ListsProject) -> None:
    """A list may add zones, and nothing else."""
    ended = project.run(*DEPLOY, "--only", "other.default#b")
    assert ended.code == 1
    assert "no resource 'other.default#b'" in ended.err


def test_a_failing_item_does_not_stop_the_others(project: ListsProject) -> None:
    """With `--failhard` nothing new starts after it."""
    project.zone('{id: "${context.res.id}"}', FAILING)
    assert project.deployed(code=2) == {
        "dns dns": "created",
        "zone a": "failed",
        "zone b": "created",
        "workload web": "skipped",
    }
    assert project.run(*DESTROY).code == 0
    nodes = project.deployed("--failhard", "--concurrency", "1", code=2)
    assert nodes["zone a"] == "failed"
    assert nodes["zone b"] in {"created", "skipped"}
    assert nodes["workload web"] == "skipped"
    project.zone('{id: "${context.res.id}"}')
    assert set(project.deployed().values()) <= {"created", "unchanged"}


def test_a_failure_of_an_item_does_not_keep_what_has_left_the_list(project: ListsProject) -> None:
    """The list is known all the same; what a dependent of the failed item still uses is kept."""
    project.zones("[a, b, c]")
    project.deployed()
    project.zones("[a, b]")
    project.zone('{id: "${context.res.id}"}', FAILING)
    ended = project.run(*DEPLOY, "--prune", "--out", "json")
    assert by_id(ended.document)["zone c"] == "skipped"
    assert "workload.default#modules.web still uses it" in ended.out
    web = (project.root / "definitions/web.yaml").read_text()
    project.write("definitions/web.yaml", web.replace("${resources.workload>zone.outputs.id}", "none"))
    dns = (project.root / "definitions/dns.yaml").read_text()
    project.write("definitions/dns.yaml", dns.replace("match_dependents: true", "match_dependents: false"))
    nodes = project.deployed("--prune", code=2)
    assert (nodes["zone a"], nodes["workload web"], nodes["zone c"]) == ("failed", "updated", "destroyed")


def test_one_at_a_time(project: ListsProject) -> None:
    """The items share the concurrency of the run; a list that waits for them holds none of it."""
    project.zones("[a, b, c, d]")
    assert set(project.deployed("--concurrency", "1").values()) == {"created"}


def test_ctrl_c_waits_for_an_item(project: ListsProject, waiting: Waiting) -> None:
    """The item is finished and kept, its dependents are not begun."""
    waiting.process.send_signal(signal.SIGINT)
    assert waiting.process.stderr is not None
    while b"SIGINT" not in waiting.process.stderr.readline():
        pass
    waiting.open_gate()
    out, err = waiting.ended()
    assert waiting.process.returncode == 130, err
    assert by_id(json.loads(out)) == {"dns dns": "created", "zone a": "created", "workload web": "skipped"}
    assert project.deployed()["workload web"] == "created"


def test_a_killed_deployment_goes_on(project: ListsProject, waiting: Waiting) -> None:
    """What was made is left, an item that was begun is told so, the rest is made."""
    waiting.process.kill()
    waiting.ended()
    assert project.log() == ["create dns", "create zone"]
    project.zones("[a]")
    project.zone("{id: x}")
    assert project.deployed() == {"dns dns": "unchanged", "zone a": "created", "workload web": "created"}
    assert project.log() == ["create workload", "create zone again"]


def test_a_merge_keeps_the_items_of_other_workloads(project: ListsProject) -> None:
    """The lists of workloads that are not given are expanded again."""
    project.deployed()
    project.write(
        "api.yaml", "apiVersion: score.dev/v1b1\nmetadata: {name: api}\ncontainers: {main: {image: x}}\n"
    )
    ended = project.run("deploy", "api.yaml", *CONTEXT, "--merge", "--prune", "--out", "json")
    assert ended.code == 0, ended.err
    assert by_id(ended.document) == {**NOTHING_ELSE, "workload api": "created"}


def test_an_item_is_replaced_by_another_driver(project: ListsProject) -> None:
    """Where that is allowed: what was made before is destroyed when all that depends on the item is there."""
    project.deployed()
    project.log()
    text = (project.root / "states/_drivers/log.py").read_text()
    project.write(
        "states/_drivers/other.py", text.replace("{word} {request.type}", "other {word} {request.type}")
    )
    zone = (project.root / "definitions/zone.yaml").read_text()
    project.write("definitions/zone.yaml", zone.replace("driver_type: log", "driver_type: other"))
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 2
    assert "--allow-replace=zone.default#a" in ended.out
    assert project.log() == []
    assert (
        project.deployed("--allow-replace=zone.default#a", "--allow-replace=zone.default#b")["zone a"]
        == "replaced"
    )
    assert project.log() == ["delete zone", "delete zone", "other create zone", "other create zone"]


def test_an_item_is_made_anew(project: ListsProject) -> None:
    """By its name; it may be named before the list is known."""
    project.deployed()
    project.log()
    nodes = project.deployed("--replace=zone.default#a")
    assert (nodes["zone a"], nodes["zone b"]) == ("replaced", "unchanged")
    assert project.log() == ["create zone", "delete zone"]


def test_a_plan_of_an_environment_that_was_never_deployed(project: ListsProject) -> None:
    """Nothing is called; with the records of a deployment the items are known, in a graph as well."""
    planned = project.run(*DEPLOY, "--plan", "--out", "json").document
    assert [node["id"] for node in planned["nodes"] if node["type"] == "zone"] == ["${each.key}"]
    assert project.log() == []
    project.deployed()
    assert by_id(project.run(*DEPLOY, "--plan", "--out", "json").document) == NOTHING_ELSE
    shown = project.run("graph", "score.yaml", *CONTEXT, "--out", "json").document
    assert "lists" not in shown
    assert {node["id"] for node in shown["nodes"] if node["type"] == "zone"} == {"a", "b"}


def test_a_deployment_under_a_state(project: ListsProject) -> None:
    """`graph.deployed` provisions lists as growth; its outputs have what the items gave."""
    project.write(
        "states/shop.sls",
        "shop:\n  graph.deployed:\n    - app: shop\n    - env: dev\n    - env_type: development\n"
        "    - score: score.yaml\n",
    )
    assert project.run("plan", "shop").code == 0
    assert project.log() == []
    ended = project.run("apply", "shop", "--out", "json")
    assert ended.code == 0, ended.err
    assert '"ids"' in ended.out
    assert project.log() == ["create dns", "create workload", "create zone", "create zone"]
    assert project.run("apply", "shop", "--out", "json").code == 0
    assert project.log() == []


@pytest.mark.parametrize("source", ["network", "names"])
def test_a_plan_does_not_foresee_a_list_that_is_read_again(project: ListsProject, source: str) -> None:
    """Only a deployment reads it, or what it is made of; until then it may name other resources."""
    project.write("definitions/dns.yaml", READ.replace("SOURCE", source))
    project.write("network.sh", "cat zones.json\n")
    project.write("zones.json", json.dumps({"values": {"zones": ["a", "b"]}}))
    project.deployed()
    assert set(by_id(project.run(*DEPLOY, "--plan", "--out", "json").document).values()) == {"unchanged"}
    project.write("zones.json", json.dumps({"values": {"zones": ["a"]}}))
    nodes = project.run(*DEPLOY, "--plan", "--refresh", "--out", "json").document["nodes"]
    zones = {node["id"]: node["comment"] for node in nodes if node["type"] == "zone"}
    undecided = f"whether it is needed is known after {source}.default#shared"
    assert (zones["a"], zones["b"]) == (undecided, undecided)
    assert project.deployed("--refresh")["zone b"] == "orphaned"
