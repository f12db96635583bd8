"""`params_schema` on the command line: errors come together, before any driver is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import CONTEXT, DEPLOY, DeployedProject, deployed, deployed_project

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = """\
  params_schema:
    additionalProperties: false
    properties: {tier: {enum: [gold, silver], default: silver}, days: {type: integer}}
"""
SET = """\
{"modules": {"web": {
  "spec": {"containers": {"main": {"image": "nginx"}}},
  "externals": {"db": {"type": "postgres", "params": {"teir": "gold"}}}}},
 "shared": {"main": {"type": "dns", "params": {"days": "7"}}}}
"""


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project whose databases and DNS names have a schema."""
    project = deployed_project(tmp_path / "project")
    for name in ("pg", "others"):
        path = project.root / f"definitions/{name}.yaml"
        text = path.read_text().replace("  driver_type: log\n", f"  driver_type: log\n{SCHEMA}")
        block = f"entity:\n  type: dns\n  driver_type: log\n{SCHEMA}  driver_inputs: "
        text = text.replace("entity: {type: dns, driver_type: log, driver_inputs: ", block)
        path.write_text(
            text.replace(
                "{values: {host: shop.example}}, criteria: [{}]}", "{values: {host: x}}\n  criteria: [{}]"
            )
        )
    return project


def test_errors_of_a_deployment_set_come_together(project: DeployedProject) -> None:
    """Those of private and of shared resources, in a graph, a plan and a deployment; no driver is called."""
    project.write("set.json", SET)
    for words in (("graph",), ("deploy", "--plan"), ("deploy",)):
        ended = project.run(words[0], "set.json", *CONTEXT, *words[1:], "--out", "json")
        assert ended.code == 1
        first, second = sorted(ended.document["errors"])
        assert first.startswith(
            "set.json:3:55: 'params' of postgres.default#modules.web.externals.db has no key 'teir'"
        )
        assert second.startswith(
            "set.json:4:48: 'params.days' of dns.default#shared.main is a text, not a whole number"
        )
    assert project.log() == []


def test_values_of_the_environment_are_judged_when_they_are_given(project: DeployedProject) -> None:
    """A graph without the value does not know it; a graph with it, and a deployment, do."""
    text = (project.root / "score.yaml").read_text()
    text = text.replace(
        "db: {type: postgres}", "db: {type: postgres, params: {tier: '${resources.env.TIER}'}}"
    )
    project.write("score.yaml", f"{text}  env: {{type: environment}}\n")
    assert project.run("graph", "score.yaml", *CONTEXT).code == 0
    assert project.run("graph", "score.yaml", *CONTEXT, "--value", "TIER=gold").code == 0
    for command in ("graph", "deploy"):
        ended = project.run(command, "score.yaml", *CONTEXT, "--value", "TIER=bronze", "--out", "json")
        assert ended.code == 1
        (error,) = ended.document["errors"]
        assert "'params.tier' of postgres.default#modules.web.externals.db is not one of" in error
        assert "bronze" not in error
    assert project.log() == []


def test_another_default_updates(project: DeployedProject) -> None:
    """A default is a part of the params, so those who use it get the new one."""
    assert deployed(project)["postgres"] == "created"
    assert deployed(project)["postgres"] == "unchanged"
    path = project.root / "definitions/pg.yaml"
    path.write_text(path.read_text().replace("default: silver", "default: gold"))
    assert deployed(project)["postgres"] == "updated"
    graph = project.run(*DEPLOY, "--plan", "--out", "json").document
    assert [node["params"] for node in graph["nodes"] if node["type"] == "postgres"] == [{"tier": "gold"}]
