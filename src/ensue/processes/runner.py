"""Running one process of this machine to its end, on the event loop, without asyncio's child watcher.

A process costs little more than what `vfork` and `exec` cost. Its end is heard of by `exits`; its output is
watched once it has run for `BRIEF_S`: that of one that has ended by then is just read. Each runs in a session
of its own, so that a signal from the terminal does not reach it and ensue can end it together with what it
started. It knows nothing of shells, users or paths.

A command that leaves a child in the background with the command's own output open would keep a
reader waiting for ever. What the command wrote is complete when it exits; the pipes are given
`DRAIN_GRACE_S` more for their other writers, then closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import weakref
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.contracts.connection import Completed
from ensue.processes.exits import HAS_EXITS, Exits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DRAIN_GRACE_S: Final = 0.2
"""How long after a command's exit other holders of its output may still write to it."""

BRIEF_S: Final = 0.005
"""How long a command may wait for a reader of its output, when it has filled its pipe."""

END_GRACE_S: Final = 2.0
"""How long a command has between SIGTERM and SIGKILL."""

_REAP_GRACE_S: Final = 5.0
_OVER_BETWEEN_TURNS: Final = 8
"""After so many commands that were over at once the event loop gets a turn: nobody waited for any of them."""

_CHUNK_BYTES: Final = 1 << 18


class OutputBoundError(ValueError):
    """A process wrote more than its launch allows; it has been ended.

    Args:
        most_bytes: the bound.
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        super().__init__(f"more than {most_bytes:,} bytes of output")


class Launch(msgspec.Struct, frozen=True):
    """A process to start.

    Args:
        argv: program and arguments.
        executable: the program's file, where it is not what `argv` begins with.
        cwd: the folder it starts in.
        env: its whole environment.
        stdin: what it reads.
        uid: user number to become; None stays.
        gid: group number to become; None stays.
        groups: further groups; None stays.
        umask: file mode mask; -1 leaves it.
        timeout_s: it is ended after so many seconds; None: no limit.
        end_grace_s: seconds between SIGTERM and SIGKILL.
        on_start: told the process id before anything is waited for; what it raises ends the process.
        on_output: called with each piece of the standard output as it comes, which is kept all the same;
            must not raise.
        most_bytes: the bound of what it may write to its output and its errors together; None: no bound.
    """

    argv: Sequence[bytes]
    cwd: str
    env: Mapping[bytes, bytes]
    stdin: bytes = b""
    uid: int | None = None
    gid: int | None = None
    groups: Sequence[int] | None = None
    umask: int = -1
    executable: bytes | None = None
    timeout_s: float | None = None
    end_grace_s: float = END_GRACE_S
    on_start: Callable[[int], None] | None = None
    on_output: Callable[[bytes], None] | None = None
    most_bytes: int | None = None


class Runner:
    """Runs processes on one event loop; any number at once.

    Args:
        loop: the loop.

    Raises:
        OSError: the system has no descriptor left.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        # What most processes read, held open: to open it for each would take as long as their pipes.
        self.empty = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        self._close_empty = weakref.finalize(self, os.close, self.empty)
        self.exits = Exits(loop) if HAS_EXITS else None
        self._over_at_once = 0

    async def run(self, launch: Launch) -> Completed:
        """Start a process and return what it wrote once it has ended.

        Cancelling ends the process and waits for that.

        Args:
            launch: the process.

        Raises:
            OSError: it cannot be started.
            ValueError: an argument or variable holds a NUL byte.
            TimeoutError: it was ended after `timeout_s`.
            OutputBoundError: it was ended since it wrote more than `most_bytes`.
        """
        running = _Running(launch, self)
        was_over = running.is_over
        try:
            if was_over:
                running.ended.result()
            elif launch.timeout_s is None:
                await running.ended
            else:
                async with asyncio.timeout(launch.timeout_s):
                    await running.ended
        except BaseException:
            await running.end(launch.end_grace_s)
            raise
        finally:
            running.release()
        if was_over:
            self._over_at_once += 1
            if self._over_at_once % _OVER_BETWEEN_TURNS == 0:
                await asyncio.sleep(0)
        return running.completed()

    def close(self) -> None:
        """Give back what it holds, as soon as what is running has ended; nothing is run afterwards.

        To be called on its event loop, or when that is closed.
        """
        if self.exits is not None:
            self.exits.close()
        self._close_empty()


async def run_once(launch: Launch) -> Completed:
    """Run one process with a runner of its own.

    Args:
        launch: the process.

    Raises:
        OSError: it cannot be started.
        ValueError: an argument or variable holds a NUL byte.
        TimeoutError: it was ended after `timeout_s`.
        OutputBoundError: it was ended since it wrote more than `most_bytes`.
    """
    runner = Runner(asyncio.get_running_loop())
    try:
        return await runner.run(launch)
    finally:
        runner.close()


class _Running:
    """A process, its three pipes and its pidfd."""

    def __init__(self, launch: Launch, runner: Runner) -> None:
        self._exits = runner.exits
        self._empty = runner.empty
        self._loop = runner.loop
        self._readers: dict[int, bytearray] = {}
        self._rest = memoryview(launch.stdin)
        self._stdin = -1
        self._pidfd = -1
        self._is_watching = False
        self._timer: asyncio.TimerHandle | None = None
        self._output = bytearray()
        self._errors = bytearray()
        self._on_output = launch.on_output
        self._most_bytes = launch.most_bytes
        self.exited: asyncio.Future[None] = self._loop.create_future()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._process = self._start(launch)
        if launch.on_start is not None:
            self._announce(launch.on_start)
        self._write()
        self._watch_exit()
        if self._process.returncode is None:
            if self._pidfd < 0:
                self._watch_output()
            else:
                self._timer = self._loop.call_later(BRIEF_S, self._watch_output)

    @property
    def is_over(self) -> bool:
        """Whether it has ended and all that it wrote is read."""
        return self.ended.done()

    def completed(self) -> Completed:
        """Return what came of it."""
        return Completed(
            returncode=self._process.returncode,
            stdout=bytes(self._output),
            stderr=bytes(self._errors),
            pid=self._process.pid,
        )

    async def end(self, grace_s: float) -> None:
        """End the process and all that it started in its session; SIGTERM first, then SIGKILL."""
        try:
            if not self.exited.done():
                self._signal(signal.SIGTERM)
                await asyncio.wait([self.exited], timeout=grace_s)
        finally:
            self._signal(signal.SIGKILL)
            if not self.exited.done():
                await asyncio.wait([self.exited], timeout=_REAP_GRACE_S)

    def release(self) -> None:
        """Give back pipes and callbacks; fine at any time."""
        for descriptor in list(self._readers):
            self._close_reader(descriptor)
        self._close_stdin()
        self._forget_exit()
        if self._timer is not None:
            self._timer.cancel()

    def _start(self, launch: Launch) -> subprocess.Popen[bytes]:
        theirs: list[int] = []
        try:
            self._readers[_pipe(theirs, ours=0)] = self._output
            self._readers[_pipe(theirs, ours=0)] = self._errors
            if self._rest:
                self._stdin = _pipe(theirs, ours=1)
            # Without a user to become, this is CPython's vfork path: nothing is copied.
            return subprocess.Popen(
                launch.argv,
                executable=launch.executable,
                stdin=theirs[2] if self._rest else self._empty,
                stdout=theirs[0],
                stderr=theirs[1],
                cwd=launch.cwd,
                env=launch.env,
                start_new_session=True,
                user=launch.uid,
                group=launch.gid,
                extra_groups=launch.groups,
                umask=launch.umask,
            )
        except BaseException:
            self.release()
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)

    def _announce(self, on_start: Callable[[int], None]) -> None:
        try:
            on_start(self._process.pid)
        except BaseException:
            self._signal(signal.SIGKILL)
            self._process.wait()
            self.release()
            raise

    def _watch_output(self) -> None:
        self._is_watching = True
        for descriptor in self._readers:
            self._loop.add_reader(descriptor, self._read, descriptor)

    def _watch_exit(self) -> None:
        if self._exits is None:
            self._wait_in_thread()
            return
        try:
            self._pidfd = self._exits.watch(self._process.pid, self._exit, may_be_brief=self._stdin < 0)
        except OSError:
            # A kernel before 5.3, or one that forbids it.
            self._wait_in_thread()
        else:
            if self._pidfd < 0:
                self._exit()
                if self._process.returncode is None:
                    # Who traces a process (strace -f) hears of its end first.
                    self._wait_in_thread()

    def _wait_in_thread(self) -> None:
        waiting = self._loop.run_in_executor(None, self._process.wait)
        waiting.add_done_callback(lambda _: self._exit())

    def _forget_exit(self) -> None:
        if self._exits is not None and self._pidfd >= 0:
            self._exits.forget(self._pidfd)
            self._pidfd = -1

    def _exit(self) -> None:
        if self._process.poll() is None:
            return
        self._forget_exit()
        self._close_stdin()
        _resolve(self.exited)
        for descriptor in list(self._readers):
            while descriptor in self._readers and self._read(descriptor):
                pass
        if self._readers:
            if self._timer is not None:
                self._timer.cancel()
            if not self._is_watching:
                self._watch_output()
            self._timer = self._loop.call_later(DRAIN_GRACE_S, _resolve, self.ended)
        self._end_when_drained()

    def _read(self, descriptor: int) -> bool:
        """Read once; return whether there may be more at once."""
        try:
            data = os.read(descriptor, _CHUNK_BYTES)
        except BlockingIOError:
            return False
        written = self._readers[descriptor]
        written += data
        if not data:
            self._close_reader(descriptor)
            self._end_when_drained()
        elif self._is_too_much():
            return False
        elif self._on_output is not None and written is self._output:
            self._on_output(data)
        return bool(data)

    def _is_too_much(self) -> bool:
        if self._most_bytes is None or len(self._output) + len(self._errors) <= self._most_bytes:
            return False
        for descriptor in list(self._readers):
            self._close_reader(descriptor)
        if not self.ended.done():
            self.ended.set_exception(OutputBoundError(self._most_bytes))
        return True

    def _write(self) -> None:
        """Feed as much of stdin as the pipe takes; a command that does not read it has its reasons."""
        if self._stdin < 0:
            return
        try:
            self._rest = self._rest[os.write(self._stdin, self._rest[:_CHUNK_BYTES]) :]
        except BlockingIOError:
            pass
        except OSError:
            self._rest = self._rest[:0]
        if self._rest:
            self._loop.add_writer(self._stdin, self._write)
        else:
            self._close_stdin()

    def _end_when_drained(self) -> None:
        if self.exited.done() and not self._readers:
            _resolve(self.ended)

    def _close_reader(self, descriptor: int) -> None:
        del self._readers[descriptor]
        if self._is_watching:
            self._loop.remove_reader(descriptor)
        os.close(descriptor)

    def _close_stdin(self) -> None:
        if self._stdin >= 0:
            self._loop.remove_writer(self._stdin)
            os.close(self._stdin)
            self._stdin = -1

    def _signal(self, number: signal.Signals) -> None:
        # The group may be gone, or have become another user's (sudo).
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _pipe(theirs: list[int], *, ours: int) -> int:
    """Return our end of a pipe, which does not block; theirs is put to those that the process is given."""
    ends = os.pipe()
    theirs.append(ends[1 - ours])
    os.set_blocking(ends[ours], False)
    return ends[ours]


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
