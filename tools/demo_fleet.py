"""Run `examples/fleet` with a Salt master and three minions on this machine; end whatever was started.

    python tools/demo_fleet.py [FOLDER]    run by the Python of an environment that has Salt in it

Everything is below the folder (default: `.demo/fleet` in the checkout), which is emptied first. Salt reaches
its own part by links in `/tmp`, because the paths of sockets must be short. The ports are free ones of
127.0.0.1. Nothing needs root.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import psutil  # Salt requires it

if TYPE_CHECKING:
    from types import FrameType

CHECKOUT = Path(__file__).resolve().parents[1]
BASE = Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else CHECKOUT / ".demo" / "fleet"
PROGRAMS = Path(sys.executable).parent
MINIONS = ("db-01", "web-01", "web-02")
STARTUP_S = 60
"""How long the master and the minions may take to start."""
STOP_S = 10
"""How long processes have to end by themselves before they are killed."""
_PR_SET_CHILD_SUBREAPER = 36


class DemoError(Exception):
    """The demo cannot go on."""


def main() -> int:
    """Run the demo.

    Returns:
        The exit code: 0, 1 when something failed, 128 and the number of the signal that ended the demo.
    """
    adopt_orphans()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    with tempfile.TemporaryDirectory(prefix="ensue-", dir="/tmp") as links:
        try:
            lay_out(Path(links))
            start_fleet()
            return show()
        except DemoError as error:
            print(f"demo-fleet: {error}", file=sys.stderr)
            return 1
        finally:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            stop_all()


def end(number: int, _frame: FrameType | None) -> NoReturn:
    """Leave the demo; what it started is stopped on the way out."""
    raise SystemExit(128 + number)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that none of them is lost."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def lay_out(links: Path) -> None:
    """Copy the example; write the configurations of the master, the minions and ensue."""
    shutil.rmtree(BASE, ignore_errors=True)
    shutil.copytree(CHECKOUT / "examples" / "fleet", BASE)
    publish_port, ret_port = free_ports()
    master = {
        "interface": "127.0.0.1",
        "publish_port": publish_port,
        "ret_port": ret_port,
        "worker_threads": 3,
        "file_roots": {"base": [str(BASE / "states")]},
    }
    configure("master", "master", links, master)
    for name in MINIONS:
        minion = {
            "id": name,
            "master": "127.0.0.1",
            "publish_port": publish_port,
            "master_port": ret_port,
            # Where /etc/cluster would be on a machine of its own.
            "grains": {"cluster_folder": str(BASE / "minions" / name / "etc")},
            "enable_fqdns_grains": False,
            "acceptance_wait_time": 1,
            "random_reauth_delay": 1,
        }
        configure(name, "minion", links, minion)
        (BASE / "minions" / name).mkdir(parents=True)
    fleet = {"engine": "salt", "config": str(BASE / "salt" / "master" / "master")}
    (BASE / "ensue.yaml").write_text(json.dumps({"fleet": fleet}))


def free_ports() -> tuple[int, int]:
    """Return two ports that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        return first.getsockname()[1], second.getsockname()[1]


def configure(name: str, kind: str, links: Path, options: dict[str, Any]) -> None:
    """Write the configuration of the master or of a minion, all of whose files are in one folder."""
    folder = BASE / "salt" / name
    folder.mkdir(parents=True)
    link = links / name
    link.symlink_to(folder)
    places = {
        # Salt puts this folder in front of every path that is not below it.
        "root_dir": str(link),
        "pki_dir": str(link / "pki"),
        "cachedir": str(link / "cache"),
        "sock_dir": str(link / "s"),
        "log_file": str(link / "log"),
        "pidfile": str(link / "pid"),
        "log_level": "error",
    }
    (folder / kind).write_text(json.dumps(places | options))


def start_fleet() -> None:
    """Start the master and the minions, and accept the keys of the minions.

    Raises:
        DemoError: one of them does not start.
    """
    print("\n==> A Salt master and three minions on this machine, as an ordinary user\n", flush=True)
    started = {name: start(name) for name in ("master", *MINIONS)}
    waiting = BASE / "salt" / "master" / "pki" / "minions_pre"
    latest = time.monotonic() + STARTUP_S
    while not all((waiting / name).exists() for name in MINIONS):
        check(started, latest)
        time.sleep(0.2)
    run("salt-key", "-c", "salt/master", "--accept-all", "--yes")
    print("\n$ ensue fleet status '*'", flush=True)
    status = command("ensue", "fleet", "status", "*", "--timeout", "3")
    while True:
        done = subprocess.run(
            status, cwd=BASE, env=environment(), capture_output=True, text=True, check=False
        )
        # The first line is the head of the table.
        if done.returncode == 0 and len(done.stdout.splitlines()) == 1 + len(MINIONS):
            print(done.stdout, end="", flush=True)
            return
        check(started, latest)


def start(name: str) -> subprocess.Popen[bytes]:
    """Start the master or a minion."""
    words = ("salt-master" if name == "master" else "salt-minion", "-c", f"salt/{name}")
    print("$", *words, "&", flush=True)
    quiet = subprocess.DEVNULL
    # In a session of its own it gets no signal of the terminal: the demo stops it when ensue has ended.
    return subprocess.Popen(
        command(*words), cwd=BASE, env=environment(), stdout=quiet, stderr=quiet, start_new_session=True
    )


def check(started: dict[str, subprocess.Popen[bytes]], latest: float) -> None:
    """Check that all processes run and that there is time left.

    Raises:
        DemoError: one has ended, or the time is over.
    """
    for name, process in started.items():
        if process.poll() is not None:
            raise DemoError(f"the process of {name} has ended: see {BASE / 'salt' / name / 'log'}")
    if time.monotonic() > latest:
        raise DemoError(f"the minions did not answer within {STARTUP_S} s: see {BASE}/salt/*/log")


def show() -> int:
    """Run the example; return its exit code."""
    return subprocess.run(["sh", "./demo.sh"], cwd=BASE, env=environment(), check=False).returncode


def run(*words: str) -> None:
    """Print a command and run it.

    Raises:
        DemoError: it failed.
    """
    print("\n$", *words, flush=True)
    done = subprocess.run(command(*words), cwd=BASE, env=environment(), check=False)
    if done.returncode != 0:
        raise DemoError(f"{words[0]} has ended with {done.returncode}")


def command(program: str, *words: str) -> list[str]:
    """Return the command line of a program of this environment."""
    return [str(PROGRAMS / program), *words]


def environment() -> dict[str, str]:
    """Return the environment of all programs: those of this one come first."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**inherited, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}


def stop_all() -> None:
    """Stop every descendant of this process; kill those that do not end in time."""
    this = psutil.Process()
    for process in this.children(recursive=True):
        quietly(process.terminate)
    psutil.wait_procs(this.children(recursive=True), timeout=STOP_S)
    # A process may start another one until it is killed itself.
    while remaining := this.children(recursive=True):
        for process in remaining:
            quietly(process.kill)
        psutil.wait_procs(remaining)


def quietly(ending: Any) -> None:
    """End a process that may have ended meanwhile."""
    try:
        ending()
    except psutil.NoSuchProcess:
        return


if __name__ == "__main__":
    sys.exit(main())
