"""Running `ensue` in processes that are forked from one that has loaded it: see `command_server`."""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.command_client import ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SERVER = Path(__file__).with_name("command_server.py")
_CLIENT = str(Path(__file__).with_name("command_client.py"))
_LONGEST_END_S = 60.0


class CommandServer:
    """A server of forked processes.

    Args:
        environment: its environment, which decides how the interpreters of all commands are set up.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._setup = _setup(environment)
        self._requests, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, str(_SERVER), str(theirs.fileno())],
                cwd="/",
                env=environment,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def close(self) -> None:
        """End the server; processes that it has forked go on."""
        self._requests.close()
        self._process.wait()

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Return whether an interpreter with this environment is set up as those of the server are."""
        return _setup(environment) == self._setup

    def run(
        self, words: Sequence[str], *, folder: Path, environment: Mapping[str, str], longest_s: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end, as `subprocess.run` does.

        Args:
            words: the command line; its first word is the path of `ensue`.
            folder: its working folder.
            environment: its environment.
            longest_s: how long it may take.

        Raises:
            subprocess.TimeoutExpired: it took longer, and was killed.
        """
        started = self.start(words, folder=folder, environment=environment)
        try:
            code, out, err = started.ended(longest_s)
        except TimeoutError:
            started.kill()
            raise subprocess.TimeoutExpired(list(words), longest_s) from None
        return subprocess.CompletedProcess(list(words), code, out, err)

    def start(
        self,
        words: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        entry: str = "ensue.cli:main",
    ) -> ForkedProcess:
        """Start a process whose output and errors can be read.

        Args:
            words: its command line.
            folder: its working folder.
            environment: its environment.
            entry: the module and the function that it calls; the result is its exit code.
        """
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        with Path(os.devnull).open("rb") as nothing:
            streams = (nothing.fileno(), out_end, err_end)
            reply = ask(
                self._requests, list(words), str(folder), dict(environment), streams=streams, entry=entry
            )
        os.close(out_end)
        os.close(err_end)
        return ForkedProcess(out, err, reply)

    def run_on_terminal(
        self, words: Sequence[str], *, folder: Path, environment: Mapping[str, str], longest_s: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command whose output and errors go to a terminal; see `run`.

        Raises:
            subprocess.TimeoutExpired: it took longer, and was killed.
        """
        master, slave = os.openpty()
        with Path(os.devnull).open("rb") as nothing:
            streams = (nothing.fileno(), slave, slave)
            reply = ask(self._requests, list(words), str(folder), dict(environment), streams=streams)
        os.close(slave)
        errors, nobody = os.pipe()  # What is written as an error comes through the terminal.
        os.close(nobody)
        started = ForkedProcess(master, errors, reply)
        try:
            code, shown, _ = started.ended(longest_s)
        except TimeoutError:
            started.kill()
            raise subprocess.TimeoutExpired(list(words), longest_s) from None
        return subprocess.CompletedProcess(list(words), code, shown)

    def script(self, path: Path, program: str) -> None:
        """Write a script that runs its words as a command of this server, for children that inherit `file`.

        Args:
            path: where the script is written.
            program: the path of `ensue`.
        """
        words = [sys.executable, "-IS", _CLIENT, str(self.file), program]
        path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        path.chmod(0o755)

    @property
    def file(self) -> int:
        """The descriptor that leads to the server."""
        return self._requests.fileno()


class ForkedProcess:
    """A process that has started.

    Args:
        out: the pipe or terminal that its output goes to.
        err: the pipe that its errors go to.
        reply: the pipe that says its pid and, at its end, its exit code.
    """

    def __init__(self, out: int, err: int, reply: int) -> None:
        self._received = {out: bytearray(), err: bytearray(), reply: bytearray()}
        self._files = (out, err, reply)

    def ended(self, longest_s: float) -> tuple[int, bytes, bytes]:
        """Wait for its end, and for that of everything that holds its output.

        Args:
            longest_s: how long that may take.

        Returns:
            Its exit code, negative for a signal, its output and its errors.

        Raises:
            TimeoutError: it takes longer; it may be waited for again.
        """
        end_s = time.monotonic() + longest_s
        with selectors.DefaultSelector() as waiting:
            for file in self._received:
                if file in self._files:
                    waiting.register(file, selectors.EVENT_READ)
            while waiting.get_map():
                ready = waiting.select(max(end_s - time.monotonic(), 0))
                if not ready:
                    raise TimeoutError
                for key, _ in ready:
                    if not self._read(key.fd):
                        waiting.unregister(key.fd)
        out, err, reply = (bytes(received) for received in self._received.values())
        return int(reply.split()[1]), out, err

    def kill(self) -> None:
        """Kill it and wait for its end."""
        reply = [*self._received][2]
        while b"\n" not in self._received[reply]:
            self._read(reply)
        # The server has not waited for it yet, or it has a reply.
        if self._received[reply].count(b"\n") == 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(self._received[reply]), signal.SIGKILL)
        self.ended(_LONGEST_END_S)

    def _read(self, file: int) -> bool:
        """Read what is there; close the file and return False at its end."""
        try:
            data = os.read(file, 65536)
        except OSError:  # a terminal whose other end is closed
            data = b""
        self._received[file] += data
        if not data:
            os.close(file)
            self._files = tuple(other for other in self._files if other != file)
        return bool(data)


def _setup(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what an interpreter reads when it starts."""
    names = ("PYTHON", "LANG", "LC_")
    return {name: value for name, value in environment.items() if name.startswith(names)}
