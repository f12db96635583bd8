"""Runs with SSH servers that do everything wrong: each fails its own states, and nobody else's."""

from __future__ import annotations

import json
import os
import pwd
import signal
import subprocess
import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell, command, environment
from tests.support.hostile_sftp import FILES
from tests.support.hostile_sshd import KINDS, LOGINS, PROCESSES, RAW, hostile_servers
from tests.support.sshd import running_sshd

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.support.sshd import Sshd

pytestmark = pytest.mark.openssh

SAYS = {
    "silent": "completed no login within 2 s",
    "endless_banner": "cannot be reached",
    "endless_line": "cannot be reached",
    "nonsense": "cannot be reached",
    "nonsense_after_version": "cannot be reached",
    "gone_at_once": "cannot be reached",
    "never_answers_login": "completed no login within 2 s",
    "talks_instead_of_login": "completed no login within 2 s",
    "refuses_everybody": "refused the user `anybody`",
    "never_opens": "opened no session within 2 s",
    "refuses_sessions": "opens no session",
    "never_ends": "did not end within 2 s",
    "floods_stdout": "did not end within 2 s",
    "floods_stderr": "did not end within 2 s",
    "floods_without_newline": "did not end within 2 s",
    "drops_in_command": "was lost while a command ran",
    "no_status": "closed the session of a command without an exit status",
    "killed": "ran no command: it ended with -9",
    "no_such_signal": "ran no command: it ended with -99",
    "no_such_file": "has no folder /",
    "mute_files": "took longer than 2 s",
    "drops_in_files": "was lost while a file was worked on",
    "says_anything": "exists and is a file",
    "endless_files": "Failed to commit change",
    "huge_files": "at most 268435456 are read",
    "large_files": "at most 268435456 are read",
    "empty_reads": "Failed to commit change",
    "bottomless": "Timed out after 4 seconds",
    "forking": "Timed out after 4 seconds",
    "endless_listing": "took longer than 2 s",
    "hostile_names": "which is not a name",
    "odd_names": "is a directory",
    "link_loops": "exists and is a symlink",
}
"""What the comment of a failed state says, by what is wrong with the server."""

HARMLESS = {"huge_status", "prints_nonsense"}
"""What is odd about these is not the connection's business: an exit code and an output, whatever they are."""

WITHOUT_END = {kind for kind, comment in SAYS.items() if comment == "Timed out after 4 seconds"}
"""Each answer of these comes in time, and there is always another one: the state itself has a limit."""

PATIENT = {"connect_timeout_s": 300, "connect_attempts": 1, "timeout_s": 300}
"""Limits that are never reached, for hosts that say at once what is wrong; a busy machine needs them."""

MEASURING = """\
import os, sys
report, *argv = sys.argv[1:]
_, status, usage = os.wait4(os.posix_spawn(argv[0], argv, os.environ), 0)
open(report, "w").write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""Runs a command from a small process: its peak begins with that of the process that started it."""

MOST_MEMORY_MB = 900
"""Three servers that write without end, as much as is kept of each, and the program itself."""


@pytest.fixture
def good(tmp_path: Path) -> Iterator[Sshd]:
    """A server with which nothing is wrong."""
    with running_sshd(tmp_path / "sshd", user=pwd.getpwuid(os.geteuid()).pw_name) as running:
        yield running


def project(root: Path, hosts: dict[str, dict[str, Any]]) -> Shell:
    """Return a project with these hosts and some states for each, which do not depend on each other."""
    shell = Shell(root)
    shell.write("ensue.yaml", "id: m\nstate_auto_order: false\n")
    shell.write("pillar/top.sls", "base: {m: [hosts]}\n")
    shell.write("pillar/hosts.sls", json.dumps({"resources": {"ssh_host": {"hosts": hosts}}}))
    states: dict[str, Any] = {}
    for host in hosts:
        folder = root / host
        limit = {"timeout": 4} if host in WITHOUT_END else {}
        chain: list[tuple[str, dict[str, Any]]] = [
            ("cmd.run", {"name": "echo said", **limit}),
            ("file.managed", {"name": f"{folder}/d/file", "contents": "x", "makedirs": True}),
            ("file.directory", {"name": f"{folder}/d1", "clean": True, "makedirs": True, **limit}),
            ("file.absent", {"name": f"{folder}/gone"}),
            ("file.symlink", {"name": f"{folder}/e/link", "target": "/x", "makedirs": True}),
        ]
        for number, (function, arguments) in enumerate(chain):
            listed: list[dict[str, Any]] = [{name: value} for name, value in arguments.items()]
            states[f"{host} {number}"] = {function: [*listed, {"tgt": host}, {"order": number + 1}]}
    shell.write("states/t.sls", json.dumps(states))
    return shell


def ended(shell: Shell, *words: str) -> tuple[int, dict[str, Any], int]:
    """Run `ensue`; return its exit code, the returns and the most memory that it took, in MB."""
    report = shell.root / "memory"
    with (shell.root / "out").open("wb") as out, (shell.root / "err").open("wb") as err:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", MEASURING, str(report), *command(), *words],
            cwd=shell.root, env=environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False,
        )  # fmt: skip
    output = (shell.root / "out").read_bytes() + (shell.root / "err").read_bytes()
    assert b"Traceback" not in output
    assert b"\x1b" not in output
    document = json.loads((shell.root / "out").read_text())
    return done.returncode, document["m"], int(report.read_text()) >> 10


def limits(kind: str) -> dict[str, int]:
    """Return limits for a host that are reached where that is what its states are to say."""
    comment = SAYS.get(kind, "")
    if kind in FILES:
        return {**PATIENT, "timeout_s": 2}
    if not comment.endswith("within 2 s"):
        return PATIENT
    limited = "timeout_s" if comment.startswith("did not end") else "connect_timeout_s"
    return {**PATIENT, limited: 2}


def end_of(returned: dict[str, Any]) -> datetime:
    began = datetime.strptime(returned["start_time"], "%H:%M:%S.%f")  # noqa: DTZ007 -- a time of day
    return began + timedelta(milliseconds=returned["duration"])


def is_said(kind: str, comments: Sequence[str]) -> bool:
    """Say whether one of the comments is the expected one; much data may take too long or be too much."""
    expected = (SAYS[kind], SAYS["mute_files"]) if kind in FILES else (SAYS[kind],)
    if kind.startswith("floods"):
        expected = (*expected, "wrote more than 256 MiB")
    if kind == "never_opens":
        # An unreachable host is tried once, by a command or by a file.
        expected = (*expected, "started no SFTP within 2 s")
    return any(text in comment for comment in comments for text in expected)


@pytest.mark.parametrize(
    "kinds",
    [
        [*RAW, *LOGINS],
        [kind for kind in PROCESSES if not kind.startswith("floods")],
        [kind for kind in PROCESSES if kind.startswith("floods")],
        [*FILES],
    ],
    ids=["connecting", "commands", "floods", "files"],
)
def test_a_hostile_host_fails_alone(tmp_path: Path, good: Sshd, kinds: Sequence[str]) -> None:
    """Each hostile host fails states of its own with a message that says why, within its time.

    The good host's states are done before the slowest of the others have failed, and memory has a bound.
    """
    with hostile_servers(*kinds) as servers:
        hosts = {kind: servers.config(kind, **limits(kind)) for kind in kinds}
        shell = project(tmp_path, {**hosts, "good": good.config()})
        code, returned, memory_mb = ended(shell, "apply", "t", "--out", "json")
    assert code == 2
    assert memory_mb < MOST_MEMORY_MB
    by_host = {
        host: [entry for entry in returned.values() if entry["__id__"].split()[0] == host]
        for host in [*kinds, "good"]
    }
    assert {host: len(entries) for host, entries in by_host.items()} == dict.fromkeys(by_host, 5)
    assert [entry["comment"] for entry in by_host["good"] if entry["result"] is not True] == []
    failed = {
        kind: [entry["comment"] for entry in by_host[kind] if entry["result"] is False]
        for kind in kinds
        if kind in SAYS
    }
    assert {kind: comments for kind, comments in failed.items() if not is_said(kind, comments)} == {}
    assert "An exception occurred" not in str(failed)
    assert max(map(end_of, by_host["good"])) < max(end_of(entry) for entry in returned.values())


def test_every_kind_is_tried() -> None:
    """What a hostile server's state says is known of every kind."""
    assert {*KINDS} == SAYS.keys() | HARMLESS


@pytest.mark.parametrize("kind", ["never_ends", "floods_stdout"])
def test_an_interrupt_ends_a_run_with_a_hostile_host(tmp_path: Path, kind: str) -> None:
    """Without any limit of time the second Ctrl-C still ends the run, with the code for that."""
    with hostile_servers(kind) as servers:
        shell = project(tmp_path, {kind: servers.config(kind)})
        with shell.start("apply", "t") as process:
            assert process.stderr is not None
            assert servers.wait_for_command() == kind
            process.send_signal(signal.SIGINT)
            err = b""
            while b"again: end that now" not in err and (part := process.stderr.readline()):
                err += part
            process.send_signal(signal.SIGINT)
            try:
                out, rest = process.communicate(timeout=300)
            finally:
                process.kill()
    err += rest
    assert process.returncode == 130
    assert b"Traceback" not in out + err


def test_what_a_host_is_called_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    """Names with control characters, and output with them, are shown as escapes."""
    with hostile_servers("odd_names", "noisy") as servers:
        shell = Shell(tmp_path)
        shell.write("ensue.yaml", "id: m\n")
        shell.write("pillar/top.sls", "base: {m: [hosts]}\n")
        hosts = {kind: servers.config(kind) for kind in ("odd_names", "noisy")}
        shell.write("pillar/hosts.sls", json.dumps({"resources": {"ssh_host": {"hosts": hosts}}}))
        shell.write("states/t.sls", "/x/d:\n  file.directory: [{clean: true}, {tgt: odd_names}]\n")
        done = shell.run("apply", "t")
        called = shell.run("call", "noisy", "cmd.run", r"printf '\033[2J'")
    assert "\x1b" not in done.out + done.err + called.out
    assert subprocess.CompletedProcess([], done.code).returncode in {0, 2}
