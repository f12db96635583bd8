"""`ensue show types`: what a developer may request in an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import CONTEXT, DeployedProject, deployed, deployed_project

if TYPE_CHECKING:
    from pathlib import Path

LARGE = """\
kind: Definition
metadata: {id: pg-large}
entity:
  type: postgres
  driver_type: echo
  driver_inputs: {values: {}}
  criteria: [{class: large}, {env_type: production}]
"""


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project with three types, one of which has a second class."""
    project = deployed_project(tmp_path / "project")
    project.write("definitions/large.yaml", LARGE)
    return project


def test_types_are_listed(project: DeployedProject) -> None:
    """By type and class, with their definitions, drivers and outputs; nobody requests a workload."""
    before = project.run("show", "types", *CONTEXT)
    assert before.code == 0, before.err
    assert [line.split(maxsplit=4) for line in before.out.splitlines()] == [
        ["TYPE", "CLASS", "DEFINITION", "DRIVER", "OUTPUTS"],
        ["base-env", "default", "base", "echo", "known after the first deployment"],
        ["dns", "default", "dns", "log", "known after the first deployment"],
        ["postgres", "default", "pg", "log", "known after the first deployment"],
        ["postgres", "large", "pg-large", "echo", "known after the first deployment"],
    ]
    deployed(project)
    after = project.run("show", "types", *CONTEXT).out
    assert "host, password (secret), url (secret)" in after
    live = ("--app", "shop", "--env", "live", "--env-type", "production")
    rows = [line.split()[:3] for line in project.run("show", "types", *live).out.splitlines()]
    assert rows.index(["postgres", "default", "pg-large"]) < rows.index(["postgres", "default", "pg"])


def test_one_type_has_an_example(project: DeployedProject) -> None:
    """It can be copied into a Score file; a program gets the same."""
    deployed(project)
    shown = project.run("show", "types", "postgres", *CONTEXT)
    assert "dns" not in shown.out
    assert "      IT: ${resources.it.host}\nresources:\n  it:\n    type: postgres\n" in shown.out
    assert "    type: postgres\n    class: large\n" in shown.out
    first, second = project.run("show", "types", "postgres", *CONTEXT, "--out", "json").document
    assert (first["type"], first["class"], second["class"]) == ("postgres", "default", "large")
    assert first["outputs"] == [
        {"name": "host", "secret": False},
        {"name": "password", "secret": True},
        {"name": "url", "secret": True},
    ]
    (definition,) = first["definitions"]
    assert definition == {
        "id": "pg",
        "driver": "log",
        "criteria": [{}],
        "place": "definitions/pg.yaml:4:3",
    }
    project.write("score.yaml", f"apiVersion: score.dev/v1b1\nmetadata: {{name: web}}\n{first['example']}")
    text = (project.root / "score.yaml").read_text()
    project.write("score.yaml", text.replace("  main:\n", "  main:\n    image: nginx\n"))
    assert deployed(project)["workload"] == "updated"


def test_a_type_that_nobody_offers(project: DeployedProject) -> None:
    """The nearest one is told."""
    ended = project.run("show", "types", "postgre", *CONTEXT)
    assert ended.code == 1
    assert "did you mean postgres?" in ended.err


SCHEMA = """\
kind: Definition
metadata: {id: queue}
entity:
  type: queue
  driver_type: echo
  driver_inputs: {values: {url: here}}
  params_schema:
    required: [name, "yes", kind]
    properties:
      name: {type: string, pattern: "^[a-z]+[$]$", description: "The name\\nof the queue."}
      "yes": {type: boolean}
      kind: {const: "no"}
      size: {type: [integer, string], default: 3}
  criteria: [{}]
"""


def test_params_are_listed_from_their_schema(project: DeployedProject) -> None:
    """With type, default and description; the example has what is required, and can be deployed."""
    project.write("definitions/queue.yaml", SCHEMA)
    shown = project.run("show", "types", "queue", *CONTEXT)
    assert [" ".join(line.split()) for line in shown.out.splitlines()[3:9]] == [
        "params (queue):",
        "NAME TYPE DEFAULT DESCRIPTION",
        "name string (required) The name of the queue",
        "yes boolean (required)",
        'kind string (required) one of "no"',
        "size integer or string 3",
    ]
    (queue,) = project.run("show", "types", "queue", *CONTEXT, "--out", "json").document
    (definition,) = queue["definitions"]
    assert definition["params"][0] == {
        "name": "name",
        "type": "string",
        "required": True,
        "description": "The name of the queue.",
    }
    assert definition["params"][3]["default"] == 3
    assert definition["params_schema"]["required"] == ["name", "yes", "kind"]
    example = queue["example"].replace("  main:\n", "  main:\n    image: nginx\n").replace("OUTPUT", "url")
    project.write("score.yaml", f"apiVersion: score.dev/v1b1\nmetadata: {{name: web}}\n{example}")
    assert deployed(project)["queue"] == "created"
    graph = project.run("graph", "score.yaml", *CONTEXT, "--out", "json").document
    assert [node["params"] for node in graph["nodes"] if node["type"] == "queue"] == [
        {"name": "a$", "yes": False, "kind": "no", "size": 3}
    ]
