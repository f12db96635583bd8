"""`ensue deploy` interrupted, killed, and twice at the same time."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import DEPLOY, Waiting, deployed, deployed_project, statuses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.deployed_project import DeployedProject


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project of a workload with a database and a DNS name."""
    return deployed_project(tmp_path / "project")


@pytest.fixture
def waiting(project: DeployedProject) -> Iterator[Waiting]:
    """A deployment that does not end by itself."""
    project.postgres("{wait: true, host: db}")
    started = Waiting(project, *DEPLOY, "--out", "json")
    yield started
    started.close()


def test_ctrl_c_waits_for_what_is_running(project: DeployedProject, waiting: Waiting) -> None:
    """The resource is finished and kept, nothing new begins; exit code 130, and one document."""
    waiting.process.send_signal(signal.SIGINT)
    assert waiting.process.stderr is not None
    assert b"SIGINT" in waiting.process.stderr.readline()
    waiting.open_gate()
    out, err = waiting.ended()
    assert waiting.process.returncode == 130, err
    by_type = statuses(json.loads(out))
    assert (by_type["postgres"], by_type["workload"]) == ("created", "skipped")
    project.log()
    by_type = deployed(project)
    assert (by_type["postgres"], by_type["workload"]) == ("unchanged", "created")
    assert project.log() == []


def test_a_second_ctrl_c_ends_it(project: DeployedProject, waiting: Waiting) -> None:
    """The driver's call is cut short, and the next deployment tells the driver so."""
    waiting.process.send_signal(signal.SIGINT)
    assert waiting.process.stderr is not None
    assert b"SIGINT" in waiting.process.stderr.readline()
    waiting.process.send_signal(signal.SIGINT)
    _, err = waiting.ended()
    assert waiting.process.returncode == 130, err
    assert b"Traceback" not in err
    project.log()
    project.postgres("{host: db}")
    assert deployed(project)["postgres"] == "created"
    assert project.log() == ["create postgres again"]


def test_one_deployment_at_a_time(project: DeployedProject, waiting: Waiting) -> None:
    """A second one is refused by name and makes nothing; a plan and a graph need not wait."""
    assert waiting.process.poll() is None
    project.log()
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 1
    assert "ensue deploy shop/dev" in ended.document["errors"][0]
    assert project.log() == []
    assert project.run(*DEPLOY, "--plan").code == 0


def test_a_kill_leaves_a_cookie(project: DeployedProject, waiting: Waiting) -> None:
    """What a driver kept before kill -9 comes back with `was_interrupted`; nothing else is made twice."""
    waiting.process.kill()
    waiting.ended()
    assert project.log() == ["create dns", "create postgres"]
    project.postgres("{host: db}")
    by_type = deployed(project)
    assert (by_type["postgres"], by_type["dns"], by_type["workload"]) == ("created", "unchanged", "created")
    assert project.log() == ["create postgres again"]
