"""`ensue deploy --refresh`: what has changed outside is seen and mended although the inputs are the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.deployed_project import DB, DEPLOY, DeployedProject, deployed, deployed_project, statuses

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
    assert (box["status"], [one["path"] for one in box["changes"]]) == ("updated", ["/outputs/made"])
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
