"""State module `service` with a real systemd: one that the test starts for itself, as a user's manager.

`systemctl` is told to speak to that one; all else (units, links, failures) is systemd's own doing. It runs in
namespaces of its own, since at its start systemd moves every process that it can name into a control group.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from tests.library.states.system_states import context, execute, needs_root, state, thrice

from ensue.core.contracts.connection import Command, Completed
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from collections.abc import Iterator

SYSTEMD = Path("/lib/systemd/systemd")

# In a namespace of process ids of its own, systemd can name no process but those that it starts. The only
# hierarchy of control groups that it finds is mounted in a namespace of control groups whose root is the
# group `$2`, so it can write to no other group. The end of input ends the shell, which is the first process
# of that namespace; the kernel then ends all others.
START = """\
mount -t cgroup2 cgroup2 "$1" && mkdir "$2" || exit
unshare --pid --fork --kill-child --mount-proc sh -c '
    echo 0 > "$1/cgroup.procs" && exec unshare --cgroup sh -c "$2" sh "$3"' sh "$2" "$4" "$3"
find "$2" -depth -type d -exec rmdir {} +
"""
INSIDE = """\
mount -t cgroup2 cgroup2 /sys/fs/cgroup && mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system || exit
"$1" --user --log-target=null < /dev/null &
read -r _
"""
TRIAL = """\
mount -t cgroup2 cgroup2 /mnt && mkdir "/mnt/$1" && rmdir "/mnt/$1" &&
exec unshare --pid --fork --kill-child --mount-proc --cgroup mount -t cgroup2 cgroup2 /sys/fs/cgroup
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


@cache
def why_not() -> str:
    """Return why systemd cannot run here in namespaces of its own; empty if it can."""
    if not SYSTEMD.exists() or not shutil.which("systemctl"):
        return "needs systemd: apt-get install systemd"
    if not shutil.which("unshare"):
        return "needs unshare: apt-get install util-linux"
    trial = subprocess.run(
        ["unshare", "--mount", "sh", "-c", TRIAL, "sh", f"ensue-{uuid4().hex[:8]}"],
        capture_output=True, check=False,
    )  # fmt: skip
    if trial.returncode:
        return f"this kernel offers no namespaces of processes and control groups: {trial.stderr.decode()}"
    return ""


@pytest.fixture(autouse=True, scope="module")
def _systemd_can_run() -> None:
    if os.getuid() == 0 and (reason := why_not()):
        pytest.skip(reason)


pytestmark = needs_root


class Systemd:
    """A service manager of its own with the units above, and a target that speaks to it.

    Args:
        folder: an empty folder with a short name, since sockets stand in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._hierarchy = folder / "hierarchy"
        self._group = self._hierarchy / f"ensue-{uuid4().hex[:8]}"
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
        self._hierarchy.mkdir()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.bind(str(self._folder / "ready"))
            ready.settimeout(30)
            self._process = subprocess.Popen(
                ["unshare", "--mount", "sh", "-c", START, "sh",
                 str(self._hierarchy), str(self._group), str(SYSTEMD), INSIDE],
                env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
            while b"READY=1" not in ready.recv(4096):
                pass
        self._inside = min(self._pids(), key=int)

    def stop(self) -> None:
        """End it, and with it all that it started."""
        self._pids()
        assert self._process.stdin
        self._process.stdin.close()
        assert self._process.wait(timeout=300) == 0, "its control groups could not be removed"

    def _pids(self) -> list[str]:
        """Return the processes in its control groups, all of them in its own namespace: it started them."""
        group = Path(f"/proc/{self._process.pid}/root{self._group}")
        pids = [pid for each in group.rglob("cgroup.procs") for pid in each.read_text().split()]
        namespaces = {Path(f"/proc/{pid}/ns/pid").readlink() for pid in pids}
        assert len(namespaces) == 1
        assert Path("/proc/self/ns/pid").readlink() not in namespaces
        return pids

    def _systemctl(self, command: Command) -> Completed:
        # systemd answers only processes to which its own namespace gives an id.
        inside = ["nsenter", f"--target={self._inside}", "--pid", "--mount", "--", "systemctl", "--user"]
        done = subprocess.run(
            [*inside, *list(command.argv or ())[1:]], env=self._environment, capture_output=True, check=False
        )
        return Completed(returncode=done.returncode, stdout=done.stdout, stderr=done.stderr)

    def says(self, verb: str, unit: str) -> str:
        """What systemd says of a unit."""
        answer = self._systemctl(Command(argv=("systemctl", verb, unit)))
        return answer.stdout.decode().strip()


@pytest.fixture(scope="module")
def systemd() -> Iterator[Systemd]:
    with TemporaryDirectory(prefix="sd") as folder:
        manager = Systemd(Path(folder))
        manager.start()
        yield manager
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
