"""A file lock beside a sandbox's folder, so that one process at a time works on the sandbox.

The lock belongs to an open file and is passed on to the process that starts the server, so it outlives a
killed apply until that start has succeeded or failed.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ensue.reach.processes.threads import Threads

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from concurrent.futures import Future
    from pathlib import Path


@asynccontextmanager
async def sandbox_lock(directory: Path, *, remove: bool = False) -> AsyncGenerator[int]:
    """Hold the lock of a sandbox's folder, waiting until it is free.

    Args:
        directory: the sandbox's folder; its parent is created if missing.
        remove: remove the lock file at the end (waiting processes notice that).

    Yields:
        The file descriptor that holds the lock.
    """
    path = directory.parent / f".{directory.name}.lock"
    descriptor = await _acquire(path)
    try:
        yield descriptor
        if remove:
            path.unlink(missing_ok=True)
    finally:
        # Closing, not unlocking: an unlock would also release it for the process that it was passed on to.
        os.close(descriptor)


async def _acquire(path: Path) -> int:
    # A separate thread: waiters in the shared pool could starve the holder they wait for.
    threads = Threads(1, "sandbox-lock")
    acquiring = threads.submit(_locked, path)
    threads.shutdown(wait=False)
    try:
        return await asyncio.wrap_future(acquiring)
    except asyncio.CancelledError:
        acquiring.add_done_callback(_give_up)
        raise


def _give_up(acquired: Future[int]) -> None:
    if not acquired.cancelled() and acquired.exception() is None:
        os.close(acquired.result())


def _locked(path: Path) -> int:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_still(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False
