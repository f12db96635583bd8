"""The program that Salt's minion runs for ensue: it starts ensue and passes on its frames.

The coordinator puts a copy of this file below the master's file roots, and the minion runs it with
`slsutil.renderer`, in the process of the job. So it uses nothing but the standard library and what Salt's
renderer `py` gives to a file: `__salt__`, `__opts__` and `order`. Nothing here imports ensue.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from typing import Any

PART_CHARS = 256 * 1024
"""The longest text in one event; Salt cuts events of 1 MiB."""

KEEP = 3
"""How many unpacked versions of each kind a minion keeps."""

PROGRAM = "ensue.app.fleet_minion"

__salt__: Any
__opts__: Any
order: dict[str, Any]


class Problem(Exception):  # noqa: N818 -- it is reported, and is no error of this program
    """Why this minion cannot do what is asked."""


def run() -> dict[str, Any]:
    """Do what the order says; return how many frames were sent, and what prevented it."""
    relay = Relay(order)
    try:
        return relay.go()
    except Problem as problem:
        return {"frames": relay.frames, "problem": str(problem)}
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        return {"frames": relay.frames, "problem": f"{error.strerror or error}{where}"}


class Relay:
    """One order of a coordinator.

    Args:
        given: the order.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        self.order = given
        self.frames = 0
        self.base = Path(__opts__["cachedir"]) / "ensue"
        self.tag = f"ensue/{given['run_id']}/{__opts__['id']}"

    def go(self) -> dict[str, Any]:
        """Do what the order says."""
        self.fire({"alive": True})
        bundle = self.order["bundles"].get(abi())
        if self.order["verb"] == "status":
            return {"frames": 0, "problem": "", "status": self.status(bundle)}
        if bundle is None:
            known = ", ".join(sorted(self.order["bundles"]))
            msg = f"the coordinator has no ensue for its Python and platform, {abi()}; it has {known}"
            raise Problem(msg)
        self.base.mkdir(mode=0o700, parents=True, exist_ok=True)
        program = self.unpacked(bundle, "bundle")
        if self.order["verb"] == "sync":
            return {"frames": 0, "problem": "", "status": self.status(bundle)}
        return self.started(program)

    def status(self, bundle: str | None) -> dict[str, Any]:
        """Return what is known about this minion."""
        there = bundle is not None and (self.base / "bundle" / Path(bundle).stem).is_dir()
        return {"abi": abi(), "salt": __salt__["grains.get"]("saltversion"), "shipped": there}

    def unpacked(self, name: str, kind: str) -> Path:
        """Return the folder of an archive's content; fetch and unpack it unless that was done before."""
        folder: Path = self.base / kind / Path(name).stem
        if folder.is_dir():
            os.utime(folder)
            return folder
        cached = __salt__["cp.cache_file"](f"salt://{name}")
        if not cached:
            msg = f"the master does not serve salt://{name}"
            raise Problem(msg)
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new-"))
        try:
            with zipfile.ZipFile(cached) as archive:
                archive.extractall(scratch)
            if folder.is_dir():
                return folder
            scratch.rename(folder)
        except zipfile.BadZipFile as error:
            msg = f"salt://{name} is damaged: {error}"
            raise Problem(msg) from error
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        self.forget_old(folder.parent)
        return folder

    def forget_old(self, parent: Path) -> None:
        """Remove the versions that were used longest ago."""
        found = sorted(
            (one for one in parent.iterdir() if not one.name.startswith(".")),
            key=lambda one: one.stat().st_mtime,
            reverse=True,
        )
        for old in found[KEEP:]:
            shutil.rmtree(old, ignore_errors=True)

    def started(self, program: Path) -> dict[str, Any]:
        """Run ensue in a process of its own, and pass on what it writes."""
        tree = self.unpacked(self.order["tree"], "tree")
        project = self.base / "project"
        project.mkdir(mode=0o700, exist_ok=True)
        log = self.base / "last.log"
        # Without compiled modules, each start would take seconds.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as errors:  # noqa: PTH123 -- of a descriptor
            process = subprocess.Popen(
                [sys.executable, "-m", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=project,
                env={**kept, "PYTHONPATH": str(program)},
                start_new_session=True,
            )
        with process:
            code = self.passed_on(process, self.document(tree, project))
        problem = "" if code in {0, 1, 2} else f"ensue ended with {code}; its log is {log}"
        return {"frames": self.frames, "problem": problem, "exit_code": code}

    def document(self, tree: Path, project: Path) -> bytes:
        """Return what ensue reads: the order, with this minion's own pillar, grains and options."""
        options = {
            name: __opts__[name]
            for name in ("top_file_merging_strategy", "env_order", "default_top", "saltenv")
            if __opts__.get(name)
        }
        mine = {
            "minion": __opts__["id"],
            "pillar": __salt__["pillar.items"](unmask=True),
            "grains": __salt__["grains.items"](),
            "file_roots": {env: [str(tree / folder)] for env, folder in self.order["environments"].items()},
            "root": str(tree),
            "cachedir": str(project),
            "options": {**options, **self.order["options"]},
        }
        return json.dumps({**self.order, **mine}, default=str).encode()

    def passed_on(self, process: subprocess.Popen[bytes], document: bytes) -> int:
        """Send the frames that ensue writes, a line each, as events; return its exit code."""
        assert process.stdin is not None  # noqa: S101 -- both are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(document)
            process.stdin.close()
        except BrokenPipeError:
            pass
        descriptor, rest = process.stdout.fileno(), b""
        while True:
            readable, _, _ = select.select([descriptor], [], [], self.order["beat_s"])
            if not readable:
                self.fire({"alive": True})
                continue
            content = os.read(descriptor, 1 << 16)
            if not content:
                return process.wait()
            *lines, rest = (rest + content).split(b"\n")
            for line in lines:
                self.send(line.decode())

    def send(self, frame: str) -> None:
        """Send a frame, in as many events as it needs."""
        pieces = [frame[at : at + PART_CHARS] for at in range(0, len(frame), PART_CHARS)]
        for part, piece in enumerate(pieces):
            self.fire({"frame": self.frames, "part": part, "parts": len(pieces), "sealed": piece})
        self.frames += 1

    def fire(self, data: dict[str, Any]) -> None:
        """Send an event to the master."""
        __salt__["event.fire_master"](data, self.tag)


def abi() -> str:
    """Return what compiled modules depend on: the Python and the platform."""
    return str(sysconfig.get_config_var("SOABI"))
