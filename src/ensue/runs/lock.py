"""The project lock: one apply of a project at a time.

`<cachedir>/lock` is locked by the kernel (`flock`) and is released the moment its holder ends, however it
ends. The file also names the holder, but only for messages.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pwd
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

import msgspec

from ensue.errors import LockHeldError, StoreError
from ensue.files import private_files
from ensue.processes.threads import start_thread

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

LOCK_FILE: Final = "lock"
"""Name of the lock below the cachedir."""

_LARGEST_NOTE_BYTES: Final = 4096


class LockHolder(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds a project's lock.

    Args:
        pid: the process, 0 when unknown.
        user: the user who started it.
        since: ISO 8601 with offset.
        command: the command that holds it (`ensue apply web`), without arguments that may hold secrets.
    """

    pid: int = 0
    user: str = ""
    since: str = ""
    command: str = ""

    def __str__(self) -> str:
        """Describe the holder: `ensue apply web (process 4711 of bob, since 2026-11-20T23:59:59+01:00)`."""
        if not self.pid:
            return "another process"
        return f"{self.command or 'a command'} (process {self.pid} of {self.user}, since {self.since})"


class ProjectLock:
    """The lock, held. Made by `acquire` or `wait`; released by `release`, or by the end of the process.

    Args:
        descriptor: the lock file, open and locked.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, cachedir: Path, *, command: str, now: datetime) -> ProjectLock:
        """Take the lock, or raise an error that names its holder.

        Args:
            cachedir: the project's cachedir.
            command: the command that takes it, without arguments that may hold secrets.
            now: the moment, with its offset.

        Raises:
            LockHeldError: another process, or another task of this one, holds it.
            StoreError: the lock file cannot be made.
        """
        descriptor = _open(cachedir)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(descriptor)
            os.close(descriptor)
            msg = (
                f"this project is being applied by {holder}"
                f" (wait until it has ended; the lock is {cachedir / LOCK_FILE})"
            )
            raise LockHeldError(msg, holder_pid=holder.pid) from None
        except OSError as error:
            os.close(descriptor)
            raise _unusable(cachedir, error) from error
        return cls._taken(descriptor, command, now)

    @classmethod
    async def wait(
        cls,
        cachedir: Path,
        *,
        command: str,
        clock: Callable[[], datetime],
        on_wait: Callable[[LockHolder], None] | None = None,
    ) -> ProjectLock:
        """Take the lock as soon as it is free, woken by the kernel. Cancelling the task stops the wait.

        Args:
            cachedir: the project's cachedir.
            command: the command that takes it, without arguments that may hold secrets.
            clock: returns the moment, with its offset.
            on_wait: called with the holder when the lock is not free.

        Raises:
            StoreError: the lock file cannot be made.
        """
        try:
            return cls.acquire(cachedir, command=command, now=clock())
        except LockHeldError:
            if on_wait is not None:
                on_wait(holder_of(cachedir) or LockHolder())
        waiter = _Waiter(_open(cachedir), asyncio.get_running_loop())
        return cls._taken(await waiter.locked(), command, clock())

    def release(self) -> None:
        """Release the lock; releasing it again does nothing."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
            os.close(descriptor)

    def __enter__(self) -> Self:
        """Enter."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release."""
        self.release()

    @classmethod
    def _taken(cls, descriptor: int, command: str, now: datetime) -> ProjectLock:
        holder = LockHolder(
            pid=os.getpid(), user=_user(), since=now.isoformat(timespec="seconds"), command=command
        )
        # The content is informative only: a full disk must not prevent taking the lock.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, msgspec.json.encode(holder)[:_LARGEST_NOTE_BYTES], 0)
        return cls(descriptor)


def holder_of(cachedir: Path) -> LockHolder | None:
    """Return the holder of a project's lock, None when it is free.

    Args:
        cachedir: the project's cachedir.
    """
    try:
        descriptor = os.open(cachedir / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(descriptor)
    finally:
        os.close(descriptor)
    return None


class _Waiter:
    """A thread that sleeps in the kernel until the lock is free.

    Nothing can wake it before that. When its task is cancelled, the thread keeps waiting and releases the
    lock as soon as it gets it. As a daemon thread it does not keep the process alive.
    """

    def __init__(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        self._descriptor = descriptor
        self._loop = loop
        self._done: asyncio.Future[None] = loop.create_future()
        self._given_up = False
        self._has_lock = False
        self._settling = threading.Lock()

    async def locked(self) -> int:
        """Return the descriptor once it is locked."""
        start_thread(threading.Thread(target=self._block, name="ensue-project-lock", daemon=True))
        try:
            await self._done
        except asyncio.CancelledError:
            self._give_up()
            raise
        # From here on the caller owns the descriptor: this thread must not close it.
        descriptor, self._descriptor = self._descriptor, -1
        return descriptor

    def _block(self) -> None:
        error: OSError | None = None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except OSError as failure:
            error = failure
        with self._settling:
            self._has_lock = error is None
            if self._given_up or error is not None:
                self._close()
            # The loop may have been closed without cancelling its tasks: then the lock is not needed.
            try:
                self._loop.call_soon_threadsafe(self._settle, error)
            except RuntimeError:
                self._close()

    def _settle(self, error: OSError | None) -> None:
        if self._done.done():
            return
        if error is None:
            self._done.set_result(None)
        else:
            self._done.set_exception(StoreError(f"ensue cannot wait for the project lock: {error.strerror}"))

    def _give_up(self) -> None:
        with self._settling:
            self._given_up = True
            if self._has_lock:
                self._close()

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def _open(cachedir: Path) -> int:
    try:
        private_files.make_private_directory(cachedir)
        return private_files.open_private_file(cachedir / LOCK_FILE, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise _unusable(cachedir, error) from error


def _holder(descriptor: int) -> LockHolder:
    with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode(os.pread(descriptor, _LARGEST_NOTE_BYTES, 0), type=LockHolder)
    return LockHolder()


def _user() -> str:
    uid = os.getuid()
    with suppress(KeyError):
        return pwd.getpwuid(uid).pw_name
    return str(uid)


def _unusable(cachedir: Path, error: OSError) -> StoreError:
    return StoreError(f"{cachedir / LOCK_FILE}: the project lock cannot be used: {error.strerror}")
