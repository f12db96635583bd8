"""A command that outlives its killed ensue is not run a second time beside itself."""

from __future__ import annotations

import os
import select
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

from ensue.core.model.events import CommandStarted
from ensue.store.runs.run_history import read_run

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

# The command says that it runs through one named pipe, and ends when the test writes to another.
SLS = """\
before:
  cmd.run:
    - name: echo before >> {root}/calls
long:
  cmd.run:
    - name: echo long >> {root}/calls; echo $$ > {root}/began; read x < {root}/end; true
    - env:
      - PASSWORD: {{{{ pillar.db.password }}}}
after:
  cmd.run:
    - name: echo after >> {root}/calls
"""


class Killed:
    """A project whose apply was killed while a command of it goes on."""

    def __init__(self, root: Path) -> None:
        self.project = Shell(root)
        self.root = root
        for name in ("began", "end"):
            os.mkfifo(root / name)
        self.project.write("ensue.yaml", "id: web-01\n")
        self.project.write("pillar/top.sls", "base: {'*': [data]}\n")
        self.project.write("pillar/data.sls", "db: {password: correct-horse-battery}\n")
        self.project.write("states/t.sls", SLS.format(root=root))
        process = self.project.start("apply", "t")
        self.pid = int((root / "began").read_text())
        # The command may say so before the journal does.
        while not self._is_noted():
            pass
        process.kill()
        process.communicate()

    def _is_noted(self) -> bool:
        (run,) = (self.root / ".ensue/runs").iterdir()
        events = read_run(self.root / ".ensue", run.stem)
        return any(isinstance(event, CommandStarted) and event.pid == self.pid for event in events)

    @property
    def calls(self) -> list[str]:
        """What was run, in order."""
        return (self.root / "calls").read_text().split()

    def end(self) -> None:
        """End the command that goes on, and wait until it is gone."""
        watched = os.pidfd_open(self.pid)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        select.select([watched], [], [], 10)
        os.close(watched)


@contextmanager
def answered(root: Path) -> Generator[None]:
    """Let the command that is about to be run end: read what it says, write what it waits for."""
    # Open for reading, too: what is written stays until it is read. One line each for two commands.
    end = os.open(root / "end", os.O_RDWR)

    def answer() -> None:
        (root / "began").read_text()
        os.write(end, b"go\ngo\n")

    try:
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(answer)
            yield
            waiting.result()
    finally:
        os.close(end)


@pytest.fixture
def killed(tmp_path: Path) -> Generator[Killed]:
    """An apply that was killed while its second state's command ran."""
    killed = Killed(tmp_path)
    yield killed
    with suppress(OSError):
        killed.end()


def test_a_resume_is_refused_while_a_command_runs(killed: Killed) -> None:
    """The process and the command are named, nothing is called, and once it has ended the run goes on."""
    refused = killed.project.run("runs", "resume")
    assert refused.code == 1
    assert f"pid {killed.pid}, 'echo long >> " in refused.err
    assert "of cmd_|-long_|-" in refused.err
    assert f"kill -- -{killed.pid}" in refused.err
    assert "E0108" in refused.err
    assert killed.calls == ["before", "long"]
    assert len(list((killed.root / ".ensue/runs").iterdir())) == 1
    killed.end()
    with answered(killed.root):
        ended = killed.project.run("runs", "resume")
    assert ended.code == 0, ended.err
    assert killed.calls == ["before", "long", "long", "after"]


def test_who_insists_resumes_beside_it(killed: Killed) -> None:
    """With `--despite-running` the state is called again at once."""
    with answered(killed.root):
        ended = killed.project.run("runs", "resume", "--despite-running")
    assert ended.code == 0, ended.err
    assert killed.calls == ["before", "long", "long", "after"]


def test_an_apply_warns_of_it(killed: Killed) -> None:
    """A new apply goes on beside the command, and says so before anything else runs."""
    killed.project.write("states/u.sls", "other:\n  test.fail_without_changes: []\n")
    ended = killed.project.run("apply", "u")
    lines = ended.err.splitlines()
    warned = next(number for number, line in enumerate(lines) if "E0109" in line)
    failed = next(number for number, line in enumerate(lines) if line.startswith("failed:"))
    assert f"pid {killed.pid}" in lines[warned]
    assert warned < failed


def test_the_journal_names_process_and_command(killed: Killed) -> None:
    """Whole and without the secrets that it was given: the process that ended by itself is named as well."""
    (journal,) = (killed.root / ".ensue/runs").iterdir()
    assert "correct-horse" not in journal.read_text()
    commands = [
        event for event in read_run(killed.root / ".ensue", "last") if isinstance(event, CommandStarted)
    ]
    assert commands[-1].pid == killed.pid
    assert commands[-1].tag_.startswith("cmd_|-long_|-")


def test_a_process_of_the_same_number_is_another_one(killed: Killed) -> None:
    """What has the process's number by now, and began at another time, keeps nobody from going on."""
    (journal,) = (killed.root / ".ensue/runs").iterdir()
    killed.end()
    text = journal.read_text()
    journal.write_text(text.replace(f'"pid":{killed.pid},', f'"pid":{os.getpid()},'))
    with answered(killed.root):
        assert killed.project.run("runs", "resume").code == 0
