"""State module `graph`: a deployment within an apply, with real drivers of a project."""

from __future__ import annotations

import asyncio
import os
import select
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.deployed_project import DB, OTHERS, SCORE, SECRET, deployed_project

from ensue.core.errors import NotAvailableError, StateFailedError
from ensue.core.model.srn import Srn
from ensue.library.states import graph
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.deployed_project import DeployedProject

SLS = """\
shop:
  graph.deployed:
    - app: shop
    - env: dev
    - env_type: development
    - score: score.yaml
after:
  test.configurable_test_state:
    - changes: false
    - result: true
    - comment: "${graph:shop:web:resources:db:host} ${graph:shop:web:resources:db:password}"
free:
  test.nop: []
"""
GONE = "shop:\n  graph.destroyed: [app: shop, env: dev]\n"


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project whose SLS `t` deploys a workload and binds to its database; `gone` destroys it."""
    project = deployed_project(tmp_path / "project")
    project.write("states/t.sls", SLS)
    project.write("states/gone.sls", GONE)
    return project


def run(project: DeployedProject, *words: str, code: int = 0) -> dict[str, dict[str, Any]]:
    """Run a command and return the returns of its states by ID."""
    ended = project.run(*words, "--out", "json")
    assert ended.code == code, ended.out + ended.err
    assert SECRET not in ended.out + ended.err
    return {returned["__id__"]: returned for returned in ended.document["m"].values()}


def inner(returned: dict[str, Any]) -> dict[str, Any]:
    """Return the results of the resources below a state, by resource."""
    (scope,) = returned["applied"]
    return {resource["__id__"]: resource["result"] for resource in scope["returns"].values()}


def test_a_plan_marks_what_is_made(project: DeployedProject) -> None:
    """`+` before what does not exist yet, `~` before what changes; a secret hides no name of a resource."""
    definition = project.root / "definitions" / "pg.yaml"
    text = definition.read_text()
    definition.write_text(text.replace(SECRET, "postgres"))
    assert f"+ {DB} (graph.provisioned)" in project.run("plan", "t").out
    run(project, "apply", "t")
    definition.write_text(text.replace("db.${context", "other.${context"))
    assert f"~ {DB} (graph.provisioned)" in project.run("plan", "t").out


def test_a_deployment_within_an_apply(project: DeployedProject) -> None:
    """Its resources are states of their own, its outputs are bound, and a second apply changes nothing."""
    returns = run(project, "apply", "t")
    assert returns["shop"]["comment"] == "shop/dev: 4 created"
    assert set(inner(returns["shop"]).values()) == {True}
    assert DB in returns["shop"]["changes"]["created"]
    assert returns["after"]["comment"] == "db.shop (sensitive)"
    state = returns["shop"]["new_state"]
    assert state["shared"] == {"main": {"host": "shop.example"}}
    assert state["web"] == {
        "outputs": {"ok": True},
        "resources": {"db": {"host": "db.shop", "url": "(sensitive)", "password": "(sensitive)"}},
    }
    assert project.log() == ["create dns", "create postgres"]
    again = run(project, "apply", "t")
    assert (again["shop"]["changes"], again["shop"]["result"]) == ({}, True)
    assert again["after"]["comment"] == "db.shop (sensitive)"
    assert project.log() == []


def test_a_plan(project: DeployedProject) -> None:
    """Nothing is made; what binds to it waits until it is. Once it is there, the plan knows all."""
    returns = run(project, "plan", "t")
    assert (returns["shop"]["result"], returns["after"]["result"]) == (None, None)
    assert "known after apply" in returns["after"]["comment"]
    assert project.log() == []
    run(project, "apply", "t")
    returns = run(project, "plan", "t")
    assert (returns["shop"]["result"], returns["after"]["comment"]) == (True, "db.shop (sensitive)")
    assert run(project, "plan", "gone")["shop"]["result"] is None


def test_a_failed_resource_fails_what_requires_it(project: DeployedProject) -> None:
    """The comment has the reason; resources and states that need nothing of it are made."""
    project.postgres(f"{{fail: 'no space for {SECRET}'}}")
    returns = run(project, "apply", "t", code=2)
    assert returns["shop"]["result"] is False
    assert f"{DB}: no space for (sensitive)" in returns["shop"]["comment"]
    assert returns["after"]["result"] is False
    assert "requisite failed" in returns["after"]["comment"]
    assert returns["free"]["result"] is True
    assert project.log() == ["create dns", "create postgres"]


def test_all_errors_of_the_input_are_in_the_comment(project: DeployedProject) -> None:
    """With their places; nothing is provisioned, and what requires the deployment fails."""
    project.write("definitions/broken.yaml", "kind: Definition\nmetadata: {id: x}\nentity: {type: x}\n")
    project.write("score.yaml", SCORE.replace("{type: dns,", "{type: dns, clas: x,"))
    returns = run(project, "apply", "t", code=2)
    comment = returns["shop"]["comment"]
    assert "definitions/broken.yaml:3:1: " in comment
    assert "score.yaml:6:" in comment
    assert returns["after"]["result"] is False
    assert returns["free"]["result"] is True
    assert project.log() == []


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"definitions/others.yaml": OTHERS.replace("driver_type: log", "driver_type: lost")}, "'lost'"),
        ({"definitions/others.yaml": OTHERS.replace("{host:", "{bad: it, host:")}, "it is bad"),
        ({"score.yaml": "a: 1\n"}, "neither a Score file nor a deployment set"),
        ({"definitions/others.yaml": OTHERS.partition("---")[2]}, "dns"),
    ],
    ids=["driver", "inputs", "no Score file", "no definition"],
)
def test_bad_input_provisions_nothing(project: DeployedProject, files: dict[str, str], message: str) -> None:
    """As with `ensue deploy`."""
    for path, content in files.items():
        project.write(path, content)
    assert message in run(project, "apply", "t", code=2)["shop"]["comment"]
    assert project.log() == []


def test_pruning_and_destroying(project: DeployedProject) -> None:
    """Orphans are named until `prune` removes them; `destroyed` removes the rest, and then nothing."""
    run(project, "apply", "t")
    project.write("score.yaml", SCORE.replace("  dns: {type: dns, id: main}\n", ""))
    returns = run(project, "apply", "t")
    assert "orphaned (removed with prune): dns.default#shared.main" in returns["shop"]["comment"]
    project.log()
    project.write("states/t.sls", SLS.replace("    - score:", "    - prune: true\n    - score:"))
    assert run(project, "plan", "t")["shop"]["result"] is None
    assert project.log() == []
    returns = run(project, "apply", "t")
    assert returns["shop"]["changes"] == {"destroyed": ["dns.default#shared.main"]}
    assert project.log() == ["delete dns"]
    assert run(project, "apply", "gone")["shop"]["comment"] == "shop/dev: 3 destroyed"
    assert project.log() == ["delete postgres"]
    assert run(project, "apply", "gone")["shop"]["comment"] == "shop/dev: nothing to do"


def test_a_deployment_is_the_same_from_everywhere(project: DeployedProject) -> None:
    """What `ensue deploy` made is unchanged for the state, and the other way round."""
    run(project, "apply", "t")
    words = ("--app", "shop", "--env", "dev", "--env-type", "development")
    document = project.run("deploy", "score.yaml", *words, "--out", "json").document
    assert {node["status"] for node in document["nodes"]} == {"unchanged"}
    assert run(project, "apply", "t")["shop"]["changes"] == {}


def test_what_a_state_brings_is_data(project: DeployedProject) -> None:
    """A value with placeholders in it stays as it is: only files are read for them."""
    project.write("score.yaml", SCORE.replace("${resources.db.host}", "${resources.env.IT}")
                  + "  env: {type: environment}\n")  # fmt: skip
    values = """\
    - values: {IT: "${test:said:it}", other: {80: [1]}}
said:
  test.present:
    - new_state: {it: "${resources.db.host} {{ '{{ 7 }}' }}"}
after:
"""
    project.write("states/t.sls", SLS.replace("after:\n", values, 1))
    value = run(project, "apply", "t")["said"]["new_state"]["it"]
    words = ("--app", "shop", "--env", "dev", "--env-type", "development", "--value")
    document = project.run("deploy", "score.yaml", *words, f"IT={value}", "--out", "json").document
    module = document["nodes"][-1]["params"]["spec"]
    assert value == "${resources.db.host} {{ 7 }}"
    assert module["containers"]["main"]["variables"] == {"DB": "${resources.db.host} {{ 7 }}"}
    assert {node["status"] for node in document["nodes"]} == {"unchanged"}


def test_a_killed_apply_goes_on(project: DeployedProject) -> None:
    """A resume leaves finished resources alone, and the driver gets to know which create was interrupted."""
    project.postgres("{wait: true, host: db.shop}")
    pipes = [project.root / name for name in ("progress", "gate")]
    for pipe in pipes:
        os.mkfifo(pipe)
    progress, gate = (os.open(pipe, os.O_RDWR) for pipe in pipes)
    process = project.start("apply", "t")
    assert select.select([progress], [], [], 60)[0]
    process.kill()
    process.communicate()
    assert project.log() == ["create dns", "create postgres"]
    os.write(gate, b"go")
    ended = project.run("runs", "resume", "--out", "json")
    assert ended.code == 0, ended.out + ended.err
    assert project.log() == ["create postgres again"]
    returns = {returned["__id__"]: returned for returned in ended.document["m"].values()}
    assert returns["shop"]["comment"] == "shop/dev: 2 created, 2 unchanged"
    assert returns["after"]["comment"] == "db.shop (sensitive)"
    for descriptor in (progress, gate):
        os.close(descriptor)


ARGUMENTS = {"app": "shop", "env": "dev"}


@pytest.mark.parametrize("srn", [Srn("ssh_host", "web"), Srn("dummy", "d")])
def test_resources_are_refused(srn: Srn) -> None:
    """A deployment runs on the minion: its store and its drivers are there."""
    context = FakeStateContext(FakeConnection(srn))
    for call in (
        graph.deployed(context, "x", **ARGUMENTS, env_type="t", score="a.yaml"),
        graph.destroyed(context, "x", **ARGUMENTS),
    ):
        with pytest.raises(NotAvailableError, match=f"graph is not available for {srn.type}"):
            asyncio.run(call)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "nothing to deploy: give `score` or `deployment_set`"),
        ({"score": []}, "nothing to deploy"),
        ({"score": {"apiVersion": "x"}}, "score: .* is not the path of a file"),
        ({"deployment_set": [""]}, "deployment_set: '' is not the path of a file"),
        ({"score": 5}, "score: 5 is not the path of a file"),
    ],
)
def test_what_is_no_file_is_refused(files: dict[str, Any], message: str) -> None:
    """The content of a file is never taken from an argument."""
    context = FakeStateContext(FakeConnection(Srn("minion", "m")))
    with pytest.raises(StateFailedError, match=message):
        asyncio.run(graph.deployed(context, "x", **ARGUMENTS, env_type="t", **files))


MERGING = """\
cmd:
  test.present:
    - new_state: {password: bound-s3cret}
    - sensitive: [password]
shop:
  graph.deployed:
    - app: shop
    - env: dev
    - env_type: development
    - score: score.yaml
    - merge: true
    - values: {PASSWORD: "${test:cmd:password}"}
"""
WITH_VALUE = """\
apiVersion: score.dev/v1b1
metadata: {name: api}
containers: {main: {image: nginx, variables: {PASSWORD: "${resources.env.PASSWORD}"}}}
resources: {env: {type: environment}}
"""


def test_a_workload_is_merged_into_the_environment(project: DeployedProject) -> None:
    """The others stay; a secret that was bound to a value stays one when another process reads the set."""
    assert run(project, "apply", "t")["shop"]["result"]
    project.write("score.yaml", WITH_VALUE)
    project.write("states/t.sls", MERGING)
    merged = run(project, "apply", "t")["shop"]
    assert sorted(merged["changes"]["created"]) == ["workload.default#modules.api"]
    assert "orphaned" not in merged["comment"]
    words = ("deploy", "--app", "shop", "--env", "dev", "--env-type", "development", "--merge")
    ended = project.run(*words, "--out", "json")
    assert ended.code == 0, ended.err
    workload = next(node for node in ended.document["nodes"] if node["id"] == "modules.api")
    assert workload["status"] == "unchanged"
    assert workload["params"]["spec"]["containers"]["main"]["variables"] == {"PASSWORD": "(sensitive)"}
    assert "bound-s3cret" not in ended.out + ended.err
