"""Running `ensue` in processes that are forked from one that has loaded it: see `command_server`."""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SERVER = Path(__file__).with_name("command_server.py")


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
        request = {"words": list(words), "folder": str(folder), "environment": dict(environment)}
        pipes = [os.pipe() for _ in range(3)]
        with tempfile.TemporaryFile() as text, Path(os.devnull).open("rb") as nothing:
            text.write(json.dumps(request).encode())
            text.flush()
            files = [text.fileno(), nothing.fileno(), *(writing for _, writing in pipes)]
            socket.send_fds(self._requests, [b"."], files)
        for _, writing in pipes:
            os.close(writing)
        out, err, reply = _read_all([reading for reading, _ in pipes], longest_s)
        pid, *status = reply.split()
        if not status:
            os.kill(int(pid), signal.SIGKILL)
            raise subprocess.TimeoutExpired(list(words), longest_s, out, err)
        return subprocess.CompletedProcess(list(words), int(status[0]), out, err)


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
                data = os.read(key.fd, 65536)
                said[key.fd] += data
                if not data:
                    waiting.unregister(key.fd)
    for pipe in pipes:
        os.close(pipe)
    return [bytes(said[pipe]) for pipe in pipes]
