"""Running `ensue` in processes that are forked from one that has loaded it: see `command_server`."""

from __future__ import annotations

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
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        with Path(os.devnull).open("rb") as nothing:
            streams = (nothing.fileno(), out_end, err_end)
            reply = self._ask(words, folder, environment, streams)
        os.close(out_end)
        os.close(err_end)
        said, errors, replied = _read_all([out, err, reply], longest_s)
        pid, *status = replied.split()
        if not status:
            os.kill(int(pid), signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(words), longest_s, said, errors)
        return subprocess.CompletedProcess(list(words), int(status[0]), said, errors)

    def run_on_terminal(
        self, words: Sequence[str], *, folder: Path, environment: Mapping[str, str], longest_s: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command whose output and errors go to a terminal; see `run`.

        Raises:
            subprocess.TimeoutExpired: it took longer, and was killed.
        """
        master, slave = os.openpty()
        with Path(os.devnull).open("rb") as nothing:
            reply = self._ask(words, folder, environment, (nothing.fileno(), slave, slave))
        os.close(slave)
        said, replied = _read_all([master, reply], longest_s)
        pid, *status = replied.split()
        if not status:
            os.kill(int(pid), signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(words), longest_s, said)
        return subprocess.CompletedProcess(list(words), int(status[0]), said)

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

    def _ask(
        self,
        words: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        streams: tuple[int, int, int],
    ) -> int:
        """Have a command started; return the pipe that says its pid and, at its end, its exit code."""
        return ask(self._requests, list(words), str(folder), dict(environment), streams)


def _setup(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what an interpreter reads when it starts."""
    names = ("PYTHON", "LANG", "LC_")
    return {name: value for name, value in environment.items() if name.startswith(names)}


def _read_all(pipes: Sequence[int], longest_s: float) -> list[bytes]:
    """Read and close pipes; return what came until all are closed or the time is up."""
    said = {pipe: bytearray() for pipe in pipes}
    end_s = time.monotonic() + longest_s
    with selectors.DefaultSelector() as waiting:
        for pipe in pipes:
            waiting.register(pipe, selectors.EVENT_READ)
        while waiting.get_map() and (ready := waiting.select(end_s - time.monotonic())):
            for key, _ in ready:
                try:
                    data = os.read(key.fd, 65536)
                except OSError:  # a terminal whose other end is closed
                    data = b""
                said[key.fd] += data
                if not data:
                    waiting.unregister(key.fd)
    for pipe in pipes:
        os.close(pipe)
    return [bytes(said[pipe]) for pipe in pipes]
