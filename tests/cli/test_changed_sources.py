"""`ensue show impact` of resources whose definition is the same, while files outside of it have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell
from tests.support.terraform import BOX, configuration, needs_terraform

if TYPE_CHECKING:
    from pathlib import Path

DEFINITIONS = """\
kind: Definition
metadata: {id: box}
entity:
  type: box
  driver_type: terraform
  driver_inputs: {values: {source: {path: modules/box}, variables: {size: "${context.env.id}"}}}
  criteria: [{}]
---
kind: Definition
metadata: {id: bucket}
entity:
  type: bucket
  driver_type: command
  driver_inputs: {values: {command: [sh, bucket.sh]}, secrets: {key: hunter2-of-the-bucket}}
  criteria: [{}]
---
kind: Definition
metadata: {id: workload}
entity: {type: workload, driver_type: echo, driver_inputs: {values: {}}, criteria: [{}]}
"""
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx}}
resources: {box: {type: box}, bucket: {type: bucket, params: {size: 1}}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project that is deployed to two environments."""
    needs_terraform()
    project = Shell(tmp_path / "project")
    project.write("ensue.yaml", "id: m\n")
    project.write("definitions/all.yaml", DEFINITIONS)
    project.write("score.yaml", SCORE)
    project.write("bucket.sh", "echo '{}'\n")
    configuration(project.root / "modules/box", BOX)
    for env in ("dev", "stage"):
        ended = project.run("deploy", "score.yaml", "--app", "shop", "--env", env, "--env-type", "any")
        assert ended.code == 0, ended.err
    return project


def impact(project: Shell, *words: str) -> list[Any]:
    """Return the environment, the type and the reason of each resource, and its workloads."""
    rows = project.run("show", "impact", *words, "--out", "json").document
    names = ("env", "resource", "why", "workloads")
    return [[row[name] for name in names] for row in rows]


def test_a_changed_module_or_program_reaches_all_its_deployments(project: Shell) -> None:
    """Each resource with its environment; or only those of one definition or environment."""
    assert impact(project) == []
    configuration(project.root / "modules/box", BOX + "# newer\n")
    box, workload = "box.default#modules.web.externals.box", "workload.default#modules.web"
    boxes = [[env, box, "source changed", [workload]] for env in ("dev", "stage")]
    assert impact(project) == boxes
    project.write("bucket.sh", "# newer\necho '{}'\n")
    assert [row[:1] + row[2:3] for row in impact(project, "bucket")] == [
        ["dev", "source changed"],
        ["stage", "source changed"],
    ]
    assert impact(project, "box", "--env", "dev") == boxes[:1]
    project.run("deploy", "score.yaml", "--app", "shop", "--env", "dev")
    assert {row[0] for row in impact(project)} == {"stage"}


def test_a_source_that_is_gone_is_said(project: Shell) -> None:
    """The next deployment could not read it; the others are listed all the same."""
    (project.root / "modules/box/main.tf").unlink()
    (project.root / "modules/box").rmdir()
    assert {row[2] for row in impact(project)} == {"source cannot be read"}
