"""A terminal that is closed interrupts a run once; a closed pipe ends the printing alone."""

from __future__ import annotations

import fcntl
import os
import signal
import termios
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Generator

    from tests.cli.shell import Shell

LONGEST_S = 300

# The failure is what the live display has to print a line for after its terminal has gone.
STATES = """\
first:
  cmd.run:
    - name: echo running > {folder}/began; cat {folder}/end > /dev/null; echo whole > {folder}/ended; false
second:
  file.managed:
    - name: {folder}/second
    - contents: made
"""


class OnTerminal:
    """An apply on a pseudo-terminal, whose first state runs until it is let go."""

    def __init__(self, shell: Shell, folder: Path, *, controls: bool, **options: Any) -> None:
        self._folder = folder
        for name in ("began", "end"):
            os.mkfifo(folder / name)
        shell.write("states/t.sls", STATES.format(folder=folder))
        self.master, slave = os.openpty()

        def begin_session() -> None:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        options = {"stdin": slave, "stdout": slave, "stderr": slave, **options}
        before = begin_session if controls else None
        self.process: subprocess.Popen[bytes] = shell.start("apply", "t", preexec_fn=before, **options)
        os.close(slave)
        assert (folder / "began").read_text() == "running\n"

    def until_shown(self) -> None:
        """Wait for the live display."""
        shown = b""
        while b"first (cmd.run)" not in shown:
            shown += os.read(self.master, 65536)

    def close_terminal(self) -> None:
        """Close the window, and wait until the command knows."""
        os.close(self.master)
        self.master = -1
        stderr = Path(f"/proc/{self.process.pid}/fd/2")
        while str(stderr.readlink()) != os.devnull:
            pass

    def release(self) -> int:
        """Let the first state end, and return the exit code of the command."""
        (self._folder / "end").write_text("")
        self.process.communicate(timeout=LONGEST_S)
        return self.process.returncode

    def close(self) -> None:
        """Leave nothing open."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        if self.master >= 0:
            os.close(self.master)


@pytest.fixture
def on_terminal(shell: Shell, tmp_path: Path) -> Generator[Callable[..., OnTerminal]]:
    """Starts an apply on a terminal."""
    with ExitStack() as stack:

        def start(**options: Any) -> OnTerminal:
            started = OnTerminal(shell, tmp_path, **options)
            stack.callback(started.close)
            return started

        yield start


def _ended_as_by_one_interrupt(shell: Shell, folder: Path) -> None:
    """The running command ended by itself, nothing new began, the journal is whole."""
    assert (folder / "ended").read_text() == "whole\n"
    assert not (folder / "second").exists()
    [last] = shell.run("runs", "list", "--out", "json").document
    assert (last["status"], last["exit_code"]) == ("interrupted", 130)
    assert not list((shell.root / ".ensue").glob("crash-*"))


@pytest.mark.parametrize("controls", [True, False], ids=["SIGHUP and EIO", "EIO alone"])
def test_a_terminal_that_is_closed(
    shell: Shell, on_terminal: Callable[..., OnTerminal], tmp_path: Path, controls: bool
) -> None:
    """What is running ends, nothing new starts, 130: by the kernel's signal, or by the dead display alone."""
    run = on_terminal(controls=controls)
    run.until_shown()
    run.close_terminal()
    assert run.release() == 130
    _ended_as_by_one_interrupt(shell, tmp_path)


def test_a_terminal_that_is_closed_when_results_go_elsewhere(
    shell: Shell, on_terminal: Callable[..., OnTerminal], tmp_path: Path
) -> None:
    """Results in a file are whole: the report of what was done and what was not."""
    with (tmp_path / "results").open("wb") as file:
        run = on_terminal(controls=True, stdout=file)
    run.until_shown()
    run.close_terminal()
    assert run.release() == 130
    _ended_as_by_one_interrupt(shell, tmp_path)
    assert (tmp_path / "results").read_text().endswith("second (file.managed)\n")


def test_several_hangups_are_one(
    shell: Shell, on_terminal: Callable[..., OnTerminal], tmp_path: Path
) -> None:
    """The kernel, the shell and ensue itself report one closed terminal: the running command is not ended."""
    run = on_terminal(controls=True)
    run.until_shown()
    for _ in range(3):
        run.process.send_signal(signal.SIGHUP)
    run.close_terminal()
    run.process.send_signal(signal.SIGHUP)
    assert run.release() == 130
    _ended_as_by_one_interrupt(shell, tmp_path)


def test_a_run_that_outlives_its_terminal(on_terminal: Callable[..., OnTerminal], tmp_path: Path) -> None:
    """Under nohup, which has SIGHUP ignored, the run goes on to its end."""
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        run = on_terminal(controls=True)
    finally:
        signal.signal(signal.SIGHUP, former)
    run.until_shown()
    run.close_terminal()
    assert run.release() == 2
    assert (tmp_path / "second").exists()


def test_results_for_a_terminal_that_is_gone(shell: Shell) -> None:
    """Where nothing is left to be run, the exit code is that of an interruption, too."""
    master, slave = os.openpty()
    os.close(master)
    process = shell.start("apply", "good", stdout=slave)
    os.close(slave)
    _, err = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 130
    assert err == b"ensue: interrupted\n"


@pytest.mark.parametrize(
    "words",
    [
        ("apply", "good"),
        ("apply", "good", "--out", "json"),
        ("show", "low", "good"),
        ("show", "pillar", "--out", "yaml"),
        ("graph", "good"),
        ("resources", "list"),
        ("call", "*", "test.ping"),
        ("explain", "E0101"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_a_reader_that_has_gone(shell: Shell, words: tuple[str, ...]) -> None:
    """With a closed pipe for stdout a command does what it does, prints no traceback, and is no failure."""
    reading, writing = os.pipe()
    os.close(reading)
    process = shell.start(*words, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=LONGEST_S)
    assert (process.returncode, err) == (0, b"")


def test_a_reader_of_progress_that_has_gone(shell: Shell) -> None:
    """With a closed pipe for stderr the run goes on to its end, and its results are whole."""
    reading, writing = os.pipe()
    os.close(reading)
    shell.write("states/t.sls", "bad:\n  test.fail_without_changes: []\nok:\n  test.nop: []\n")
    process = shell.start("apply", "t", stderr=writing)
    os.close(writing)
    out, _ = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 2
    assert b"0 changed, 1 unchanged, 1 failed, " in out
