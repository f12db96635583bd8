"""`ensue show active RESOURCE:OUTPUT`: one value for a script."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import DB, DEPLOY, SECRET, DeployedProject, deployed, deployed_project

if TYPE_CHECKING:
    from pathlib import Path

WHERE = ("--app", "shop", "--env", "dev")


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A deployed project whose database has outputs of all kinds."""
    project = deployed_project(tmp_path / "project")
    project.postgres(
        '{host: "db ü", port: 5432, nodes: [{name: a}, {name: "b:c"}], admin: {api_token: t0ken, url: x}}'
    )
    deployed(project)
    return project


@pytest.mark.parametrize(
    ("output", "printed"),
    [
        ("host", "db ü\n"),
        ("port", "5432\n"),
        ("nodes:1:name", "b:c\n"),
        ("nodes", '[{"name":"a"},{"name":"b:c"}]\n'),
    ],
)
def test_a_value_is_printed_alone(project: DeployedProject, output: str, printed: str) -> None:
    """A text as it is, anything else as JSON; with `--out json`, all as JSON."""
    ended = project.run("show", "active", f"{DB}:{output}", *WHERE)
    assert (ended.code, ended.out, ended.err) == (0, printed, "")
    document = project.run("show", "active", f"{DB}:{output}", *WHERE, "--out", "json").document
    assert document == (printed[:-1] if output in {"host", "nodes:1:name"} else json.loads(printed))


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (f"{DB}:hots", "has no output 'hots' (did you mean host?)"),
        (f"{DB}:nodes:7", "has no output 'nodes:7' (nodes has 2 items)"),
        (f"{DB}:password", "the output 'password' is secret, and is not printed"),
        (f"{DB}:admin:api_token", "the output 'admin:api_token' is secret, and is not printed"),
        (f"{DB}:admin", "the output 'admin' is secret, and is not printed"),
        (f"{DB}:", "has no output ''"),
        (f"{DB}:nodes:0:nme", "has no output 'nodes:0:nme' (did you mean name?)"),
        (f"{DB}:nodes:" + "1" * 5000, "(nodes has 2 items)"),
        (f"{DB}x:host", f"this environment has no record of '{DB}x'"),
    ],
)
def test_what_is_not_there_or_secret_is_refused(project: DeployedProject, word: str, message: str) -> None:
    """With exit code 1 and nothing on stdout, so that a script stops."""
    ended = project.run("show", "active", word, *WHERE)
    assert (ended.code, ended.out) == (1, "")
    assert message in " ".join(ended.err.split())
    assert SECRET not in ended.err
    assert "t0ken" not in ended.err


def test_one_environment_is_meant(project: DeployedProject) -> None:
    """Without a value, the resource is listed for each."""
    words = [word.replace("dev", "test") if word == "dev" else word for word in DEPLOY]
    assert project.run(*words).code == 0
    ended = project.run("show", "active", f"{DB}:host")
    assert (ended.code, ended.out) == (1, "")
    assert "is in shop/dev, shop/test: say which one with --app and --env" in " ".join(ended.err.split())
    listed = project.run("show", "active", DB, "--out", "json").document
    assert [(row["env"], row["resource"]) for row in listed] == [("dev", DB), ("test", DB)]
