"""`ensue deploy` with secrets that are kept elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import DEPLOY, deployed, deployed_project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.deployed_project import DeployedProject

KEPT_ELSEWHERE = "k3pt-elsewhere"
DEFINITION = """\
kind: Definition
metadata: {id: pg}
entity:
  type: postgres
  driver_type: log
  driver_inputs:
    values: {host: db}
    secret_refs:
      password: {store: files, ref: db/password}
      login: {value: admin-of-all}
  criteria: [{}]
"""


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project whose database takes its password from a store."""
    project = deployed_project(tmp_path / "project")
    project.write("definitions/pg.yaml", DEFINITION)
    project.write("ensue.yaml", "id: m\nsecret_stores:\n  files: {kind: file, path: vault}\n")
    project.write("vault/db/password", f"{KEPT_ELSEWHERE}\n")
    return project


def test_a_secret_of_a_store_reaches_the_driver_alone(project: DeployedProject) -> None:
    """It is an input like any other: the same again changes nothing, another one updates the resource."""
    assert deployed(project)["postgres"] == "created"
    assert set(deployed(project).values()) == {"unchanged"}
    ended = project.run(*DEPLOY, "--out", "json")
    assert KEPT_ELSEWHERE not in ended.out + ended.err
    assert not [path for path in (project.root / ".ensue").rglob("*") if _holds(path, KEPT_ELSEWHERE)]
    project.write("vault/db/password", "another-one")
    assert deployed(project, "--plan")["postgres"] == "planned"
    assert deployed(project)["postgres"] == "updated"


def test_only_a_secret_that_differs_is_a_change(project: DeployedProject) -> None:
    """The value from the store is compared, not the reference to it."""
    deployed(project)
    project.write("definitions/pg.yaml", DEFINITION.replace("host: db", "host: other"))
    assert _changed_paths(project, "--plan") == ["/values/host"]
    project.write("vault/db/password", "another-one")
    assert _changed_paths(project, "--plan") == ["/secrets/password", "/values/host"]
    assert _changed_paths(project) == ["/secrets/password", "/values/host"]


def _changed_paths(project: DeployedProject, *options: str) -> list[str]:
    nodes = json.loads(project.run(*DEPLOY, *options, "--out", "json").out)["nodes"]
    database = next(node for node in nodes if node["type"] == "postgres")
    paths = (change["path"] for change in database["changes"])
    return sorted(path for path in paths if not path.startswith("/outputs/"))


def test_what_cannot_be_read_is_refused_with_its_place(project: DeployedProject) -> None:
    """Nothing is provisioned, and the message points to the definition."""
    (project.root / "vault/db/password").unlink()
    ended = project.run(*DEPLOY)
    assert ended.code == 1
    assert "error[E0836]: the secret files: db/password of definition pg cannot be read" in ended.err
    assert "definitions/pg.yaml:9:" in ended.err
    assert project.log() == []


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and text.encode() in path.read_bytes()
