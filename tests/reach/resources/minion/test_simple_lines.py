"""A line of plain words is executed without a shell, and everything else by the shell, to the same effect."""

from __future__ import annotations

import asyncio
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.contracts.connection import Command, Completed
from ensue.core.errors import RemoteTimeoutError
from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.reach.resources.minion.simple_lines import program_of

if TYPE_CHECKING:
    from pathlib import Path

PATH = {b"PATH": b"/usr/bin:/bin"}


def run(line: str, **options: object) -> Completed:
    """Run a line on this machine."""
    connection = MinionConnection(Srn("minion", "m"))
    return asyncio.run(connection.run(Command(shell_line=line, **options)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("true", b"/usr/bin/true"),
        ("/bin/ls -la /tmp", b"/bin/ls"),
        ("dd if=/dev/null of=/dev/null", b"/usr/bin/dd"),
        ("git  --version", b"/usr/bin/git"),
    ],
)
def test_plain_words_need_no_shell(line: str, program: bytes) -> None:
    """A program that PATH or an absolute path leads to is executed itself."""
    assert program_of(line, "/bin/bash", PATH) == program


@pytest.mark.parametrize(
    "line",
    [
        "echo hello",
        "A=1 true",
        "true; false",
        "true && false",
        "ls *",
        "ls ~",
        "ls $HOME",
        "ls {a,b}",
        "ls 'a'",
        "ls > /dev/null",
        "! true",
        "# true",
        "ls a\nls b",
        " true",
        "true ",
        "",
        "if",
        "%1",
        "no-such-program-anywhere",
        "./true",
        "bin/true",
        "/tmp",
    ],
)
def test_everything_else_goes_to_the_shell(line: str) -> None:
    """Whatever a shell might read otherwise than word by word is left to it."""
    assert program_of(line, "/bin/sh", PATH) is None


@pytest.mark.parametrize(
    ("shell", "env"),
    [
        ("/usr/bin/fish", PATH),
        ("/usr/bin/python3", PATH),
        ("/bin/bash", {**PATH, b"BASH_ENV": b"/tmp/x"}),
        ("/bin/sh", {**PATH, b"ENV": b"/tmp/x"}),
        ("/bin/bash", {**PATH, b"BASH_FUNC_true%%": b"() { false; }"}),
        ("/bin/sh", {b"PATH": b".:/usr/bin"}),
    ],
)
def test_a_shell_that_could_see_it_otherwise_is_asked(shell: str, env: dict[bytes, bytes]) -> None:
    """Another kind of shell, its startup file and functions handed to it keep the line for it."""
    assert program_of("true", shell, env) is None


@given(st.text(st.sampled_from("abls/.-=+:,@% \t\n'\"$*?{}~#!;&|<>()[]\\1"), max_size=12))
def test_a_plain_line_is_words_to_a_shell_too(line: str) -> None:
    """What is taken for plain words a real shell splits into the same words, expanding nothing."""
    program = program_of(f"ls {line}", "/bin/sh", PATH)
    if program is not None:
        printed = subprocess.run(
            ["/bin/sh", "-c", f"printf '%s\\n' {line}"], check=True, capture_output=True, text=True
        )
        assert printed.stdout.splitlines() == (line.split() or [""])


def test_the_program_sees_what_it_would_see(tmp_path: Path) -> None:
    """Its own name as written, its folder in PWD, its exit code and output are those under a shell."""
    script = tmp_path / "seen"
    script.write_text('#!/bin/sh\necho "$PWD"; exit 3\n')
    script.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = run("seen", env=env, cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (3, f"{os.path.realpath(tmp_path)}\n".encode())
    missing = run("ls /nowhere-at-all")
    assert missing.stderr.startswith(b"ls: ")


def test_a_script_without_an_interpreter_runs(tmp_path: Path) -> None:
    """What the system refuses to execute, the shell reads as a script."""
    script = tmp_path / "plain"
    script.write_text("echo from a shell\n")
    script.chmod(0o755)
    assert run(str(script)).stdout == b"from a shell\n"


def test_a_timeout_is_one() -> None:
    """A program that takes too long is ended once, and not started again by a shell."""
    with pytest.raises(RemoteTimeoutError):
        run("tail -f /dev/null", timeout_s=0.05)
