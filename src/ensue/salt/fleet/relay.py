"""The program that Salt's minion runs for ensue: it starts ensue, and signs and sends reports.

The coordinator puts a copy of this file below the master's file roots, and the minion runs it with
`slsutil.renderer`, in the process of the job. So it uses nothing but the standard library, `cryptography`,
which Salt requires, and what Salt's renderer `py` gives to a file: `__salt__`, `__opts__` and `order`.
Nothing here imports ensue. `part` loads further files of the same kind: `signing`,
`job_folder` and `kept_folders`.
"""

from __future__ import annotations

import base64
import functools
import importlib.util
import json
import os
import select
import subprocess
import sys
import sysconfig
import zipfile
import zlib
from pathlib import Path
from typing import Any

KEEP = 3
"""How many unpacked versions of each kind a minion keeps, beside those that are in use."""

ATTEMPTS = 4
"""How often ensue is started for one job: once, and again from its journal each time that it is killed."""

PROGRAM = "ensue.cli.fleet_minion"

REFUSED = 3
"""The exit code of an ensue that has reported why it did nothing; 1 is that of a Python that fails."""

__salt__: Any
__opts__: Any
order: dict[str, Any]


class Problem(Exception):  # noqa: N818 -- it is reported, and is no error of this program
    """Why this minion cannot do what is asked."""


def run() -> dict[str, Any]:
    """Do what the order says, and report it; return what prevented a report."""
    try:
        if order["verb"] in {"tell", "acknowledge"}:
            return {"problem": (told if order["verb"] == "tell" else acknowledged)(order)}
        return Relay(order).go()
    except (Problem, OSError) as error:
        # Nothing is signed: what Salt returns is all that the coordinator gets.
        return {"problem": str(error)}


def told(given: dict[str, Any]) -> str:
    """Keep messages of the coordinator for the process that runs their job; return what prevented it."""
    message = given["messages"].get(__opts__["id"])
    if message is None:
        return ""
    folder = part("job_folder").JobFolder(ensue_folder(), message["job"])
    problem = ""
    for number, sealed in enumerate(message["sealed"]):
        # Ids of Salt's jobs begin with the time, so that the names are in order.
        problem = problem or folder.put(f"{given['jid']}-{number:06}", base64.b64decode(sealed))
    return str(problem)


def acknowledged(given: dict[str, Any]) -> str:
    """Forget the frames of a job that the coordinator has."""
    for jid, number in given["frames"].get(__opts__["id"], {}).items():
        part("job_folder").JobFolder(ensue_folder(), jid).acknowledge(number)
    return ""


def part(name: str) -> Any:
    """Return another file of this program, which the master serves as it serves this one."""
    path = order["parts"][name]
    cached = __salt__["cp.cache_file"](f"salt://{path}")
    spec = importlib.util.spec_from_file_location(f"ensue_{name}", cached) if cached else None
    if spec is None or spec.loader is None:
        msg = f"the master does not serve salt://{path}"
        raise Problem(msg)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ensue_folder() -> Path:
    """Return the folder that ensue has on this minion."""
    return Path(__opts__["cachedir"]) / "ensue"


class Relay:
    """One order of a coordinator.

    Args:
        given: the order.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        self.order = given
        self.signing = part("signing")
        try:
            self.signer = self.signing.FrameSigner(given, __opts__["id"], __opts__["pki_dir"])
        except (OSError, ValueError, TypeError) as error:
            msg = f"it has no key to sign with: {error}"
            raise Problem(msg) from error
        self.kept = part("kept_folders")
        self.base = ensue_folder()
        self.folder: Any = None
        self.continues = False
        self.tag = f"ensue/{given['run_id']}/{__opts__['id']}"

    def go(self) -> dict[str, Any]:
        """Do what the order says; its last report is the end."""
        if self.order["verb"] in {"apply", "call", "work"} and self.is_done():
            return {"problem": ""}
        problem = ""
        try:
            self.report("Alive")
            problem = self.carried_out()
        except Problem as error:
            problem = str(error)
        except OSError as error:
            where = error.filename or f"below {self.base}"
            problem = f"{where}: {error.strerror or error}"
        self.end(problem)
        return {"problem": ""}

    def is_done(self) -> bool:
        """Return whether nothing is left to do in this job but to send its frames again.

        A job runs once. An order with `since` asks for its frames from a number on; then the job begins if it
        never has, and goes on if the process that ran it has died.

        Raises:
            Problem: the job cannot be run, or its frames cannot be sent, again.
        """
        self.folder = part("job_folder").JobFolder(self.base, self.order["jid"])
        if self.folder.claimed():
            return not self.folder.locked()
        if "since" not in self.order:
            msg = "it has run this job already"
            raise Problem(msg)
        since = self.order["since"].get(self.signer.minion, 0)
        if self.folder.first_kept() > since:
            msg = "its reports were acknowledged, or too old to be kept"
            raise Problem(msg)
        for frame in self.folder.frames_since(since):
            __salt__["event.fire_master"](frame, self.tag)
        if self.folder.has_ended or not self.folder.locked() or self.folder.has_ended:
            return True
        self.signer.count = self.folder.next_number
        self.continues = True
        return False

    def end(self, problem: str) -> None:
        """Report the end, even if it cannot be kept."""
        frames = self.signer.frames(message_of("MinionEnded", problem=problem))
        try:
            if self.folder is not None:
                self.folder.keep(frames, is_last=True)
                self.folder.end()
        except OSError:
            pass  # A full disk: what is sent now names it.
        self.fire(frames)
        if self.folder is not None:
            self.folder.unlock()

    def carried_out(self) -> str:
        """Do what the order says; return what prevented it."""
        bundle = self.order["bundles"].get(abi())
        if self.order["verb"] == "status":
            self.report("Described", status=self.status(bundle))
            return ""
        if bundle is None:
            self.report("Described", status=self.status(bundle))
            known = ", ".join(sorted(self.order["bundles"]))
            msg = (
                f"the coordinator has no ensue for its Python and platform, {abi()}; it has {known} "
                "(`ensue fleet sync` fetches one with pip)"
            )
            raise Problem(msg)
        self.base.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.unpacked(bundle, "bundle") as program:
            if self.order["verb"] != "sync":
                return self.started(program)
        self.report("Described", status=self.status(bundle))
        return ""

    def status(self, bundle: str | None) -> dict[str, Any]:
        """Return what is known about this minion."""
        there = bundle is not None and (self.base / "bundle" / Path(bundle).stem).is_dir()
        salt = __salt__["grains.get"]("saltversion")
        return {"abi": abi(), "libc": libc(), "salt": salt, "shipped": there}

    def unpacked(self, name: str, kind: str) -> Any:
        """Return a lease of an archive's content; fetch and unpack it unless that was done before."""
        folders = self.kept.KeptFolders(self.base / kind, KEEP)
        lease = folders.lease(Path(name).stem)
        if lease is not None:
            return lease
        cached = __salt__["cp.cache_file"](f"salt://{name}")
        if not cached:
            msg = f"the master does not serve salt://{name}"
            raise Problem(msg)
        try:
            return folders.make(Path(name).stem, functools.partial(unzipped, cached))
        except zipfile.BadZipFile as error:
            msg = f"salt://{name} is damaged: {error}"
            raise Problem(msg) from error

    def started(self, program: Any) -> str:
        """Run ensue until it ends by itself; return what prevented it."""
        if self.continues and self.order["verb"] == "call":
            return "it was killed while the function ran, and no function is called twice"
        (self.base / "project").mkdir(mode=0o700, exist_ok=True)
        log = self.base / "last.log"
        code = 0
        with self.unpacked(self.order["tree"], "tree") as tree:
            for _ in range(ATTEMPTS):
                code = self.process_ended(program, tree, log)
                if code >= 0 or self.order["verb"] == "call":
                    break
                self.continues = True
        return "" if code in {0, 2, REFUSED} else f"ensue ended with {code}; its log is {log}"

    def process_ended(self, program: Any, tree: Any, log: Path) -> int:
        """Run ensue in a process of its own, and pass on what it writes; return its exit code."""
        project = self.base / "project"
        document = self.document(tree.path, project)
        # Without compiled modules, each start would take seconds.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as errors:  # noqa: PTH123 -- of a descriptor
            process = subprocess.Popen(
                [sys.executable, "-m", PROGRAM],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=project,
                env={**kept, "PYTHONPATH": str(program.path)},
                # It may outlive this process, and needs its files until its own end.
                pass_fds=(program.descriptor, tree.descriptor),
                start_new_session=True,
            )
        with process:
            return self.passed_on(process, document)

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
            "continues": self.continues,
            "run_file": str(self.folder.run),
            "work": self.work(),
        }
        return json.dumps({**self.order, **mine}, default=str).encode()

    def work(self) -> Any:
        """Return the calls of a job for the resources of this minion, which are sealed for it alone."""
        if "sealed" not in self.order:
            return {}
        ids = (self.order["run_id"], self.order["jid"], self.signer.minion)
        try:
            about = self.signing.message_name(*ids, "work")
            sealed = base64.b64decode(self.order["sealed"])
            return json.loads(self.signing.opened(self.signer.private, sealed, about))
        except ValueError as error:
            msg = f"what it is asked for cannot be opened: {error}"
            raise Problem(msg) from error

    def passed_on(self, process: subprocess.Popen[bytes], document: bytes) -> int:
        """Send what ensue writes, and pass on what the coordinator sends, one message per line.

        Both may write much at once, so that this program never waits for ensue to read.

        Returns:
            The exit code of ensue.
        """
        assert process.stdin is not None  # noqa: S101 -- both are pipes
        assert process.stdout is not None  # noqa: S101
        source, sink = process.stdout.fileno(), process.stdin.fileno()
        os.set_blocking(sink, False)
        bell, rest, waiting = self.folder.listening(), b"", document + b"\n"
        try:
            while True:
                writing = [sink] if waiting else []
                readable, writable, _ = select.select([source, bell], writing, [], self.order["beat_s"])
                if not readable and not writable:
                    self.report("Alive")
                if bell in readable:
                    waiting += self.messages(bell)
                if writable:
                    waiting = written(sink, waiting)
                if source in readable:
                    content = os.read(source, 1 << 16)
                    if not content:
                        return process.wait()
                    *lines, rest = (rest + content).split(b"\n")
                    for line in lines:
                        self.send(base64.b64decode(line))
        finally:
            os.close(bell)

    def messages(self, bell: int) -> bytes:
        """Return what the coordinator has sent, one message per line; what cannot be opened is dropped."""
        lines: list[bytes] = []
        for name, sealed in self.folder.taken(bell):
            about = self.signing.message_name(
                self.order["run_id"], self.order["jid"], self.signer.minion, name
            )
            try:
                lines.append(self.signing.opened(self.signer.private, sealed, about) + b"\n")
            except ValueError:
                continue
        return b"".join(lines)

    def report(self, kind: str, **fields: Any) -> None:
        """Send a message of this program itself."""
        self.send(message_of(kind, **fields))

    def send(self, message: bytes) -> None:
        """Send a message to the master, in as many events as it needs, and keep it until it is acknowledged.

        Raises:
            OSError: it cannot be kept.
            Problem: there is too much to keep.
        """
        frames = self.signer.frames(message)
        if self.folder is not None and (problem := self.folder.keep(frames)):
            raise Problem(problem)
        self.fire(frames)

    def fire(self, frames: list[dict[str, Any]]) -> None:
        """Send frames; what is lost on the way is asked for again."""
        for frame in frames:
            __salt__["event.fire_master"](frame, self.tag)


def unzipped(archive_path: str, folder: Path) -> None:
    """Unpack an archive into a folder."""
    with zipfile.ZipFile(archive_path) as archive:
        archive.extractall(folder)
        # `zipfile` writes modes and does not restore them, which `mode: keep` of a state needs.
        for entry in archive.infolist():
            (folder / entry.filename).chmod(entry.external_attr >> 16 & 0o7777)


def message_of(kind: str, **fields: Any) -> bytes:
    """Return a message of this program itself; `frames` has their classes."""
    return zlib.compress(json.dumps({"type": kind, **fields}).encode(), 1)


def written(descriptor: int, content: bytes) -> bytes:
    """Write as much as goes at once; return the rest, which is empty when nobody reads any more."""
    try:
        return content[os.write(descriptor, content[: 1 << 16]) :]
    except BlockingIOError:
        return content
    except BrokenPipeError:
        return b""


def libc() -> str:
    """Return the version of the C library; empty if it does not say."""
    try:
        return str(os.confstr("CS_GNU_LIBC_VERSION"))
    except (OSError, ValueError):
        return ""


def abi() -> str:
    """Return what compiled modules depend on: the Python and the platform."""
    return str(sysconfig.get_config_var("SOABI"))
