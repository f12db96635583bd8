"""A program that has loaded all of ensue and forks a process for each command that it is asked for.

Most of the time of a small command goes into starting the interpreter and loading ensue. A forked process
has both behind it, and words, folder, environment, streams and exit code of its own. `start_here` describes
how it differs from one that starts from nothing. Only `forked_commands` uses this program.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import select
import socket
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

NOT_LOADED = ("ensue.testing", "ensue.__main__", "ensue.reach.resources.sandbox.server")
LIBRARIES = ("rich.progress", "sqlalchemy.dialects.sqlite.pysqlite", "sqlite3")
"""What is loaded where it is first used, inside functions."""

FILES = 5
"""How many files come with a request: its text, the three streams, and the pipe for pid and exit status."""


class Ending:
    """The end of a command's process: called last of all that `atexit` calls.

    Attributes:
        entry: the module and the function that the process is for.
        exit_code: what that has returned.
    """

    entry = ""
    exit_code: Any = 1

    def __call__(self) -> None:
        """Write what is left in the streams, and end."""
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(self.exit_code)


ending = Ending()


def load_everything() -> None:
    """Load what commands load, and keep the collector of garbage from touching it in every process."""
    import ensue

    for module in pkgutil.walk_packages(ensue.__path__, "ensue."):
        if not module.name.startswith(NOT_LOADED):
            # A module of an extra that is not installed is not loaded by commands either.
            with suppress(ModuleNotFoundError):
                import_module(module.name)
    for name in LIBRARIES:
        import_module(name)
    gc.freeze()


def serve(requests: socket.socket) -> None:
    """Fork for each request; return in each forked process, and end this one after the last request."""
    replies: dict[int, tuple[int, int]] = {}
    while True:
        ready, _, _ = select.select([requests, *replies], [], [])
        for process in (descriptor for descriptor in ready if descriptor in replies):
            pid, reply = replies.pop(process)
            os.write(reply, f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n".encode())
            os.close(reply)
            os.close(process)
        if requests not in ready:
            continue
        message, files, _, _ = socket.recv_fds(requests, 1, FILES)
        if not message:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            start_here(files)
            return
        reply = files.pop()
        os.write(reply, f"{pid}\n".encode())
        replies[os.pidfd_open(pid)] = (pid, reply)
        for file in files:
            os.close(file)


def start_here(files: list[int]) -> None:
    """Make this process that of a command.

    Two things are not as if it had just started: what it loads is there already, with one seed for all hashes
    of a server, and it does not take everything apart at its end, after its threads and what `atexit` calls.
    """
    request = json.loads(Path(f"/proc/self/fd/{files[0]}").read_bytes())
    for stream, file in enumerate(files[1:4]):
        os.dup2(file, stream)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    sys.argv = request["words"]
    ending.entry = request["entry"]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    sys.stdin = open(0, errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    atexit.register(ending)  # First, and so called last.
    load_everything()
    serve(socket.socket(fileno=int(sys.argv[1])))
    module, _, function = ending.entry.partition(":")
    ending.exit_code = getattr(import_module(module), function)()
    sys.exit(ending.exit_code)
