"""Whatever ensue is doing, two signals end it."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.cli.shell import Shell

LONGEST_S = 300

# It says that it is being rendered through a named pipe; it does not end in this century.
ENDLESS = """\
{{% do salt['cmd.run']('echo running > {began}', python_shell=True) %}}
{{% for i in range(99999) %}}{{% for j in range(99999) %}}{{% endfor %}}{{% endfor %}}
"""
STATE = "x:\n  test.nop: []\n"

PLAIN = """\
import threading
from pathlib import Path


def waits(name):
    Path(name).write_text("running\\n")
    threading.Event().wait()


def spins(name):
    Path(name).write_text("running\\n")
    while True:
        pass
"""

ON_THE_LOOP = """\
import asyncio
from pathlib import Path


async def blocks(ctx, name):
    Path(name).write_text("running\\n")
    while True:
        pass


async def goes_on(ctx, name):
    Path(name).write_text("running\\n")
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            continue


FUNCTIONS = {"blocks": blocks, "goes_on": goes_on}
"""

IN_A_LIBRARY = """\
import ctypes
from pathlib import Path


async def waits(ctx, name):
    library = ctypes.CDLL(None)
    mutex = ctypes.create_string_buffer(256)
    library.pthread_mutex_lock(mutex)
    Path(name).write_text("running\\n")
    library.pthread_mutex_lock(mutex)


FUNCTIONS = {"waits": waits}
"""


class Running:
    """A command that has said through a pipe that it is where the test wants it."""

    def __init__(self, process: subprocess.Popen[bytes], began: Path) -> None:
        self.process = process
        assert began.read_text() == "running\n"

    def interrupt(self) -> tuple[int, str]:
        """Send two signals, and return exit code and stderr."""
        # Two of one number may reach a process as one.
        self.process.send_signal(signal.SIGINT)
        self.process.send_signal(signal.SIGTERM)
        _, err = self.process.communicate(timeout=LONGEST_S)
        return self.process.returncode, err.decode()


@pytest.fixture
def begin(shell: Shell, tmp_path: Path) -> Generator[Callable[..., Running]]:
    """Starts a command, which writes to the pipe `began` when it is where the test wants it."""
    os.mkfifo(tmp_path / "began")
    with ExitStack() as stack:

        def start(*words: str) -> Running:
            process = stack.enter_context(shell.start(*words))
            stack.callback(process.kill)
            return Running(process, tmp_path / "began")

        yield start


def _ended(running: Running) -> None:
    code, err = running.interrupt()
    assert code == 130, err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        ("apply", "t"),
        ("plan", "t"),
        ("show", "high", "t"),
        ("show", "low", "t", "--out", "json"),
        ("graph", "t"),
    ],
    ids=" ".join,
)
def test_a_template_that_does_not_end(
    shell: Shell, begin: Callable[..., Running], tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Two signals end the rendering of an SLS, whichever command renders it."""
    shell.write("states/t.sls", ENDLESS.format(began=tmp_path / "began") + STATE)
    _ended(begin(*words))


@pytest.mark.parametrize(
    "words",
    [
        ("apply", "good"),
        ("call", "*", "test.ping"),
        ("show", "pillar"),
        ("resources", "list"),
    ],
    ids=" ".join,
)
def test_a_pillar_that_does_not_end(
    shell: Shell, begin: Callable[..., Running], tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Two signals end the rendering of pillar."""
    shell.write("pillar/data.sls", ENDLESS.format(began=tmp_path / "began"))
    _ended(begin(*words))


def test_a_resumed_run_whose_template_does_not_end(
    shell: Shell, begin: Callable[..., Running], tmp_path: Path
) -> None:
    """Two signals end `runs resume` while it compiles."""
    shell.write("states/t.sls", f"x:\n  cmd.run:\n    - name: echo running > {tmp_path}/began; sleep 60\n")
    begin("apply", "t").interrupt()
    shell.write("states/t.sls", ENDLESS.format(began=tmp_path / "began") + STATE)
    _ended(begin("runs", "resume"))


@pytest.mark.parametrize("way", ["on the event loop", "in a thread"])
def test_a_delayed_template_that_does_not_end(
    shell: Shell, begin: Callable[..., Running], tmp_path: Path, way: str
) -> None:
    """Two signals end a delayed rendering, also one that keeps the event loop from turning."""
    began = tmp_path / "began"
    announce = f"echo running > {began}"
    before = (
        "" if way == "on the event loop" else f"{{% do salt['cmd.run']('{announce}', python_shell=True) %}}\n"
    )
    command = announce if way == "on the event loop" else "true"
    loops = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}\n"
    shell.write(
        "states/t.sls",
        f"x:\n  cmd.run:\n    - name: '{command}'\n    - delayed_render: [block: b]\n"
        f"#!delayed_block b\n{before}{loops}{STATE}#!end_delayed_block\n",
    )
    _ended(begin("apply", "t"))


@pytest.mark.parametrize("function", ["waits", "spins"])
def test_a_function_that_never_returns(
    shell: Shell, begin: Callable[..., Running], tmp_path: Path, function: str
) -> None:
    """A function in a thread that does not end is left behind; the run is reported, its journal closed."""
    shell.write("states/_states/stuck.py", PLAIN)
    shell.write("states/t.sls", f"x:\n  stuck.{function}:\n    - name: {tmp_path}/began\n")
    running = begin("apply", "t")
    running.process.send_signal(signal.SIGINT)
    running.process.send_signal(signal.SIGTERM)
    out, _ = running.process.communicate(timeout=LONGEST_S)
    assert running.process.returncode == 130
    assert "Cancelled while it was running" in out.decode()
    [last] = shell.run("runs", "list", "--out", "json").document
    assert last["status"] == "interrupted"


@pytest.mark.parametrize("function", ["blocks", "goes_on"])
def test_a_function_that_holds_the_event_loop(
    shell: Shell, begin: Callable[..., Running], tmp_path: Path, function: str
) -> None:
    """One that never awaits, or takes no notice of its cancellation, is ended with the process."""
    shell.write("states/_states/stuck.py", ON_THE_LOOP)
    shell.write("states/t.sls", f"x:\n  stuck.{function}:\n    - name: {tmp_path}/began\n")
    code, err = begin("apply", "t").interrupt()
    assert code == 130
    assert err.endswith("stopped at once\n")
    assert shell.run("apply", "good").code == 0


def test_a_library_that_does_not_return(shell: Shell, begin: Callable[..., Running], tmp_path: Path) -> None:
    """A library's call on the event loop, during which Python runs no handler, is ended with the process."""
    shell.write("states/_states/stuck.py", IN_A_LIBRARY)
    shell.write("states/t.sls", f"x:\n  stuck.waits:\n    - name: {tmp_path}/began\n")
    running = begin("apply", "t")
    state = Path(f"/proc/{running.process.pid}/status")
    while "State:\tS" not in state.read_text():
        assert running.process.poll() is None
    code, err = running.interrupt()
    assert code == 130
    assert err.endswith("stopped at once\n")


def test_a_host_that_does_not_answer(shell: Shell) -> None:
    """Two signals end a run that waits for an SSH server that accepts a connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        host = {"host": "127.0.0.1", "port": server.getsockname()[1], "user": "u", "password": "p"}
        lines = "".join(f"        {key}: {value}\n" for key, value in host.items())
        shell.write("pillar/data.sls", f"resources:\n  ssh_host:\n    hosts:\n      h:\n{lines}")
        shell.write("states/t.sls", "x:\n  cmd.run:\n    - name: uptime\n    - tgt: h\n")
        with shell.start("apply", "t") as process:
            connection, _ = server.accept()
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=LONGEST_S)
            connection.close()
        assert process.returncode == 130


def test_a_lock_that_is_not_given(shell: Shell) -> None:
    """Who waits for the project is ended by one signal: nothing is running."""
    shell.write(".ensue/lock", "")
    (shell.root / ".ensue").chmod(0o700)
    (shell.root / ".ensue" / "lock").chmod(0o600)
    with (shell.root / ".ensue" / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with shell.start("apply", "good", "--wait") as process:
            waiting = re.compile(rf"-> FLOCK .* {process.pid} ")
            while not waiting.search(Path("/proc/locks").read_text()):
                assert process.poll() is None
            process.send_signal(signal.SIGTERM)
            assert process.wait(LONGEST_S) == 130


def test_a_pillar_file_that_takes_long(shell: Shell) -> None:
    """Before anything runs, one signal is enough: SIGTERM, too, ends with 130."""
    words = ("apply", "good", "--pillar-file", "/dev/stdin", "--out", "json")
    with shell.start(*words, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        # More than a pipe holds: when it is written, the file is being read.
        process.stdin.write(b" " * 1024 * 1024)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 130, err
    assert b"interrupted" in out


def test_results_that_nobody_reads(shell: Shell) -> None:
    """A command that waits for the reader of its results is ended by the first signal."""
    shell.write("states/big.sls", "".join(f"s{number}:\n  test.nop: []\n" for number in range(3000)))
    with shell.start("show", "low", "big") as process:
        assert process.stdout is not None
        assert process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        assert process.wait(LONGEST_S) == 130
