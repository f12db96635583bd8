"""Deployments at the same time, of two processes: an environment is locked where its records are."""

from __future__ import annotations

import base64
import shutil
import signal
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import DB, DEPLOY, DeployedProject, Waiting, deployed_project
from tests.cli.shell import environment
from tests.support.postgresql import programs, running_postgresql

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.postgresql import Postgresql

KEY = {"ENSUE_KEY": base64.b64encode(bytes(32)).decode()}
LIVE = ("deploy", "score.yaml", "--app", "shop", "--env", "live", "--env-type", "development")
SHOP = """\
shop:
  graph.deployed:
    - app: shop
    - env: dev
    - env_type: development
    - score: score.yaml
"""
NESTED = """\
kind: Definition
metadata: {id: pg}
entity:
  type: postgres
  driver_type: state
  driver_inputs: {values: {sls: shop}}
  criteria: [{}]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Postgresql | None]:
    """A real server."""
    if programs() is None:
        yield None
        return
    with running_postgresql() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, server: Postgresql | None, tmp_path: Path) -> Iterator[str]:
    """A store that several folders share."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/store.db"
        return
    if server is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    server.query("CREATE DATABASE store")
    yield f"postgresql+psycopg://{server.user}@/store?host={server.socket_folder}"
    server.query("DROP DATABASE store WITH (FORCE)")


@pytest.fixture
def project(tmp_path: Path, store_url: str) -> DeployedProject:
    """A project of a workload with a database and a DNS name."""
    project = deployed_project(tmp_path / "project")
    project.write("ensue.yaml", f"id: m\nstore_url: {store_url}\n")
    return project


@pytest.fixture
def checkout(project: DeployedProject, tmp_path: Path) -> DeployedProject:
    """A second folder of that project; what it deploys waits for nothing."""
    shutil.copytree(project.root, tmp_path / "checkout")
    checkout = DeployedProject(tmp_path / "checkout")
    checkout.write("states/shop.sls", SHOP)
    return checkout


@pytest.fixture
def waiting(project: DeployedProject, checkout: DeployedProject) -> Iterator[Waiting]:
    """A deployment of `dev` in the first folder, which does not end by itself."""
    assert checkout.root != project.root
    project.postgres("{wait: true, host: db}")
    started = Waiting(project, *DEPLOY, "--out", "json", env=environment(**KEY))
    project.postgres("{host: db}")
    yield started
    started.close()


def until_told(process: subprocess.Popen[bytes], words: bytes) -> bytes:
    """Return the line of stderr that has these words."""
    assert process.stderr is not None
    while words not in (line := process.stderr.readline()):
        assert line, "it has ended, or closed stderr"
    return line


def test_environments_of_one_store_are_deployed_at_the_same_time(
    project: DeployedProject, waiting: Waiting
) -> None:
    """Even in one folder: the second one is done while the first one goes on, and warns of nothing."""
    ended = project.run(*LIVE, **KEY)
    assert ended.code == 0, ended.err
    assert "E0109" not in ended.err
    assert waiting.process.poll() is None


def test_one_environment_is_refused_from_any_folder(checkout: DeployedProject, waiting: Waiting) -> None:
    """The refusal says who deploys it: command, process, user, machine, since when. Nothing is called."""
    for words in (DEPLOY, ("deploy", "--app", "shop", "--env", "dev", "--destroy")):
        ended = checkout.run(*words, "--out", "json", **KEY)
        assert ended.code == 1
        (message,) = ended.document["errors"]
        assert message.startswith(
            "the environment shop/dev is being deployed by ensue deploy shop/dev (process "
        )
        assert f"process {waiting.process.pid} of " in message
        assert " on " in message
        assert ", since " in message
    ended = checkout.run("deploy", "--app", "shop", "--env", "dev", "--forget", DB, **KEY)
    assert (ended.code, "is being deployed" in ended.err) == (1, True)
    assert checkout.log() == []
    assert checkout.run(*DEPLOY, "--plan", **KEY).code == 0


def test_it_waits_when_asked_to(checkout: DeployedProject, waiting: Waiting) -> None:
    """With `--wait` it says for whom it waits, and begins when the other one has ended."""
    with checkout.start(*DEPLOY, "--wait", env=environment(**KEY)) as process:
        until_told(process, b"waiting: the environment shop/dev is being deployed by ensue deploy shop/dev")
        waiting.open_gate()
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err


def test_a_wait_has_the_length_that_is_given(checkout: DeployedProject, waiting: Waiting) -> None:
    """`--wait=DURATION` ends as a refusal; something else than a duration is refused."""
    ended = checkout.run(*DEPLOY, "--wait=0.05s", **KEY)
    assert (ended.code, f"process {waiting.process.pid} of" in ended.err) == (1, True)
    ended = checkout.run(*DEPLOY, "--wait=soon", **KEY)
    assert (ended.code, "'soon' is not a duration, such as 90, 90s, 10m or 2h" in ended.err) == (1, True)


@pytest.mark.usefixtures("waiting")
def test_a_signal_ends_a_wait(checkout: DeployedProject) -> None:
    """The event loop is free meanwhile, so that one signal is enough where nothing is running."""
    with checkout.start(*DEPLOY, "--wait", env=environment(**KEY)) as process:
        until_told(process, b"waiting: the environment")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert b"Traceback" not in err


def test_a_kill_frees_it(checkout: DeployedProject, waiting: Waiting) -> None:
    """Who waits goes on when the other one is killed, and the driver is told of the interrupted call."""
    with checkout.start(*DEPLOY, "--wait", env=environment(**KEY)) as process:
        until_told(process, b"waiting: the environment")
        waiting.process.kill()
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    assert "create postgres again" in checkout.log()


@pytest.mark.usefixtures("waiting")
def test_a_state_that_deploys_it_is_refused(checkout: DeployedProject) -> None:
    """An apply with `graph.deployed` fails in that state, which says who deploys the environment."""
    ended = checkout.run("apply", "shop", "--out", "json", **KEY)
    assert ended.code == 2
    (state,) = ended.document["m"].values()
    assert state["comment"].startswith(
        "the environment shop/dev is being deployed by ensue deploy shop/dev ("
    )


def test_a_state_waits_as_its_apply_does(checkout: DeployedProject, waiting: Waiting) -> None:
    """`ensue apply --wait` waits in the state."""
    with checkout.start("apply", "shop", "--wait", env=environment(**KEY)) as process:
        until_told(process, b"waiting: the environment shop/dev")
        waiting.open_gate()
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err


def test_what_is_below_a_deployment_does_not_wait_for_it(checkout: DeployedProject) -> None:
    """A driver whose states deploy the same environment is refused, even with `--wait`."""
    checkout.write("definitions/pg.yaml", NESTED)
    ended = checkout.run(*DEPLOY, "--wait", "--out", "json", **KEY)
    assert ended.code == 2
    assert "the environment shop/dev is being deployed by ensue deploy shop/dev" in ended.out


def test_an_apply_of_the_folder_waits_for_its_deployments(project: DeployedProject, waiting: Waiting) -> None:
    """An apply has its folder for itself: it is refused while a deployment goes on, and names that."""
    project.write("states/x.sls", "x:\n  test.nop: []\n")
    ended = project.run("apply", "x", **KEY)
    assert ended.code == 1
    assert "this project is being applied by ensue deploy shop/dev" in ended.err
    waiting.open_gate()
    waiting.ended()
    assert project.run("apply", "x", **KEY).code == 0


@pytest.mark.usefixtures("waiting")
def test_deployments_of_an_environment_after_each_other(checkout: DeployedProject) -> None:
    """What another environment holds up is not held up: `live` is deployed twice, and unchanged."""
    for status in ("created", "unchanged"):
        ended = checkout.run(*LIVE, "--out", "json", **KEY)
        assert {node["status"] for node in ended.document["nodes"]} == {status}
