"""State modules `docker_…` with docker's own client, and podman's service for an engine."""

from __future__ import annotations

import shutil
import tarfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states import system_states
from tests.library.states.system_states import HERE, context, execute
from tests.support.containers import IMAGE, needs_podman, running_engine

from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ensue.core.model.returns import StateReturn
    from ensue.testing.context import FakeStateContext

pytestmark = pytest.mark.long

LIMITS = ["nofile=1024:1024", "nproc=4096:4096"]
"""Below those of the machine, which podman would raise and a machine without CAP_SYS_RESOURCE refuses."""
SLEEPS: dict[str, Any] = {"image": IMAGE, "command": "sleep 1000000", "networks": [], "ulimits": LIMITS}


class Docker:
    """An engine that docker's client reaches, and calling states of it."""

    def __init__(self, address: str) -> None:
        self.address = address

    def context(self, *, test: bool = False) -> FakeStateContext:
        ctx = context(MinionConnection(HERE), test=test)
        ctx.opts["docker.url"] = self.address
        return ctx

    def state(self, function: str, name: str, *, test: bool = False, **arguments: Any) -> StateReturn:
        return system_states.state(function, self.context(test=test), name, **arguments)

    def thrice(self, function: str, name: str, **arguments: Any) -> tuple[StateReturn, StateReturn]:
        """Plan, apply and apply again; return the plan and the first apply. The second changes nothing."""
        planned = self.state(function, name, test=True, **arguments)
        done = self.state(function, name, **arguments)
        again = self.state(function, name, **arguments)
        assert (again.result, again.changes) == (True, {}), again.comment
        assert done.result is True, done.comment
        return planned, done

    def ask(self, function: str, *words: Any, **arguments: Any) -> Any:
        return execute(function, self.context(), *words, **arguments)


@pytest.fixture(scope="module")
def docker() -> Iterator[Docker]:
    """Docker's client, connected to an engine of the module's own."""
    needs_podman()
    if not shutil.which("docker"):
        pytest.skip("needs docker: apt-get install docker.io")
    with running_engine() as engine, engine.service() as address:
        yield Docker(address)


def test_a_container_is_created_replaced_stopped_and_removed(docker: Docker) -> None:
    """What it is created with is compared; a variable with line ends and one of the client arrive."""
    options = {
        **SLEEPS,
        "environment": [{"GREETING": "one\ntwo"}, {"PATH": "/bin:/opt"}],
        "labels": ["a=b", "c"],
        "binds": "/etc:/seen:ro",
        "restart_policy": "on-failure:3",
    }
    planned, done = docker.thrice("docker_container.running", "web", **options)
    assert (planned.result, planned.comment) == (None, "Container 'web' would be created")
    assert (done.comment, set(done.changes)) == ("Created container 'web'", {"container_id", "state"})
    assert done.changes["state"] == {"old": None, "new": "running"}
    assert docker.ask("docker.run_stdout", "web", "echo $GREETING; echo $PATH") == "one two\n/bin:/opt"
    about = docker.ask("docker.inspect_container", "web")
    assert about["HostConfig"]["RestartPolicy"] == {"Name": "on-failure", "MaximumRetryCount": 3}
    assert about["Config"]["Labels"] == {"a": "b", "c": ""}
    options["environment"] = {"GREETING": "three"}
    planned, done = docker.thrice("docker_container.running", "web", shutdown_timeout=0, **options)
    assert (planned.result, planned.comment) == (None, "Container 'web' would be replaced")
    assert planned.changes.keys() == {"container"}
    assert done.comment == "Replaced container 'web'"
    assert done.changes["container_id"]["removed"] == [about["Id"]]
    assert docker.ask("docker.list_containers", all=True) == ["web"], "none is left of those compared"
    planned, done = docker.thrice("docker_container.stopped", "web", shutdown_timeout=0)
    assert planned.changes == {"web": {"state": {"old": "running", "new": "stopped"}}}
    assert done.comment == "The following container(s) were stopped: web"
    planned, done = docker.thrice("docker_container.running", "web", **options)
    assert done.changes == {"state": {"old": "stopped", "new": "running"}} == planned.changes
    refused = docker.state("docker_container.absent", "web")
    assert (refused.result, "set force" in refused.comment) == (False, True)
    planned, done = docker.thrice("docker_container.absent", "web", force=True)
    assert (planned.result, done.comment) == (None, "Forcibly removed container 'web'")
    assert done.changes == planned.changes
    missing = docker.state("docker_container.stopped", "web")
    assert missing.comment == "The following container(s) are absent: web"


def test_what_a_container_watches_replaces_it_or_signals_it(docker: Docker) -> None:
    """`watch_action` decides; by default the container is replaced."""
    first = docker.state("docker_container.running", "watcher", **SLEEPS)
    options = {**SLEEPS, "shutdown_timeout": 0, "sfun": "running"}
    sent = docker.state("docker_container.mod_watch", "watcher", watch_action="SIGWINCH", **options)
    assert sent.changes == {"signal": "SIGWINCH"}
    done = docker.state("docker_container.mod_watch", "watcher", **options)
    assert done.changes["container_id"]["removed"] == [first.changes["container_id"]["added"]]
    assert docker.state("docker_container.absent", "watcher", force=True).result


def test_a_container_runs_to_its_end(docker: Docker) -> None:
    """Its exit code decides; `auto_remove` removes it once that has been read."""
    given = {"image": IMAGE, "networks": [], "ulimits": LIMITS}
    planned = docker.state("docker_container.run", "job", command="true", test=True, **given)
    assert (planned.result, planned.comment) == (None, "Container would be run")
    failed = docker.state("docker_container.run", "job", command="sh -c 'echo said; exit 3'", **given)
    assert (failed.result, failed.changes["ExitCode"], failed.changes["Logs"]) == (False, 3, "said\n")
    again = docker.state("docker_container.run", "job", command="true", **given)
    assert (again.result, "Container 'job' exists" in again.comment) == (False, True)
    done = docker.state("docker_container.run", "job", command="true", replace=True, rm=True, **given)
    assert (done.result, done.changes["Replaces"]) == (True, [failed.changes["Id"]])
    assert docker.ask("docker.exists", "job") is False


def test_images_are_built_loaded_and_removed(docker: Docker, tmp_path: Path) -> None:
    """A folder with a Dockerfile is built, an archive is loaded; what cannot be pulled is a failure."""
    (tmp_path / "Dockerfile").write_text(f"FROM {IMAGE}\nARG WHO\nLABEL who=$WHO\n")
    built = {"tag": "1", "build": str(tmp_path), "buildargs": {"WHO": "me"}}
    planned, done = docker.thrice("docker_image.present", "localhost/mine", **built)
    assert (planned.result, planned.comment) == (None, "Image localhost/mine:1 will be built")
    assert (done.comment, set(done.changes)) == ("Image 'localhost/mine:1' was built", {"Id", "Image"})
    assert docker.ask("docker.inspect_image", "localhost/mine:1")["Config"]["Labels"]["who"] == "me"
    planned, done = docker.thrice("docker_image.absent", "localhost/mine:1")
    assert done.changes["Tags"] == ["localhost/mine:1"] == planned.changes["Tags"]
    archive = _archive(docker, tmp_path)
    planned, done = docker.thrice("docker_image.present", "localhost/loaded", tag=2, load=str(archive))
    assert (planned.comment, done.changes["Image"]) == (
        "Image localhost/loaded:2 will be loaded",
        "localhost/loaded:2",
    )
    failed = docker.state("docker_image.present", "127.0.0.1:1/nobody/none:1")
    assert (failed.result, "cannot pull the image" in failed.comment) == (False, True)


def _archive(docker: Docker, folder: Path) -> Path:
    """Return an archive of an image, as `docker save` writes it."""
    path = folder / "image.tar"
    execute("cmd.run", docker.context(), f"docker --host {docker.address} save -o {path} {IMAGE}")
    assert tarfile.is_tarfile(path)
    return path


def test_networks_and_volumes_come_and_go(docker: Docker) -> None:
    """A network is replaced when an argument differs; a container is connected anew."""
    settings: dict[str, Any] = {"subnet": "10.231.7.0/24", "labels": {"a": "b"}}
    planned, done = docker.thrice("docker_network.present", "inner", **settings)
    assert (planned.comment, done.changes) == ("Network will be created", {"created": True})
    assert isinstance(done.new_state, dict)
    assert done.new_state["subnets"] == ["10.231.7.0/24"]
    settings["subnet"] = "10.231.8.0/24"
    planned, done = docker.thrice("docker_network.present", "inner", **settings)
    pools = {
        "old": [{"Subnet": "10.231.7.0/24", "Gateway": "10.231.7.1"}],
        "new": [{"Subnet": "10.231.8.0/24"}],
    }
    assert planned.changes == {"inner": {"IPAM": {"Config": pools}}, "recreated": True} == done.changes
    planned, done = docker.thrice("docker_volume.present", "data")
    assert (planned.result, done.comment) == (None, "Volume 'data' was created")
    options: dict[str, Any] = {**SLEEPS, "binds": ["data:/data"]}
    docker.ask("docker.create", name="linked", **{**options, "networks": ["inner"]})
    options |= {"start": False, "networks": [{"inner": [{"aliases": ["inside"]}]}]}
    planned, done = docker.thrice("docker_container.running", "linked", **options)
    assert planned.changes == {
        "container": {"Networks": {"inner": {"Aliases": {"old": None, "new": ["inside"]}}}}
    }
    assert done.comment == "Reconnected to network 'inner' with updated configuration"
    missing = docker.state("docker_container.running", "linked", **{**options, "networks": "none-such"})
    assert missing.comment == "The following networks are not present: none-such"
    assert docker.ask("docker.rm", "linked")
    docker.thrice("docker_network.absent", "inner")
    docker.thrice("docker_volume.absent", "data")


def test_an_engine_that_does_not_answer_is_no_engine_without_containers() -> None:
    """The state fails, and an unknown container is distinguished from a silent engine."""
    if not shutil.which("docker"):
        pytest.skip("needs docker: apt-get install docker.io")
    failed = Docker("unix:///nowhere").state("docker_container.stopped", "web", error_on_absent=False)
    assert (failed.result, "cannot ask docker" in failed.comment) == (False, True)
