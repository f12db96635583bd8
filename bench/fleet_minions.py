"""A run over many minions whose Salt and ensue are simulated, at a real master and a real coordinator.

    python bench/fleet_minions.py [--minions 1000] [--states 100]    with a Python that has ensue[salt]

Real are the coordinator (`ensue apply`, a process of its own), the master with its request channel, its
workers and its event bus, and every frame: encrypted, signed and sent as a minion does. Simulated are the
minions: a few processes answer for all of them. They read jobs on the master's bus instead of its
publications, authenticate once per process, share eight keys, and make up the events of a run. Beside it,
`salt state.apply` waits for returns with the same states, sent over the same channel.

A run in which a return is missing is an error, not a sample.
"""

from __future__ import annotations

import argparse
import base64
import copy
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from ensue.core.masking import Masker
from ensue.core.model.data import is_mapping
from ensue.core.model.events import NodeFinished, NodeStarted, RunFinished, RunStarted
from ensue.core.model.returns import Return
from ensue.salt.fleet.frames import Alive, Happened, MinionEnded, packed
from ensue.salt.fleet.signing import FrameSigner
from ensue.salt.fleet.value_messages import MinionCompiled
from ensue.store.runs import journal_form
from measure import MeasurementError, Sample, run_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.model.events import RunEvent

_KEYS: Final = 8
"""How many keys the minions share: making one takes a tenth of a second."""
_BATCH_BYTES: Final = 64 * 1024
"""How much a minion reports together, as `cli.fleet_minion` does."""
_LONGEST_S: Final = 3600.0
_RELAY: Final = "slsutil.renderer"


def main() -> int:
    """Run the benchmark; return the exit code."""
    parser = argparse.ArgumentParser(description="A run over simulated minions at a real Salt master.")
    parser.add_argument("--minions", type=int, default=1000)
    parser.add_argument("--states", type=int, default=100, help="states of each minion")
    parser.add_argument("--workers", type=int, default=2, help="processes that answer for the minions")
    parser.add_argument("--ensue-alone", action="store_true", help="do not measure Salt's own command")
    parser.add_argument("--answer", nargs=2, metavar=("FOLDER", "NUMBER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        Answers(Path(given.answer[0]), int(given.answer[1]), given.workers, given.states).go()
        return 0
    with TemporaryDirectory(prefix="sim-", dir="/tmp") as folder:
        bench = Bench(Path(folder), given.minions, given.states, given.workers)
        try:
            bench.start()
            _print("ensue apply", bench.of_ensue())
            if not given.ensue_alone:
                _print("salt state.apply", bench.of_salt())
        except MeasurementError as error:
            print(f"fleet_minions: {error}", file=sys.stderr)
            return 1
        finally:
            bench.stop()
    return 0


def _print(name: str, sample: Sample) -> None:
    print(
        f"{name:18} {sample.wall_s:8.1f} s {sample.cpu_s:8.1f} s cpu {sample.peak_rss_mib:8.0f} MiB",
        flush=True,
    )


class Bench:
    """A master, the processes that answer for its minions, and the commands that are measured.

    Args:
        folder: everything is below it.
        minions: how many there are.
        states: how many states each has.
        workers: how many processes answer.
    """

    def __init__(self, folder: Path, minions: int, states: int, workers: int) -> None:
        self._folder = folder
        self._names = [f"m-{number:05}" for number in range(minions)]
        self._states = states
        self._workers = workers
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start the master and the processes, and wait until they have authenticated."""
        self._lay_out()
        self._begin([_program("salt-master"), "-c", str(self._folder / "m")])
        words = ["--workers", str(self._workers), "--states", str(self._states)]
        for number in range(self._workers):
            answer = [sys.executable, __file__, *words, "--answer", str(self._folder), str(number)]
            process = self._begin(answer, stdout=subprocess.PIPE)
            if process.stdout is None or process.stdout.readline() != b"ready\n":
                msg = "a process that answers for minions does not start"
                raise MeasurementError(msg)

    def stop(self) -> None:
        """End every process that was started."""
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def of_ensue(self) -> Sample:
        """Measure a run of ensue.

        Raises:
            MeasurementError: a minion, or a state of one, is missing in the journal.
        """
        program = [sys.executable, "-m", "ensue"]
        project = self._folder / "project"
        sample = run_once(
            [*program, "apply", "--tgt", "m-*", "work", "--out", "quiet", "--timeout", f"{_LONGEST_S:.0f}"],
            cwd=project,
            timeout_s=_LONGEST_S,
        )
        shown = subprocess.run(
            [*program, "runs", "list", "--out", "json"], cwd=project, check=True, capture_output=True
        )
        (run,) = json.loads(shown.stdout)
        self._check(run["succeeded"], len(self._names) * self._states, "states")
        return sample

    def of_salt(self) -> Sample:
        """Measure Salt's own command.

        Raises:
            MeasurementError: a minion is missing among the answers.
        """
        out = self._folder / "salt.json"
        # Nobody answers `saltutil.find_job`, with which Salt asks for minions that are late.
        options = f"-c {self._folder / 'm'} --timeout={_LONGEST_S:.0f} --out=json --out-file={out}"
        command = f"{_program('salt')} {options} m-\\* state.apply work"
        sample = run_once(["/bin/sh", "-c", command], cwd=self._folder, timeout_s=_LONGEST_S)
        self._check(out.read_text().count('"m-'), len(self._names), "minions")
        return sample

    @staticmethod
    def _check(count: int, expected: int, what: str) -> None:
        if count != expected:
            msg = f"{count} of {expected} {what} have returned"
            raise MeasurementError(msg)

    def _begin(self, command: Sequence[str], stdout: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, start_new_session=True, stdout=stdout, stderr=subprocess.DEVNULL)
        self._started.append(process)
        return process

    def _lay_out(self) -> None:
        for name in ("states", "project", "keys"):
            (self._folder / name).mkdir()
        (self._folder / "states" / "work.sls").write_text("work:\n  test.nop: []\n")
        accepted = self._folder / "m" / "pki" / "minions"
        accepted.mkdir(parents=True)
        public = [self._key(number) for number in range(_KEYS)]
        for number, name in enumerate(self._names):
            (accepted / name).write_bytes(public[number % _KEYS])
        ports = _free_ports()
        master = {
            "interface": "127.0.0.1",
            "publish_port": ports[0],
            "ret_port": ports[1],
            "auto_accept": True,
            "worker_threads": 4,
            "file_roots": {"base": [str(self._folder / "states")]},
        }
        _configure(self._folder / "m", "master", master)
        for number in range(self._workers):
            minion = {"id": f"sim-{number}", "master": "127.0.0.1", "master_port": ports[1]}
            folder = self._folder / f"sim-{number}"
            (folder / "pki").mkdir(parents=True)
            _configure(folder, "minion", {**minion, "publish_port": ports[0], "enable_fqdns_grains": False})
        fleet = {"fleet": {"engine": "salt", "config": str(self._folder / "m" / "master")}}
        (self._folder / "project" / "ensue.yaml").write_text(json.dumps(fleet))

    def _key(self, number: int) -> bytes:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        folder = self._folder / "keys" / str(number)
        folder.mkdir()
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (folder / "minion.pem").write_bytes(pem)
        return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _configure(folder: Path, kind: str, options: dict[str, Any]) -> None:
    places = {
        "root_dir": str(folder),
        "pki_dir": str(folder / "pki"),
        "cachedir": str(folder / "cache"),
        "sock_dir": str(folder / "s"),
        "log_file": str(folder / "log"),
        "pidfile": str(folder / "pid"),
    }
    (folder / kind).write_text(json.dumps(places | options))


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def _program(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


class Answers:
    """Answers jobs for a part of the minions, as one authenticated minion of Salt.

    Args:
        folder: that of the benchmark.
        number: which part.
        workers: how many parts there are.
        states: how many states each minion has.
    """

    def __init__(self, folder: Path, number: int, workers: int, states: int) -> None:
        warnings.simplefilter("ignore")
        configs: Any = importlib.import_module("salt.config")
        self._folder = folder
        self._part = (number, workers)
        self._states = [f"state-{state}" for state in range(states)]
        self._master = configs.client_config(str(folder / "m" / "master"))
        self._opts = configs.minion_config(str(folder / f"sim-{number}" / "minion"))
        self._opts["master_uri"] = f"tcp://127.0.0.1:{self._opts['master_port']}"
        self._channel: Any = None
        self._sent: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._signers: dict[int, FrameSigner] = {}

    def go(self) -> None:
        """Authenticate, say so, and answer jobs until the process is killed."""
        channels: Any = importlib.import_module("salt.channel.client")
        events: Any = importlib.import_module("salt.utils.event")
        self._channel = channels.ReqChannel.factory(self._opts)
        self._fire({}, "sim/ready")
        with events.get_master_event(self._master, self._master["sock_dir"], listen=True) as bus:
            bus.connect_pub()
            print("ready", flush=True)
            while True:
                event = bus.get_event(wait=0, full=True, tag="salt/job/")
                if event and event["tag"].endswith("/new"):
                    self._answer(event["data"])

    def _answer(self, job: dict[str, Any]) -> None:
        number, workers = self._part
        minions = [name for name in job["minions"] if int(name.rpartition("-")[2]) % workers == number]
        if job["fun"] == "state.apply":
            for name in minions:
                self._channel.send(self._salts_return(job, name))
            return
        order = _order_of(job)
        if job["fun"] != _RELAY or order.get("verb") != "apply":
            return
        for name in minions:
            since = order.get("since", {}).get(name, 0)
            key = (order["jid"], name)
            if key not in self._sent:
                self._sent[key] = [*self._frames(order, name)]
            for frame in self._sent[key][since:]:
                self._fire(frame, f"ensue/{order['run_id']}/{name}")

    def _fire(self, data: dict[str, Any], tag: str) -> None:
        self._channel.send({"id": self._opts["id"], "cmd": "_minion_event", "tag": tag, "data": data})

    def _frames(self, order: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
        signer = copy.copy(self._signer(order, int(name.rpartition("-")[2]) % _KEYS))
        signer.order, signer.minion, signer.count = order, name, 0
        signer.public = base64.b64decode(order["key"])
        messages = [Alive(), MinionCompiled(()), *self._happened(name), MinionEnded("")]
        for message in messages:
            yield from signer.frames(packed(message))

    def _signer(self, order: dict[str, Any], key: int) -> FrameSigner:
        if key not in self._signers:
            self._signers[key] = FrameSigner(order, "", str(self._folder / "keys" / str(key)))
        return self._signers[key]

    def _happened(self, name: str) -> Iterator[Happened]:
        lines: list[str] = []
        size = 0
        for event in self._events(name):
            line = journal_form.encode(event, Masker()).decode().rstrip("\n")
            lines.append(line)
            size += len(line)
            if size >= _BATCH_BYTES:
                yield Happened(tuple(lines))
                lines, size = [], 0
        yield Happened(tuple(lines))

    def _events(self, name: str) -> Iterator[RunEvent]:
        target, when = f"minion:{name}", "2026-01-01T00:00:00.000000+00:00"
        total = len(self._states)
        yield RunStarted(run_id="r", test=False, total=total, started_at=when, mods=("work",), minion_id=name)
        for number, state in enumerate(self._states):
            tag = f"file_|-{state}_|-/etc/{state}_|-managed"
            yield NodeStarted(
                tag_=tag, id=state, function="file.managed", scope="", target=target, run_num=number
            )
            yield NodeFinished(
                Return(
                    tag=tag, id=state, name=f"/etc/{state}", sls="work", module="file", function="managed",
                    scope="", target=target, result=True, changes={"diff": "New file"}, comment=_COMMENT,
                    new_state={"path": f"/etc/{state}", "mode": "0644"}, old_state=None, run_num=number,
                    start_time="00:00:00.000000", duration_ms=1.0,
                )
            )  # fmt: skip
        yield RunFinished("r", "succeeded", 0, when)

    def _salts_return(self, job: dict[str, Any], name: str) -> dict[str, Any]:
        returns = {
            f"file_|-{state}_|-/etc/{state}_|-managed": {
                "name": f"/etc/{state}", "changes": {"diff": "New file"}, "result": True, "comment": _COMMENT,
                "__sls__": "work", "__run_num__": number, "start_time": "00:00:00.000000", "duration": 1.0,
                "__id__": state,
            }
            for number, state in enumerate(self._states)
        }  # fmt: skip
        return {
            "cmd": "_return", "id": self._opts["id"], "resource_id": name, "jid": job["jid"], "retcode": 0,
            "success": True, "fun": job["fun"], "fun_args": job["arg"], "return": returns, "out": "highstate",
        }  # fmt: skip


def _order_of(job: dict[str, Any]) -> dict[str, Any]:
    """Return ensue's order in a job of Salt; empty if it has none."""
    arguments: list[Any] = job["arg"]
    for one in arguments:
        if is_mapping(one) and "order" in one:
            order: dict[str, Any] = one["order"]
            return order
    return {}


_COMMENT: Final = "The file is in the correct state"

if __name__ == "__main__":
    sys.exit(main())
