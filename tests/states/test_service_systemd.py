"""State module `service` with a real systemd: one that the test starts for itself, as a user's manager.

`systemctl` is told to speak to that one; all else (units, links, failures) is systemd's own doing.
"""

from __future__ import annotations

import os
import select
import shutil
import socket
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from tests.states.system_states import context, execute, needs_root, state, thrice

from ensue.contracts.connection import Command, Completed
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from collections.abc import Iterator

SYSTEMD = Path("/lib/systemd/systemd")
HIERARCHIES = (Path("/sys/fs/cgroup/systemd"), Path("/sys/fs/cgroup"))
START = """\
echo $$ > "$1/cgroup.procs" &&
exec unshare --cgroup --mount sh -c '
    mount --bind "$1" "$2" && mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system &&
    exec "$3" --user --log-target=null' sh "$1" "$2" "$3"
"""
# A user's systemd ends at once where the system was not booted with systemd, which the folder in /run says.
UNITS = {
    "web.service": (
        "[Service]\nExecStart=/bin/sleep 1000\nExecReload=/bin/true\n[Install]\nWantedBy=default.target\n"
    ),
    "broken.service": "[Service]\nExecStart=/bin/false\nType=oneshot\n",
    "tick.timer": "[Timer]\nOnCalendar=yearly\n[Install]\nWantedBy=timers.target\n",
    "tick.service": "[Service]\nExecStart=/bin/true\n",
    "alone.service": "[Service]\nExecStart=/bin/sleep 1000\n",
    "hidden.service": "[Service]\nExecStart=/bin/sleep 1000\n",
}


def hierarchy() -> Path | None:
    """Where systemd keeps its groups: its own hierarchy of the first version, or the one of the second."""
    return next((each for each in HIERARCHIES if (each / "cgroup.procs").exists()), None)


def why_not() -> str:
    found = hierarchy()
    if not SYSTEMD.exists() or not all(map(shutil.which, ("systemctl", "unshare"))):
        return "this machine has no systemd"
    if found is None or not os.access(found, os.W_OK):
        return "this kernel gives no control groups to write to"
    return ""


pytestmark = [needs_root, pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")]


class Systemd:
    """A service manager of its own with the units above, and a target that speaks to it.

    Args:
        folder: an empty folder with a short name, since sockets stand in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        found = hierarchy()
        assert found
        self._group = found / f"ensue-{uuid4().hex[:8]}"
        self._hierarchy = found
        self._environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder / "run"),
            "NOTIFY_SOCKET": str(folder / "ready"),
        }  # fmt: skip
        self.target = FakeConnection(files={"/run/systemd/system/x": b""})
        self.target.on_run("systemctl *", self._systemctl)

    def start(self) -> None:
        """Write the units, start systemd and wait for its word that it runs."""
        units = self._folder / ".local/share/systemd/user"
        units.mkdir(parents=True)
        (self._folder / "run").mkdir(mode=0o700)
        for name, text in UNITS.items():
            (units / name).write_text(text)
        self._group.mkdir()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.bind(str(self._folder / "ready"))
            ready.settimeout(30)
            self._process = subprocess.Popen(
                ["sh", "-c", START, "sh", str(self._group), str(self._hierarchy), str(SYSTEMD)],
                env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
            while b"READY=1" not in ready.recv(4096):
                pass

    def stop(self) -> None:
        """End it; it ends what it started."""
        self._process.terminate()
        self._process.wait(timeout=300)
        for folder in (*sorted(self._group.rglob("*/"), reverse=True), self._group):
            _wait_for_the_last_of(folder)
            folder.rmdir()

    def _systemctl(self, command: Command) -> Completed:
        done = subprocess.run(
            ["systemctl", "--user", *list(command.argv or ())[1:]],
            env=self._environment, capture_output=True, check=False,
        )  # fmt: skip
        return Completed(returncode=done.returncode, stdout=done.stdout, stderr=done.stderr)

    def says(self, verb: str, unit: str) -> str:
        """What systemd says of a unit."""
        answer = self._systemctl(Command(argv=("systemctl", verb, unit)))
        return answer.stdout.decode().strip()


def _wait_for_the_last_of(group: Path) -> None:
    # A child that systemd has signalled may outlive it by a moment, and a group with a process in it is busy.
    for pid in (group / "cgroup.procs").read_text().split():
        try:
            ended = os.pidfd_open(int(pid))
        except ProcessLookupError:
            continue
        assert select.select([ended], [], [], 60)[0], f"process {pid} goes on in {group}"
        os.close(ended)


@pytest.fixture(scope="module")
def systemd() -> Iterator[Systemd]:
    with TemporaryDirectory(prefix="sd") as folder:
        manager = Systemd(Path(folder))
        try:
            manager.start()
            yield manager
        finally:
            manager.stop()


def test_a_service_starts_stops_and_is_enabled(systemd: Systemd) -> None:
    """`running` and `dead` do what they say, and systemd agrees."""
    planned, done = thrice("service.running", systemd.target, "web", enable=True)
    assert (planned.result, done.changes) == (None, {"web": True})
    assert (systemd.says("is-active", "web"), systemd.says("is-enabled", "web")) == ("active", "enabled")
    ctx = context(systemd.target)
    assert execute("service.restart", ctx, "web") is True
    assert execute("service.reload", ctx, "web") is True
    planned, done = thrice("service.dead", systemd.target, "web", enable=False)
    assert (planned.result, done.changes) == (None, {"web": True})
    assert (systemd.says("is-active", "web"), systemd.says("is-enabled", "web")) == ("inactive", "disabled")


def test_a_service_that_fails_to_start_says_so(systemd: Systemd) -> None:
    """Systemd's own words are in the comment."""
    failed = state("service.running", context(systemd.target), "broken")
    assert (failed.result, failed.changes) == (False, {})
    assert "failed to start" in failed.comment
    assert "broken.service" in failed.comment


def test_other_units_are_services_too(systemd: Systemd) -> None:
    """A name with the type of a unit is that unit."""
    thrice("service.running", systemd.target, "tick.timer", enable=True)
    assert systemd.says("is-active", "tick.timer") == "active"
    thrice("service.dead", systemd.target, "tick.timer", enable=False)
    assert systemd.says("is-enabled", "tick.timer") == "disabled"


def test_a_unit_that_cannot_be_enabled(systemd: Systemd) -> None:
    """A unit without an Install section is static: it counts as enabled for nobody's loss, and runs."""
    _, done = thrice("service.running", systemd.target, "alone")
    assert done.changes == {"alone": True}
    assert systemd.says("is-enabled", "alone") == "static"
    thrice("service.dead", systemd.target, "alone")


def test_a_masked_service(systemd: Systemd) -> None:
    """It is seen to be masked, does not start, and does after `unmask`."""
    systemd.says("mask", "hidden")
    ctx = context(systemd.target)
    assert execute("service.masked", ctx, "hidden") is True
    assert state("service.running", ctx, "hidden").result is False
    _, done = thrice("service.running", systemd.target, "hidden", unmask=True)
    assert done.changes == {"hidden": True}
    thrice("service.dead", systemd.target, "hidden")


def test_what_is_not_there(systemd: Systemd) -> None:
    """A service that is nowhere is missing, and is listed by nobody."""
    ctx = context(systemd.target)
    assert execute("service.missing", ctx, "nowhere") is True
    assert execute("service.available", ctx, "web") is True
    everything = execute("service.get_all", ctx)
    assert {"web", "broken", "alone"} <= set(everything)
    assert "nowhere" not in everything
    assert state("service.running", ctx, "nowhere").result is False
    assert state("service.dead", ctx, "nowhere").result is True
