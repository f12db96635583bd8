"""The project lock."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import signal
import stat
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from ensue.errors import LockHeldError, StoreError
from ensue.runs.lock import LockHolder, ProjectLock, holder_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW = dt.datetime(2026, 11, 20, 23, 59, 59, tzinfo=dt.UTC)

HOLDER = """
import datetime, sys
from pathlib import Path
from ensue.runs.lock import ProjectLock
now = datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC)
lock = ProjectLock.acquire(Path(sys.argv[1]), command="ensue apply web", now=now)
print("held", flush=True)
sys.stdin.read()
"""


def _acquire(cachedir: Path) -> ProjectLock:
    return ProjectLock.acquire(cachedir, command="ensue apply", now=NOW)


def _start_holder(cachedir: Path) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(cachedir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def _end(holder: subprocess.Popen[str], signal_number: int = signal.SIGTERM) -> None:
    holder.send_signal(signal_number)
    holder.communicate()


def test_a_second_apply_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    """The refusal names the command, the process, its user and since when; the file is private."""
    holder = _start_holder(tmp_path / ".ensue")
    with pytest.raises(LockHeldError, match=r"ensue apply web .*2026-11-20T00:00:00") as caught:
        _acquire(tmp_path / ".ensue")
    assert caught.value.holder_pid == holder.pid
    assert f"process {holder.pid} of " in str(caught.value)
    assert stat.S_IMODE((tmp_path / ".ensue" / "lock").stat().st_mode) == 0o600
    _end(holder)


def test_kill_9_frees_the_lock(tmp_path: Path) -> None:
    """The next apply after a kill -9 takes the lock as if nothing had been."""
    _end(_start_holder(tmp_path), signal.SIGKILL)
    assert holder_of(tmp_path) is None
    with _acquire(tmp_path):
        assert holder_of(tmp_path) == LockHolder(
            pid=os.getpid(), user=holder_user(), since="2026-11-20T23:59:59+00:00", command="ensue apply"
        )
    assert holder_of(tmp_path) is None


def holder_user() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


def test_one_process_cannot_take_it_twice(tmp_path: Path) -> None:
    """Two runs in one process exclude each other too; releasing twice does no harm."""
    lock = _acquire(tmp_path)
    with pytest.raises(LockHeldError):
        _acquire(tmp_path)
    lock.release()
    lock.release()
    _acquire(tmp_path).release()


def test_a_waiting_apply_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    """Who waits is told for whom, and goes on when the holder is killed."""
    holder = _start_holder(tmp_path)
    told: list[LockHolder] = []

    async def wait() -> None:
        def on_wait(found: LockHolder) -> None:
            told.append(found)
            holder.kill()

        lock = await ProjectLock.wait(tmp_path, command="second", clock=lambda: NOW, on_wait=on_wait)
        assert holder_of(tmp_path) == LockHolder(
            pid=os.getpid(), user=holder_user(), since=NOW.isoformat(), command="second"
        )
        lock.release()

    asyncio.run(wait())
    holder.communicate()
    assert [found.pid for found in told] == [holder.pid]


def test_a_free_lock_is_taken_without_waiting(tmp_path: Path) -> None:
    """Waiting for a free lock tells nobody."""
    told: list[LockHolder] = []
    lock = asyncio.run(ProjectLock.wait(tmp_path, command="x", clock=lambda: NOW, on_wait=told.append))
    assert told == []
    lock.release()


def test_giving_up_leaves_the_lock_to_others(tmp_path: Path) -> None:
    """A cancelled wait ends at once and never keeps the lock, even when it gets it afterwards."""
    held = _acquire(tmp_path)

    async def give_up() -> None:
        waiting = asyncio.Event()
        task = asyncio.create_task(
            ProjectLock.wait(tmp_path, command="x", clock=lambda: NOW, on_wait=lambda _: waiting.set())
        )
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The loop is still there: that it is gone must not be what frees the lock.
        held.release()
        await asyncio.to_thread(_waiters_have_ended)
        _acquire(tmp_path).release()

    asyncio.run(give_up())


def test_a_wait_that_outlives_its_loop_keeps_nothing(tmp_path: Path) -> None:
    """A cancelled wait that gets the lock when its event loop has ended gives it back, too."""
    held = _acquire(tmp_path)

    async def give_up() -> None:
        waiting = asyncio.Event()
        task = asyncio.create_task(
            ProjectLock.wait(tmp_path, command="x", clock=lambda: NOW, on_wait=lambda _: waiting.set())
        )
        await waiting.wait()
        task.cancel()

    asyncio.run(give_up())
    held.release()
    _waiters_have_ended()
    _acquire(tmp_path).release()


def _waiters_have_ended() -> None:
    """Return when no thread waits for a lock any more."""
    for thread in threading.enumerate():
        if thread.name == "ensue-project-lock":
            thread.join()


@pytest.mark.parametrize("order", [1, -1], ids=["before it is told", "after it is told"])
def test_a_wait_cancelled_in_the_moment_of_success_keeps_nothing(tmp_path: Path, order: int) -> None:
    """Cancelled when the lock has been got but not yet been handed over, the wait gives it back."""
    held = _acquire(tmp_path)

    async def cancel_late() -> None:
        loop = asyncio.get_running_loop()
        settle = loop.call_soon_threadsafe
        task = asyncio.create_task(
            ProjectLock.wait(tmp_path, command="x", clock=lambda: NOW, on_wait=lambda _: held.release())
        )

        def spy(callback: Callable[..., object], *arguments: object) -> None:
            both: list[Callable[[], object]] = [task.cancel, lambda: callback(*arguments)]
            settle(lambda: [call() for call in both[::order]])

        loop.call_soon_threadsafe = spy  # type: ignore[assignment, method-assign]  # to know the moment
        with pytest.raises(asyncio.CancelledError):
            await task
        _acquire(tmp_path).release()

    asyncio.run(cancel_late())


def test_many_take_turns(tmp_path: Path) -> None:
    """Twenty that wait hold the lock one at a time, all of them in the end."""
    inside = [0]
    most = [0]

    async def one() -> None:
        lock = await ProjectLock.wait(tmp_path, command="x", clock=lambda: NOW)
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        await asyncio.sleep(0)
        inside[0] -= 1
        lock.release()

    async def all_of_them() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(one())

    asyncio.run(all_of_them())
    assert most == [1]


def test_a_lock_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """Where the cachedir cannot be, the message names the lock."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="lock"):
        _acquire(tmp_path / "file")


@pytest.mark.parametrize("note", ["", "nonsense", "[]", '{"pid": "x"}', "\x00" * 10])
def test_an_unreadable_note_does_not_matter(tmp_path: Path, note: str) -> None:
    """Who holds the lock is only a note: when it cannot be read the lock still holds."""
    with _acquire(tmp_path):
        (tmp_path / "lock").write_text(note)
        with pytest.raises(LockHeldError, match="another process"):
            _acquire(tmp_path)
