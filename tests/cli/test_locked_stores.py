"""A store that another process has locked holds no command up: signals end it, nothing is half written."""

from __future__ import annotations

import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import DEPLOY, deployed_project
from tests.cli.shell import Shell
from tests.support.postgresql import programs, running_postgresql

from ensue.store.registry.schema import open_url

if TYPE_CHECKING:
    from collections.abc import Generator

LONGEST_S = 60
WAITING = b"waiting for another process, which has it locked"

HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(f"PRAGMA locking_mode={sys.argv[2]}")
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""

VM = """\
vm:
  test.present:
    - new_state: {host: 192.0.2.1}
    - registers: [dummy:box: {grains: {os: x}}]
"""


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project that has every store."""
    project = Shell(tmp_path / "project")
    project.write("ensue.yaml", "id: m1\n")
    project.write("pillar/top.sls", "base: {m1: [r]}\n")
    project.write("pillar/r.sls", "resources: {dummy: {d1: {grains: {os: x}}}}\n")
    project.write("states/s.sls", "one:\n  cmd.run:\n    - name: echo 1\n")
    assert project.run("apply", "s").code == 0
    assert project.run("resources", "register", "dummy:box").code == 0
    assert project.run("resources", "refresh").code == 0
    return project


@contextmanager
def held(project: Shell, name: str, mode: str = "EXCLUSIVE") -> Generator[None]:
    """Have another process lock a store; in the mode `EXCLUSIVE` nobody may have it open, or read it."""
    words = [sys.executable, "-c", HOLD, str(project.root / ".ensue" / name), mode]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            holder.communicate()


def until_waiting(process: subprocess.Popen[bytes]) -> bytes:
    """Return the line that says that a command waits for a store."""
    assert process.stderr is not None
    while WAITING not in (line := process.stderr.readline()):
        if not line:
            process.kill()
            pytest.fail("it has ended, or closed stderr")
    return line


@contextmanager
def waiting(
    project: Shell, name: str, *words: str, mode: str = "EXCLUSIVE"
) -> Generator[subprocess.Popen[bytes]]:
    """Start a command, and wait until it waits for a store that is locked."""
    with held(project, name, mode), project.start(*words) as process:
        try:
            assert f".ensue/{name}:".encode() in until_waiting(process)
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[bytes], *signals: signal.Signals) -> str:
    """Send signals, and return what a command that ends in order prints then."""
    for number in signals:
        process.send_signal(number)
    out, err = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 130, err
    assert b"stopped at once" not in err
    assert b"Traceback" not in err
    return out.decode()


def is_whole(project: Shell, name: str) -> bool:
    """Return whether a store is a whole database."""
    with closing(sqlite3.connect(project.root / ".ensue" / name)) as database:
        return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


TWO = (signal.SIGINT, signal.SIGTERM)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("enforced.db", "apply s"),
        ("enforced.db", "plan s"),
        ("enforced.db", "show enforced"),
        ("store.db", "resources list"),
        ("store.db", "resources register dummy:other"),
        ("store.db", "resources invalidate minion:m1"),
        ("store.db", "resources forget dummy:box"),
        ("store.db", "show active"),
        ("store.db", "keys rotate"),
        ("store.db", "call * test.ping"),
        ("grains.db", "resources refresh"),
        ("grains.db", "resources show dummy:box"),
    ],
)
def test_two_signals_end_what_waits(project: Shell, name: str, words: str) -> None:
    """Whichever store a command waits for, to read or to write, two signals end it in order."""
    with waiting(project, name, *words.split()) as process:
        ended(process, *TWO)
    assert is_whole(project, name)
    assert project.run("apply", "s").code == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [("enforced.db", "plan s"), ("enforced.db", "show enforced"), ("store.db", "resources list")],
)
def test_one_signal_ends_what_only_reads(project: Shell, name: str, words: str) -> None:
    """Where nothing is running, the first signal is enough."""
    with waiting(project, name, *words.split()) as process:
        ended(process, signal.SIGINT)


def test_an_apply_whose_enforced_states_cannot_be_written(project: Shell, tmp_path: Path) -> None:
    """The first signal ends the wait after the last state: the report and the journal say what ran."""
    gate = tmp_path / "gate"
    project.write("states/s.sls", f"one:\n  cmd.run:\n    - name: echo open > {gate}; cat {gate}.end\n")
    for path in (gate, tmp_path / "gate.end"):
        subprocess.run(["mkfifo", path], check=True)
    with project.start("apply", "s") as process:
        assert gate.read_text() == "open\n"
        with held(project, "enforced.db", "NORMAL"):
            Path(f"{gate}.end").write_text("")
            until_waiting(process)
            out = ended(process, signal.SIGINT)
    assert "1 changed, 0 unchanged, " in out
    [last, _] = project.run("runs", "list", "--out", "json").document
    assert (last["status"], last["exit_code"]) == ("interrupted", 130)
    project.write("states/s.sls", "one:\n  cmd.run:\n    - name: echo 2\n")
    assert project.run("apply", "s").code == 0
    assert "echo 2" in project.run("show", "enforced").out


def test_a_registration_that_waits(project: Shell) -> None:
    """Two signals end the state that registers; the journal says so, and the next apply registers."""
    project.write("states/r.sls", VM)
    with waiting(project, "store.db", "apply", "r", mode="NORMAL") as process:
        out = ended(process, *TWO)
    assert "Cancelled while it was running" in out
    assert project.run("runs", "list", "--out", "json").document[0]["status"] == "interrupted"
    assert project.run("apply", "r").code == 0
    assert is_whole(project, "store.db")


@pytest.mark.parametrize(
    ("locked", "words", "signals"),
    [
        ("audit.jsonl", "resources register dummy:other", TWO),
        ("audit.jsonl", "resources audit --verify", TWO[:1]),
        ("", "keys rotate", TWO),
    ],
)
def test_a_lock_of_the_kernel(
    project: Shell, locked: str, words: str, signals: tuple[signal.Signals, ...]
) -> None:
    """The lock of a file or folder, too: what has no line in the log does not happen."""
    path = project.root / ".ensue" / locked
    key = (project.root / ".ensue" / "key").read_bytes()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with project.start(*words.split()) as process:
            assert f"{path}: ".encode() in until_waiting(process)
            ended(process, *signals)
    finally:
        os.close(descriptor)
    assert (project.root / ".ensue" / "key").read_bytes() == key
    assert "dummy:other" not in project.run("resources", "list").out
    assert project.run("resources", "audit", "--verify").code == 0


def test_a_deployment_that_waits(tmp_path: Path) -> None:
    """A driver is called after its record is durable: while that waits, nothing is made."""
    project = deployed_project(tmp_path / "deployed")
    assert project.run(*DEPLOY).code == 0
    project.postgres("{host: other}")
    project.log()
    with waiting(project, "store.db", *DEPLOY, mode="NORMAL") as process:
        ended(process, *TWO)
    assert project.log() == []
    assert project.run(*DEPLOY).code == 0
    assert project.log() == ["update postgres"]


@pytest.mark.skipif(programs() is None, reason="needs PostgreSQL: apt-get install postgresql")
def test_a_lock_of_postgresql(project: Shell) -> None:
    """Two signals end a command that waits for a table of a database server; a minute ends it as well."""
    with running_postgresql() as server:
        server.query("CREATE DATABASE en")
        url = f"postgresql+psycopg://{server.user}@/en?host={server.socket_folder}"
        project.write("ensue.yaml", f"id: m1\nstore_url: '{url}'\n")
        assert project.run("resources", "register", "dummy:one").code == 0
        engine = open_url(url)
        with engine.connect() as connection:
            assert connection.exec_driver_sql("SHOW lock_timeout").scalar() == "1min"
        engine.dispose()
        words = ["psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "en"]
        environment = {**os.environ, **server.environment, "PGDATABASE": "en"}
        with subprocess.Popen(
            words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as holder:
            assert holder.stdin is not None
            assert holder.stdout is not None
            holder.stdin.write(b"BEGIN; LOCK TABLE ensue_resource, ensue_fact; \\echo held\n")
            holder.stdin.flush()
            assert holder.stdout.readline() == b"held\n"
            with project.start("resources", "list") as process:
                waits = "SELECT count(*) FROM pg_locks WHERE NOT granted"
                while server.query(waits) == ["0"]:
                    assert process.poll() is None
                for number in TWO:
                    process.send_signal(number)
                process.communicate(timeout=LONGEST_S)
                assert process.returncode == 130
            holder.communicate()
        assert "dummy:one" in project.run("resources", "list").out
