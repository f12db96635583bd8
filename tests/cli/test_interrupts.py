"""Signals end a run in order, and the second one at once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

import pytest

from ensue.cli.interrupts import Interrupts

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from tests.cli.shell import Shell

# The first state says that it runs through a named pipe, and ends when the test writes to another:
# no test has to guess how long anything takes.
SLOW = """\
first:
  cmd.run:
    - name: echo running > {began}; cat {end} > /dev/null
second:
  test.nop: []
"""


class Held:
    """A run whose first state is running until it is let go."""

    def __init__(self, shell: Shell, folder: Path, *words: str) -> None:
        self._began, self._end = folder / "began", folder / "end"
        os.mkfifo(self._began)
        os.mkfifo(self._end)
        shell.write("states/slow.sls", SLOW.format(began=self._began, end=self._end))
        self.process: subprocess.Popen[bytes] = shell.start(*words)
        assert self._began.read_text() == "running\n"

    def signal(self, number: signal.Signals) -> bytes:
        """Send a signal and return the line that answers it."""
        self.process.send_signal(number)
        assert self.process.stderr is not None
        return self.process.stderr.readline()

    def release(self) -> None:
        """Let the first state end."""
        self._end.write_text("")

    def close(self) -> None:
        """Leave nothing running, whatever the test came to."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ended(self) -> tuple[int, str, str]:
        """Wait for the end."""
        out, err = self.process.communicate(timeout=300)
        return self.process.returncode, out.decode(), err.decode()


@pytest.fixture
def hold(shell: Shell, tmp_path: Path) -> Generator[Callable[..., Held]]:
    """Starts a command and holds it in its first state."""
    with ExitStack() as stack:

        def start(*words: str) -> Held:
            held = Held(shell, tmp_path, *words)
            stack.callback(held.close)
            return held

        yield start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_lets_what_is_running_end(hold: Callable[..., Held], number: signal.Signals) -> None:
    """The running state succeeds, the next is reported as not run, the exit code is 130."""
    held = hold("apply", "slow")
    assert held.signal(number).startswith(f"{number.name}: nothing new is started".encode())
    held.release()
    code, out, err = held.ended()
    assert (code, err) == (130, "")
    assert "\n1 changed, 0 unchanged, 1 not run, " in out
    assert out.endswith("Interrupted: 1 state not run\n  second (test.nop)\n")


def test_the_second_ends_it_at_once(hold: Callable[..., Held]) -> None:
    """The running state is ended and has failed; JSON is one document all the same."""
    held = hold("apply", "slow", "--out", "json")
    held.signal(signal.SIGINT)
    assert held.signal(signal.SIGINT) == b"SIGINT: ending what is running\n"
    code, out, err = held.ended()
    assert code == 130
    [returned] = json.loads(out)["web-01"].values()
    assert returned["result"] is False
    assert "ensue: not run: second (test.nop)\n" in err


STUCK = """\
def waits(name):
    open(name.removesuffix("end") + "began", "w").write("running")
    open(name).read()
    return {"name": name, "result": True, "changes": {}, "comment": ""}
"""


def test_the_third_ends_what_will_not_end(shell: Shell, tmp_path: Path) -> None:
    """A function that waits for ever is ended by the third signal, and the next apply is clean."""
    os.mkfifo(tmp_path / "began")
    os.mkfifo(tmp_path / "end")
    shell.write("states/_states/stuck.py", STUCK)
    shell.write("states/stuck.sls", f"stuck:\n  stuck.waits:\n    - name: {tmp_path}/end\n")
    with shell.start("apply", "stuck") as process:
        try:
            assert (tmp_path / "began").read_text() == "running"
            assert process.stderr is not None
            for answer in (b"nothing new is started", b"ending what is running", b"stopped at once"):
                process.send_signal(signal.SIGINT)
                while answer not in (line := process.stderr.readline()):
                    assert line, answer
            assert process.wait() == 130
        finally:
            process.kill()
    assert shell.run("apply", "good").code == 0


def test_a_call_is_interrupted(hold: Callable[..., Held], tmp_path: Path) -> None:
    """A call that is interrupted says so, prints what it has as one document, and exits with 130."""
    held = hold(
        "call",
        "*",
        "cmd.run",
        f"echo running > {tmp_path}/began; cat {tmp_path}/end",
        "--out",
        "json",
    )
    held.signal(signal.SIGINT)
    code, out, err = held.ended()
    assert (code, json.loads(out)) == (130, {})
    assert "interrupted" in err


def test_the_next_apply_is_clean(hold: Callable[..., Held], shell: Shell) -> None:
    """After kill -9 in the middle of an apply nothing is locked, and the killed run is listed as such."""
    held = hold("apply", "slow")
    held.process.kill()
    held.process.communicate()
    held.release()
    assert shell.run("apply", "good").code == 0
    last, killed = shell.run("runs", "list", "--out", "json").document
    assert (last["status"], killed["status"]) == ("succeeded", "killed")
    shown = shell.run("runs", "show", killed["run_id"])
    assert shown.code == 0
    assert "          ID: first\n" in shown.out
    assert "the run was killed" in shown.out


def test_a_second_apply_says_who_holds_the_project(hold: Callable[..., Held], shell: Shell) -> None:
    """While one apply runs another is refused, with the first one's process id; a plan is not."""
    held = hold("apply", "slow")
    refused = shell.run("apply", "good", "--out", "json")
    assert refused.code == 1
    [message] = refused.document["web-01"]
    assert str(held.process.pid) in message
    assert shell.run("plan", "good").code == 0
    waiting = shell.start("apply", "good", "--wait", "--out", "quiet")
    held.release()
    assert held.ended()[0] == 0
    waiting.communicate(timeout=300)
    assert waiting.returncode == 0


def test_nothing_starts_once_it_is_said() -> None:
    """What runs may end at the very moment the notice is read: what comes after it is not started."""
    notices: list[str] = []
    went_on: list[bool] = []

    async def supervised() -> None:
        running: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def tell(text: str) -> None:
            notices.append(text)
            if not running.done():
                running.set_result(None)

        async def work() -> None:
            await running
            went_on.append(True)

        with Interrupts(tell) as interrupts:
            task = asyncio.ensure_future(work())
            interrupts.watch(task)
            await asyncio.sleep(0)
            signal.raise_signal(signal.SIGTERM)
            with suppress(asyncio.CancelledError):
                await task

    asyncio.run(supervised())
    assert len(notices) == 1
    assert not went_on


def test_a_signal_wakes_the_loop_whenever_it_comes() -> None:
    """One that comes between the loop's last look and its sleep is written where the loop looks."""

    def wakeup() -> int:
        descriptor = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(descriptor)
        return descriptor

    async def supervised() -> int:
        with Interrupts(lambda _: None) as interrupts:
            task = asyncio.ensure_future(asyncio.Event().wait())
            interrupts.watch(task)
            during = wakeup()
            os.write(during, b"x")
            signal.raise_signal(signal.SIGTERM)
            with suppress(asyncio.CancelledError):
                await task
            return during

    before = wakeup()
    assert asyncio.run(supervised()) not in {-1, before}
    assert wakeup() == before


def test_a_signal_that_python_drops_is_heeded_later() -> None:
    """Python loses the exception of a signal in a callback of its own; the task is cancelled as it begins."""
    notices: list[str] = []

    async def supervised(interrupts: Interrupts) -> None:
        task = asyncio.ensure_future(asyncio.Event().wait())
        interrupts.watch(task)
        with pytest.raises(asyncio.CancelledError):
            await task

    with Interrupts(notices.append) as interrupts:
        with suppress(KeyboardInterrupt):  # As if it were raised in the callback of a weak reference.
            signal.raise_signal(signal.SIGINT)
        asyncio.run(supervised(interrupts))
    assert [line.partition(":")[0] for line in notices] == ["SIGINT"]


LEAVES = """
import array, fcntl, os, signal, sys, termios
from contextlib import suppress
from ensue.cli.interrupts import Interrupts

def until_counted():
    unread = array.array("i", [1])
    while unread[0]:
        fcntl.ioctl(pipe, termios.FIONREAD, unread)

interrupts = Interrupts()
interrupts.take_over()
pipe = signal.set_wakeup_fd(-1)
signal.set_wakeup_fd(pipe)
for number in (signal.SIGINT, signal.SIGTERM)[: int(sys.argv[1])]:
    with suppress(KeyboardInterrupt):
        signal.raise_signal(number)
until_counted()
interrupts.leave()
# What came before is looked at again, twice: after the second look the first has been acted on.
for _ in range(2):
    os.write(pipe, bytes([signal.SIGALRM]))
    until_counted()
print("written", flush=True)
for _ in range(int(sys.argv[2])):
    os.kill(os.getpid(), signal.SIGINT)
sys.stdin.read()
"""


@pytest.mark.parametrize(("before", "after"), [(0, 2), (1, 1), (2, 1)])
def test_signals_before_the_end_do_not_count_after_it(before: int, after: int) -> None:
    """A command that two signals have ended is not ended at once by the second; by a later one it is."""
    words = [sys.executable, "-c", LEAVES, str(before), str(after)]
    reading, writing = os.pipe()
    try:
        ended = subprocess.run(words, stdin=reading, capture_output=True, timeout=60, check=False)
    finally:
        os.close(reading)
        os.close(writing)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"written\n", b"")
