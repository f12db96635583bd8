"""`timeout` and `retry` of a definition: how long a call of a driver may take, and how often it is tried."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.deployed_project import DB, DEPLOY, POSTGRES, DeployedProject, deployed_project

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import json, pathlib, sys
tries = pathlib.Path("tries")
tries.write_text((tries.read_text() if tries.exists() else "") + json.load(sys.stdin)["operation"] + "\\n")
if tries.read_text().count("\\n") < 3:
    sys.exit("no connection")
print(json.dumps({"values": {"host": "db", "url": "x"}}))
"""


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project whose database a program makes in its third call."""
    project = deployed_project(tmp_path / "project")
    project.write("make.py", PROGRAM)
    return project


def limited(project: DeployedProject, words: str, driver: str = "command") -> None:
    """Give the definition of the database some words, and perhaps another driver."""
    text = POSTGRES.replace("driver_type: log", f"driver_type: {driver}\n  {words}")
    if driver == "command":
        text = text.replace("values: {host:", "values: {command: [python3, make.py], host:")
    project.write("definitions/pg.yaml", text)


def database(ended: Any) -> Any:
    """Return the node of the database."""
    return next(node for node in ended.document["nodes"] if node["type"] == "postgres")


def test_a_failed_call_is_tried_again(project: DeployedProject) -> None:
    """As the next deployment would; dependents wait for it."""
    limited(project, "retry: {attempts: 3, interval: 0.01s}")
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 0, ended.err
    assert database(ended)["status"] == "created"
    assert (project.root / "tries").read_text() == "create\n" * 3


def test_the_last_failure_counts(project: DeployedProject) -> None:
    """After the last attempt, the resource has failed; the next deployment goes on."""
    limited(project, "retry: {attempts: 2, interval: 0.01s}")
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 2
    assert database(ended)["status"] == "failed"
    assert "no connection" in database(ended)["comment"]
    assert project.run(*DEPLOY).code == 0


def test_a_call_ends_in_time(project: DeployedProject) -> None:
    """A driver that waits for ever; the next deployment tells it that its call was cut short."""
    limited(project, "timeout: 0.2s", "log")
    project.postgres("{wait: true, host: db, url: x}")
    path = project.root / "definitions/pg.yaml"
    path.write_text(path.read_text().replace("driver_type: log", "driver_type: log\n  timeout: 0.2s"))
    pipes = [project.root / name for name in ("progress", "gate")]
    for pipe in pipes:
        os.mkfifo(pipe)
    held = [os.open(pipe, os.O_RDWR) for pipe in pipes]
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 2
    assert database(ended)["status"] == "failed"
    assert "was cut short" in database(ended)["comment"]
    assert "create postgres" in project.log()
    for pipe in held:
        os.close(pipe)
    project.postgres("{host: db, url: x}")
    assert project.run(*DEPLOY).code == 0
    assert project.log() == ["create postgres again"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("timeout: soon", "'timeout' is not a duration"),
        ("timeout: true", "'timeout' is not a duration"),
        ("timeout: 0", "'timeout' is not a duration"),
        ("retry: 3", "'retry' is a number, not a mapping"),
        ("retry: {attempts: 0}", "'attempts' is not a whole number above 0"),
        ("retry: {interval: x}", "'interval' is not a duration"),
        ("retry: {attempt: 2}", "'retry' has no key 'attempt'"),
    ],
)
def test_what_is_no_limit_is_refused(project: DeployedProject, words: str, error: str) -> None:
    """With its place, before anything runs."""
    limited(project, words)
    ended = project.run(*DEPLOY)
    assert ended.code == 1
    assert error in ended.err
    assert "definitions/pg.yaml:6" in ended.err
    assert DB not in ended.out
