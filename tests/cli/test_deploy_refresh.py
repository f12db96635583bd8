"""`ensue deploy --refresh`: what has changed outside is seen and mended although the inputs are the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.deployed_project import (
    DB,
    DEPLOY,
    DESTROY,
    DeployedProject,
    deployed,
    deployed_project,
    statuses,
)

if TYPE_CHECKING:
    from pathlib import Path

BOX = "box.default#modules.web.externals.box"
DEFINITION = """\
kind: Definition
metadata: {id: box}
entity:
  type: box
  driver_type: command
  driver_inputs: {values: {command: [python3, box.py], plan: true}}
  criteria: [{}]
"""
PROGRAM = """\
import json, pathlib, sys
asked = json.load(sys.stdin)
box = pathlib.Path("the box")
if asked["operation"] == "plan":
    print(json.dumps({"would_change": not box.exists(), "comment": "would make the box"}))
elif asked["operation"] == "delete":
    box.unlink()
else:
    box.write_text("full")
    print(json.dumps({"values": {"made": box.stat().st_mtime_ns}}))
"""


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A deployed project, with a box that a program makes."""
    project = deployed_project(tmp_path / "project")
    project.write("definitions/box.yaml", DEFINITION)
    project.write("box.py", PROGRAM)
    score = (project.root / "score.yaml").read_text()
    project.write("score.yaml", score.replace("resources:", "resources:\n  box: {type: box}"))
    deployed(project)
    project.log()
    return project


def planned(project: DeployedProject, *words: str) -> dict[str, Any]:
    """Return the nodes of a plan by their types."""
    document = project.run(*DEPLOY, "--plan", *words, "--out", "json").document
    return {node["type"]: node for node in document["nodes"]}


def test_what_is_gone_is_seen_and_made_again(project: DeployedProject) -> None:
    """Only with the option; afterwards there is nothing to do."""
    assert planned(project, "--refresh")["box"]["status"] == "unchanged"
    (project.root / "the box").unlink()
    assert planned(project)["box"]["status"] == "unchanged"
    seen = planned(project, "--refresh")["box"]
    assert (seen["status"], seen["comment"], seen["changes"]) == ("planned", "would make the box", [])
    assert set(deployed(project).values()) == {"unchanged"}
    ended = project.run(*DEPLOY, "--refresh", "--out", "json")
    assert ended.code == 0, ended.err
    (box,) = (node for node in ended.document["nodes"] if node["type"] == "box")
    assert (box["status"], [change["path"] for change in box["changes"]]) == ("updated", ["/outputs/made"])
    assert (project.root / "the box").read_text() == "full"
    assert planned(project, "--refresh")["box"]["status"] == "unchanged"


def test_every_driver_that_makes_something_is_asked(project: DeployedProject) -> None:
    """Drivers that make nothing are not."""
    assert statuses(project.run(*DEPLOY, "--refresh", "--out", "json").document) == {
        "base-env": "unchanged",
        "box": "updated",
        "dns": "updated",
        "postgres": "updated",
        "workload": "unchanged",
    }
    assert project.log() == ["update dns", "update postgres"]
    assert json.dumps(planned(project)[DB.split(".")[0]]["changes"]) == "[]"
    assert BOX in project.run("show", "active").out


def test_a_plan_says_what_would_be_done(project: DeployedProject) -> None:
    """Each resource and the sum have the action; JSON has it beside the status."""
    lines = project.run(*DESTROY, "--plan").out.splitlines()
    assert f"to destroy  {BOX}" in lines
    assert lines[-1] == "shop/dev: 5 to destroy"
    (project.root / "the box").unlink()
    node = planned(project, "--refresh")["box"]
    assert (node["status"], node["action"]) == ("planned", "update")
    project.write("definitions/box.yaml", DEFINITION.replace("plan: true", "plan: true, size: 2"))
    assert planned(project)["box"]["action"] == "update"
    assert f" to update  {BOX}" in project.run(*DEPLOY, "--plan").out.splitlines()


def test_a_plan_that_compares_only_inputs_says_so(project: DeployedProject) -> None:
    """As text, and not if drivers were asked."""
    note = "compared inputs only; --refresh looks at what was made"
    assert project.run(*DEPLOY, "--plan").out.splitlines()[-1] == note
    assert note not in project.run(*DEPLOY, "--plan", "--refresh").out
    assert note not in project.run(*DEPLOY).out


def test_a_driver_that_cannot_look_changes_nothing_else_in_the_plan(project: DeployedProject) -> None:
    """What depends on it is compared with its last outputs, as a deployment finds it."""
    project.write("definitions/box.yaml", DEFINITION.replace(", plan: true", ""))
    score = (project.root / "score.yaml").read_text()
    project.write("score.yaml", score.replace('DB: "${resources.db.host}"', 'MADE: "${resources.box.made}"'))
    program = PROGRAM.replace("box.stat().st_mtime_ns", "7")
    project.write("box.py", program)
    deployed(project)
    nodes = planned(project, "--refresh")
    assert (nodes["box"]["status"], nodes["box"]["action"]) == ("planned", "read")
    assert nodes["workload"]["status"] == "unchanged"
    assert (
        statuses(project.run(*DEPLOY, "--refresh", "--out", "json").document)["workload"]
        == (nodes["workload"]["status"])
    )


def test_the_exit_code_says_whether_anything_would_be_done(project: DeployedProject) -> None:
    """0: nothing; 2: something; 1: an error, also without a plan."""
    words = ("--plan", "--detailed-exitcode")
    assert project.run(*DEPLOY, *words).code == 0
    assert project.run(*DEPLOY, *words, "--refresh").code == 2
    assert project.run(*DESTROY, *words).code == 2
    ended = project.run(*DEPLOY, "--detailed-exitcode")
    assert (ended.code, "--detailed-exitcode goes with --plan" in ended.err) == (1, True)
