"""The program that Salt's minion runs for ensue: it starts ensue, and signs and sends reports.

The coordinator puts a copy of this file below the master's file roots, and the minion runs it with
`slsutil.renderer`, in the process of the job. So it uses nothing but the standard library, `cryptography`,
which Salt requires, and what Salt's renderer `py` gives to a file: `__salt__`, `__opts__` and `order`.
Nothing here imports ensue.

A report is a message, cut into frames. Each frame is one event: it is encrypted for the run, and signed
with the key of the minion, so that the coordinator needs to believe nothing that Salt says about an event.
The signature covers the run, the job, the minion, the number of the frame and the digest of its content.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import select
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

FRAME_BYTES = 192 * 1024
"""The most content of one frame, which is a third longer as text; Salt cuts events of 1 MiB."""

MORE = b"+"
"""The first byte of a frame whose message goes on in the next frame."""

LAST = b"."
"""The first byte of a frame that ends its message."""

KEY_BYTES = 32
NONCE = bytes(12)
"""Constant, because no key encrypts more than one frame."""

KEEP = 3
"""How many unpacked versions of each kind a minion keeps."""

KEEP_JOBS = 1000
"""How many of its last jobs a minion remembers."""

PROGRAM = "ensue.app.fleet_minion"

__salt__: Any
__opts__: Any
order: dict[str, Any]


class Problem(Exception):  # noqa: N818 -- it is reported, and is no error of this program
    """Why this minion cannot do what is asked."""


def run() -> dict[str, Any]:
    """Do what the order says, and report it; return what prevented a report."""
    try:
        relay = Relay(order)
    except (OSError, ValueError, TypeError) as error:
        # Nothing can be signed: what Salt returns is all that the coordinator gets.
        return {"problem": f"it has no key to sign with: {error}"}
    return relay.go()


class FrameSigner:
    """Makes the frames of one job.

    Args:
        given: the order.
        minion: the id of this minion.
        pki_dir: the folder that Salt keeps the minion's private key in.

    Attributes:
        count: how many frames were made.
    """

    def __init__(self, given: dict[str, Any], minion: str, pki_dir: str) -> None:
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        self.order = given
        self.minion = minion
        self.public = base64.b64decode(given["key"])
        self.private: Any = load_pem_private_key((Path(pki_dir) / "minion.pem").read_bytes(), None)
        self.count = 0

    def frame(self, content: bytes) -> dict[str, Any]:
        """Return the next frame."""
        name = frame_name(self.order["run_id"], self.order["jid"], self.minion, self.count)
        sealed = seal(self.public, content, name)
        signature = self.private.sign(signed_text(name, sealed), *signature_form())
        frame = {
            "minion": self.minion,
            "number": self.count,
            "sealed": base64.b64encode(sealed).decode(),
            "signature": base64.b64encode(signature).decode(),
        }
        self.count += 1
        return frame

    def frames(self, message: bytes) -> list[dict[str, Any]]:
        """Return the frames of a message."""
        pieces = [message[at : at + FRAME_BYTES] for at in range(0, len(message), FRAME_BYTES)]
        return [*(self.frame(MORE + piece) for piece in pieces[:-1]), self.frame(LAST + pieces[-1])]


class Relay:
    """One order of a coordinator.

    Args:
        given: the order.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        self.order = given
        self.signer = FrameSigner(given, __opts__["id"], __opts__["pki_dir"])
        self.base = Path(__opts__["cachedir"]) / "ensue"
        self.tag = f"ensue/{given['run_id']}/{__opts__['id']}"

    def go(self) -> dict[str, Any]:
        """Do what the order says; its last report is the end."""
        problem = ""
        try:
            if self.order["verb"] in {"apply", "call"} and not self.claimed():
                # Nothing is signed: the numbers of this job's frames are taken.
                return {"problem": "it has run this job already"}
            self.report("Alive")
            problem = self.carried_out()
        except Problem as error:
            problem = str(error)
        except OSError as error:
            where = error.filename or f"below {self.base}"
            problem = f"{where}: {error.strerror or error}"
        self.report("MinionEnded", problem=problem)
        return {"problem": ""}

    def carried_out(self) -> str:
        """Do what the order says; return what prevented it."""
        bundle = self.order["bundles"].get(abi())
        if self.order["verb"] == "status":
            self.report("Described", status=self.status(bundle))
            return ""
        if bundle is None:
            known = ", ".join(sorted(self.order["bundles"]))
            msg = f"the coordinator has no ensue for its Python and platform, {abi()}; it has {known}"
            raise Problem(msg)
        self.base.mkdir(mode=0o700, parents=True, exist_ok=True)
        program = self.unpacked(bundle, "bundle")
        if self.order["verb"] == "sync":
            self.report("Described", status=self.status(bundle))
            return ""
        return self.started(program)

    def claimed(self) -> bool:
        """Record the job; return False if that was done before, so that no job runs twice."""
        self.base.mkdir(mode=0o700, parents=True, exist_ok=True)
        jobs = self.base / "jobs"
        jobs.mkdir(mode=0o700, exist_ok=True)
        try:
            (jobs / Path(self.order["jid"]).name).mkdir()
        except FileExistsError:
            return False
        self.forget_old(jobs, KEEP_JOBS)
        return True

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
                # `zipfile` writes modes and does not restore them, which `mode: keep` of a state needs.
                for entry in archive.infolist():
                    (scratch / entry.filename).chmod(entry.external_attr >> 16 & 0o7777)
            if folder.is_dir():
                return folder
            scratch.rename(folder)
        except zipfile.BadZipFile as error:
            msg = f"salt://{name} is damaged: {error}"
            raise Problem(msg) from error
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        self.forget_old(folder.parent, KEEP)
        return folder

    def forget_old(self, parent: Path, keep: int) -> None:
        """Remove the folders that were used longest ago."""
        found = sorted(
            (one for one in parent.iterdir() if not one.name.startswith(".")),
            key=lambda one: one.stat().st_mtime,
            reverse=True,
        )
        for old in found[keep:]:
            shutil.rmtree(old, ignore_errors=True)

    def started(self, program: Path) -> str:
        """Run ensue in a process of its own, and pass on what it writes; return what prevented it."""
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
        return "" if code in {0, 1, 2} else f"ensue ended with {code}; its log is {log}"

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
        """Send the messages that ensue writes, one per line; return its exit code."""
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
                self.report("Alive")
                continue
            content = os.read(descriptor, 1 << 16)
            if not content:
                return process.wait()
            *lines, rest = (rest + content).split(b"\n")
            for line in lines:
                self.send(base64.b64decode(line))

    def report(self, kind: str, **fields: Any) -> None:
        """Send a message of this program itself; `frames` has their classes."""
        self.send(zlib.compress(json.dumps({"type": kind, **fields}).encode(), 1))

    def send(self, message: bytes) -> None:
        """Send a message to the master, in as many events as it needs."""
        for frame in self.signer.frames(message):
            __salt__["event.fire_master"](frame, self.tag)


def abi() -> str:
    """Return what compiled modules depend on: the Python and the platform."""
    return str(sysconfig.get_config_var("SOABI"))


def frame_name(run_id: str, jid: str, minion: str, number: int) -> str:
    """Return what a frame is sealed and signed with, so that it counts only once and only in its place."""
    return json.dumps([run_id, jid, minion, number])


def signed_text(name: str, sealed: bytes) -> bytes:
    """Return what the signature of a frame is for."""
    return f"ensue frame 1\n{name}\n{hashlib.sha256(sealed).hexdigest()}".encode()


def signature_form() -> tuple[Any, Any]:
    """Return the padding and the digest of signatures: RSA-PSS with SHA-256. Salt's keys are RSA keys."""
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.hashes import SHA256

    return padding.PSS(padding.MGF1(SHA256()), padding.PSS.DIGEST_LENGTH), SHA256()


def seal(public: bytes, content: bytes, about: str) -> bytes:
    """Encrypt a frame, so that only the coordinator of the run can read it (`sealing` has the other side).

    Args:
        public: the public key of the run.
        content: the frame.
        about: what the frame belongs to; it has to be the same when the frame is opened.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    ephemeral = X25519PrivateKey.generate()
    sender = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(public))
    return sender + AESGCM(derived(shared, sender)).encrypt(NONCE, content, about.encode())


def derived(shared: bytes, sender: bytes) -> bytes:
    """Return the key that a frame is encrypted with.

    Args:
        shared: what both sides have agreed on.
        sender: the ephemeral public key of the minion.
    """
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=b"ensue fleet" + sender).derive(shared)
