"""A state lasts until its command has closed its output, here and over SSH."""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.support.sshd import running_sshd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.cli.shell import Shell

SLS = """\
command:
  cmd.run:
    - name: "{line}"
    - cwd: {cwd}
    {options}
"""
PLACES = ["here", pytest.param("there", marks=pytest.mark.openssh)]


@pytest.fixture
def apply(request: pytest.FixtureRequest, shell: Shell, tmp_path: Path) -> Iterator[Callable[..., list[str]]]:
    """Return what writes an SLS with one command, and returns the words that apply it, here or over SSH."""
    words: list[str] = []
    for name in ("began", "end"):
        os.mkfifo(tmp_path / name)

    def written(line: str, **options: object) -> list[str]:
        lines = "\n    ".join(f"- {key}: {value}" for key, value in options.items())
        shell.write("states/t.sls", SLS.format(line=line, cwd=tmp_path, options=lines))
        return ["apply", "t", "--out", "json", *words]

    if request.param == "here":
        yield written
        return
    user = pwd.getpwuid(os.geteuid()).pw_name
    with running_sshd(tmp_path / "sshd", user=user) as server:
        resources = {"resources": {"ssh_host": {"hosts": {"far": server.config()}}}}
        shell.write("pillar/top.sls", "base: {'*': [resources]}\n")
        shell.write("pillar/resources.sls", yaml.safe_dump(resources))
        words += ["--tgt", "T@ssh_host:far"]
        yield written


@pytest.mark.parametrize("apply", PLACES, indirect=True)
def test_a_state_ends_at_the_end_of_its_output(
    apply: Callable[..., list[str]], shell: Shell, tmp_path: Path
) -> None:
    """What a child in the background writes after the shell has exited is part of the output."""
    process = shell.start(*apply("(echo held >began; read x <end; echo later; touch flag) & echo now"))
    assert (tmp_path / "began").read_text() == "held\n"
    (tmp_path / "end").write_text("go\n")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert b"now\\nlater" in out
    assert (tmp_path / "flag").exists()


@pytest.mark.parametrize("apply", PLACES, indirect=True)
@pytest.mark.parametrize(
    ("line", "options"),
    [("(read x <end; echo $x >flag) </dev/null >/dev/null 2>&1 & echo now", {}),
     ("read x <end; echo $x >flag", {"bg": True})],
)  # fmt: skip
def test_a_daemon_does_not_hold_its_state(
    apply: Callable[..., list[str]], shell: Shell, tmp_path: Path, line: str, options: dict[str, object]
) -> None:
    """With its output elsewhere, by redirection or by `bg`, it outlives the state and the run."""
    os.mkfifo(tmp_path / "flag")
    ended = shell.run(*apply(line, **options))
    assert ended.code == 0, ended.err
    (tmp_path / "end").write_text("went on\n")
    assert (tmp_path / "flag").read_text() == "went on\n"


@pytest.mark.parametrize("apply", PLACES, indirect=True)
def test_a_timeout_ends_what_holds_the_output(
    apply: Callable[..., list[str]], shell: Shell, tmp_path: Path
) -> None:
    """A state that is held longer than its `timeout` fails, and the process group of its command is ended."""
    # Nothing is read from a pipe into which nobody writes; where a writer is left, it would block.
    pipe, written, limit_s = os.open(tmp_path / "began", os.O_RDONLY | os.O_NONBLOCK), b"", 1.5
    while not written:
        # A host under load may need longer than the limit until the command starts.
        limit_s *= 2
        words = apply(
            "exec 3>began; echo held >&3; (while :; do sleep 600; done) & echo now", timeout=limit_s
        )
        process = shell.start(*words)
        out, _ = process.communicate(timeout=300)
        written = os.read(pipe, 100)
    assert written == b"held\n"
    assert os.read(pipe, 100) == b""
    os.close(pipe)
    assert process.returncode == 2
    assert f"Timed out after {limit_s:g} seconds".encode() in out
