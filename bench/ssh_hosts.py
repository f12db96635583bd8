"""Files on many SSH hosts, beside pyinfra and Ansible; and a thousand hosts of which some hang.

Each host has files of its own, and they are checked after every run: a run that leaves one of them wrong is
no sample. `first` begins without the files, `unchanged` has them. Whole processes are timed; of Ansible the
connections that it leaves in the background are not counted.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from measure import MeasurementError, Sample, middle, run_once
from sshd import missing_part, running_crowd, running_hosts, silent_port

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from sshd import Hosts

PEERS: Final = {"pyinfra": "pyinfra==3.10.0", "ansible": "ansible-core==2.19.14"}
"""What ensue is measured against, by name."""

_FILES: Final = 20
_HOSTS: Final = (10, 50, 100)
_ANSIBLE_HOSTS: Final = 10
"""Beyond that Ansible takes minutes."""

_CROWD: Final = (500, 1000)
_SILENT_OF: Final = 20
"""One of so many hosts of a crowd accepts connections and says nothing."""

_FLOOR: Final = """\
import asyncio, asyncssh, json, logging, sys
logging.getLogger("asyncssh").setLevel(logging.WARNING)
addresses, port, folder = json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
options = {
    "username": "root",
    "client_keys": asyncssh.load_keypairs(folder + "/key"),
    "known_hosts": ([asyncssh.read_public_key(folder + "/host_key.pub")], [], []),
    "config": None,
    "agent_path": None,
    "encryption_algs": "^aes128-gcm@openssh.com",
    "login_timeout": 60,
}
async def one(address, gate):
    async with gate:
        connection = await asyncssh.connect(address, port, **options)
    return connection, (await connection.run("true")).exit_status
async def main():
    gate = asyncio.Semaphore(128)
    found = await asyncio.gather(*(one(address, gate) for address in addresses))
    assert all(status == 0 for _, status in found)
asyncio.run(main())
"""
"""A command on each host through asyncssh alone: what its handshakes and sessions cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One thing to time.

    Args:
        program: whose run it is.
        argv: the command line.
        cwd: where it runs.
        env: variables added to the environment.
    """

    program: str
    argv: list[str]
    cwd: Path
    env: dict[str, str] = field(default_factory=dict[str, str])


def names() -> list[str]:
    """Return the names of the cases."""
    files = [f"ssh-files-{count}-{how}" for count in _HOSTS for how in ("first", "unchanged")]
    return files + [f"ssh-ping-{count}" for count in _CROWD]


def measured(checkout: Path, options: argparse.Namespace) -> str:
    """Measure the cases whose name holds `options.only`, and return their table; empty when there is none."""
    asked = [name for name in names() if options.only in name]
    if not asked:
        return ""
    if missing := missing_part():
        return f"ssh: left out: {missing}"
    lines: list[str] = []
    if any(name.startswith("ssh-files") for name in asked):
        programs = {name: _installed(checkout / ".bench" / name, what) for name, what in PEERS.items()}
        for count in _HOSTS:
            hows = [how for how in ("first", "unchanged") if f"ssh-files-{count}-{how}" in asked]
            if hows:
                lines += _files(count, hows, programs, options)
    for count in _CROWD:
        if f"ssh-ping-{count}" in asked:
            lines += _ping(count, options)
    load = " ".join(f"{figure:.1f}" for figure in os.getloadavg())
    return "\n".join([*lines, f"medians of whole processes; load average at the end: {load}"])


def _files(
    count: int, hows: list[str], programs: dict[str, Path], options: argparse.Namespace
) -> Iterator[str]:
    with TemporaryDirectory(prefix="ensue-bench-ssh-") as name, running_hosts(Path(name), count) as hosts:
        runs = [ensue_run(hosts, _states(hosts)), _pyinfra(hosts, programs["pyinfra"])]
        if count <= _ANSIBLE_HOSTS:
            runs.append(_ansible(hosts, programs["ansible"]))
        samples: dict[tuple[str, str], list[Sample]] = {}
        for _ in range(options.repeat):
            for run in runs:
                _clear(hosts)
                for how in ("first", "unchanged"):
                    sample = _timed(run, options.timeout, lambda: _wrong_files(hosts))
                    samples.setdefault((how, run.program), []).append(sample)
        for how in hows:
            figures = {run.program: middle(samples[how, run.program]) for run in runs}
            yield from _lines(f"ssh-files-{count}-{how}", figures)


def _ping(count: int, options: argparse.Namespace) -> Iterator[str]:
    listener, port = silent_port()
    with (
        listener,
        TemporaryDirectory(prefix="ensue-bench-ssh-") as name,
        running_crowd(Path(name), count) as hosts,
    ):
        silent = list(hosts.addresses)[_SILENT_OF - 1 :: _SILENT_OF]
        run = ensue_run(hosts, "", silent=dict.fromkeys(silent, port))
        result = hosts.folder / "returns.json"
        call = [*run.argv[:1], "call", "T@ssh_host", "test.ping", "--timeout", "60", "--out", "json"]
        shell = f'"$@" > {result}; test $? = 2'
        ours = Run(program="ensue", argv=["/bin/sh", "-c", shell, "sh", *call], cwd=run.cwd)
        good = [address for id_, address in hosts.addresses.items() if id_ not in silent]
        floor_argv = [sys.executable, "-c", _FLOOR, json.dumps(good), str(hosts.port), str(hosts.folder)]
        floor = Run(program="asyncssh", argv=floor_argv, cwd=hosts.folder)
        samples: dict[str, list[Sample]] = {"ensue": [], "asyncssh": []}
        for _ in range(options.repeat):
            check = lambda: _wrong_answers(result, good=len(good), all_=count)  # noqa: E731
            samples["ensue"].append(_timed(ours, options.timeout, check))
            samples["asyncssh"].append(_timed(floor, options.timeout, str))
        figures = {name: middle(found) for name, found in samples.items()}
        beyond_ms = (figures["ensue"].cpu_s - figures["asyncssh"].cpu_s) / count * 1000
        yield from _lines(f"ssh-ping-{count}", figures)
        yield f"{'':26}CPU beyond asyncssh alone: {beyond_ms:.2f} ms per host"


def ensue_run(
    hosts: Hosts, sls: str, *, silent: dict[str, int] | None = None, config: dict[str, str] | None = None
) -> Run:
    """Write a project that has an SLS for the hosts, and return the run that applies it.

    Args:
        hosts: the hosts.
        sls: the text of the SLS.
        silent: ports of hosts that say nothing, by id.
        config: further configuration of all hosts.
    """
    root = hosts.folder / "ensue"
    for folder in ("states", "pillar"):
        (root / folder).mkdir(parents=True)
    ports = silent or {}
    entries = {
        id_: {"host": address, "port": ports.get(id_, hosts.port)} for id_, address in hosts.addresses.items()
    }
    common = {
        "user": "root",
        "priv": str(hosts.folder / "key"),
        "known_hosts": str(hosts.folder / "known_hosts"),
        **(config or {}),
    }
    # JSON is YAML, and needs no library here.
    (root / "pillar" / "hosts.sls").write_text(
        json.dumps({"resources": {"ssh_host": {**common, "hosts": entries}}})
    )
    (root / "pillar" / "top.sls").write_text("base:\n  '*':\n    - hosts\n")
    (root / "ensue.yaml").write_text("id: bench\n")
    (root / "states" / "files.sls").write_text(sls)
    executable = str(Path(sys.executable).with_name("ensue"))
    return Run(program="ensue", argv=[executable, "apply", "files", "--out", "quiet"], cwd=root)


def _states(hosts: Hosts) -> str:
    return "".join(
        f"{hosts.target}/{number}.conf:\n  file.managed:\n    - contents: {_content(number).strip()}\n"
        "    - mode: '0644'\n    - tgt: T@ssh_host\n"
        for number in range(_FILES)
    )


def _pyinfra(hosts: Hosts, environment: Path) -> Run:
    root = hosts.folder / "pyinfra"
    root.mkdir()
    data = {
        "ssh_user": "root",
        "ssh_port": hosts.port,
        "ssh_key": str(hosts.folder / "key"),
        "ssh_known_hosts_file": str(hosts.folder / "known_hosts"),
        "ssh_strict_host_key_checking": "yes",
    }
    inventory = [(address, data) for address in hosts.addresses.values()]
    (root / "inventory.py").write_text(f"hosts = {inventory!r}\n")
    contents = {f"{hosts.target}/{number}.conf": _content(number) for number in range(_FILES)}
    (root / "deploy.py").write_text(
        "from io import StringIO\nfrom pyinfra.operations import files\n"
        f"for path, content in {contents!r}.items():\n"
        "    files.put(src=StringIO(content), dest=path, mode='644')\n"
    )
    argv = [str(environment / "bin" / "pyinfra"), "-y", "inventory.py", "deploy.py"]
    return Run(program="pyinfra", argv=argv, cwd=root)


def _ansible(hosts: Hosts, environment: Path) -> Run:
    root = hosts.folder / "ansible"
    root.mkdir()
    variables = [
        "ansible_user=root",
        f"ansible_port={hosts.port}",
        f"ansible_ssh_private_key_file={hosts.folder}/key",
        f"ansible_ssh_common_args='-o UserKnownHostsFile={hosts.folder}/known_hosts'",
        "ansible_python_interpreter=/usr/bin/python3",
    ]
    (root / "inventory").write_text("\n".join([*hosts.addresses.values(), "[all:vars]", *variables, ""]))
    tasks = [
        {"copy": {"content": _content(number), "dest": f"{hosts.target}/{number}.conf", "mode": "0644"}}
        for number in range(_FILES)
    ]
    (root / "play.yml").write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]))
    argv = [str(environment / "bin" / "ansible-playbook"), "-i", "inventory", "-f", str(len(hosts.addresses))]
    env = {"ANSIBLE_HOME": str(root / "home"), "LC_ALL": "C.UTF-8"}
    return Run(program="ansible", argv=[*argv, "play.yml"], cwd=root, env=env)


def _content(number: int) -> str:
    return f"content of file {number}\n"


def _clear(hosts: Hosts) -> None:
    for id_ in hosts.addresses:
        for file in hosts.files(id_).iterdir():
            file.unlink()


def _wrong_files(hosts: Hosts) -> str:
    """Say which host has other files than it should; empty when none has."""
    wanted = {f"{number}.conf": _content(number) for number in range(_FILES)}
    for id_ in hosts.addresses:
        if {file.name: file.read_text() for file in hosts.files(id_).iterdir()} != wanted:
            return f"{id_} has other files than it should"
    return ""


def _wrong_answers(result: Path, *, good: int, all_: int) -> str:
    answers = json.loads(result.read_text())
    found = sum(answer is True for answer in answers.values())
    return "" if (found, len(answers)) == (good, all_) else f"{found} of {good} hosts answered"


def _timed(run: Run, timeout_s: float, wrong: Callable[[], str]) -> Sample:
    """Time a run and check what it did.

    Raises:
        MeasurementError: it failed, or did something else than it should.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    sample = run_once(run.argv, cwd=run.cwd, timeout_s=timeout_s, env=env | run.env)
    if fault := wrong():
        msg = f"{run.program}: {fault}"
        raise MeasurementError(msg)
    return sample


def _lines(case: str, figures: dict[str, Sample]) -> Iterator[str]:
    ours = figures["ensue"]
    for program, sample in figures.items():
        ratios = (
            sample.wall_s / ours.wall_s,
            sample.cpu_s / ours.cpu_s,
            sample.peak_rss_mib / ours.peak_rss_mib,
        )
        times = "  ".join(f"{ratio:.2f}x" for ratio in ratios)
        shown = f"{sample.wall_s:8.2f} s {sample.cpu_s:8.2f} s {sample.peak_rss_mib:6.0f} MiB"
        yield f"{case:26}{program:10}{shown}   wall, cpu, peak / ensue: {times}"


def _installed(folder: Path, requirement: str) -> Path:
    """Return an environment with a program, which is made if it is not there yet."""
    stamp = folder / f".installed-{requirement}"
    if not stamp.exists():
        print(f"installing {requirement} in {folder} (once) ...", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=False, symlinks=True)
        pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
        subprocess.run([*pip, requirement], check=True)
        stamp.touch()
    return folder
