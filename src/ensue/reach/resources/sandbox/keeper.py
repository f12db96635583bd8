"""The keeper process of a sandbox: the parent of the server and of everything started in it.

It only reaps ended processes. When it gets SIGTERM, or the server ends, everything below it ends: with
isolation `namespace` because it is process 1 of the sandbox's process namespace, otherwise because it adopts
every orphan.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from ensue.reach.resources.sandbox import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

_SIGNALS: Final = frozenset({signal.SIGCHLD, signal.SIGTERM})


def keep(
    serve: Callable[[], None], *, wait_until_recorded: Callable[[], bool], owns_processes: bool
) -> NoReturn:
    """Start the server as a child and run until it or this process is ended.

    Args:
        serve: the server; called in the child, returns when the server ends.
        wait_until_recorded: blocks until the sandbox is recorded; False: it never will be, so end.
        owns_processes: whether this is process 1 of a process namespace.
    """
    # Blocked, not handled: they wait until they are fetched, so none is lost.
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    if not owns_processes:
        kernel.adopt_orphans()
    server = _start(serve)
    kernel.guard_memory()
    if wait_until_recorded():
        _wait_for_end(server)
    if not owns_processes:
        _end_descendants()
    os._exit(0)


def _start(serve: Callable[[], None]) -> int:
    server = os.fork()
    if server:
        return server
    code = 1
    try:
        kernel.die_with_parent(signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        serve()
        code = 0
    except BaseException as error:  # noqa: BLE001 - the end of a process: what is left is to log and exit
        os.write(2, f"the server ended: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(code)


def _wait_for_end(server: int) -> None:
    while signal.sigwaitinfo(_SIGNALS).si_signo != signal.SIGTERM:
        if server in _collect():
            return


def _collect() -> set[int]:
    collected: set[int] = set()
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return collected
        if not pid:
            return collected
        collected.add(pid)


def _end_descendants() -> None:
    """End children until there are none: we adopt the children of each one that ends."""
    while True:
        for pid in _children():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    ours = os.getpid()
    processes = (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [int(entry.name) for entry in processes if _parent(entry) == ours]


def _parent(process: Path) -> int:
    try:
        text = (process / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return int(text.rpartition(")")[2].split()[1])
