"""Both kinds of locks between processes: a locked file, and an advisory lock of a real PostgreSQL."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.postgresql import programs, running_postgresql

from ensue.core.errors import LockHeldError, StoreError
from ensue.deploy.provisioning.identity import Context, ResourceKey
from ensue.store.registry.active_store import ActiveResourceStore
from ensue.store.registry.environment_lock import environment_lock
from ensue.store.registry.file_lock import FileLock
from ensue.store.registry.store import CrossRunStore
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from ensue.store.registry.lock import Lock

NOW = dt.datetime(2026, 11, 20, 23, 59, 59, tzinfo=dt.UTC)
DEV = Context(app="shop", env="dev", env_type="development", org="acme")
LIVE = Context(app="shop", env="live", env_type="production", org="acme")

HOLDER = """
import datetime, sys
from pathlib import Path
from ensue.deploy.provisioning.identity import Context, ResourceKey
from ensue.store.registry.active_store import ActiveResourceStore
from ensue.store.registry.environment_lock import environment_lock
from ensue.store.registry.store import CrossRunStore
folder, url = Path(sys.argv[1]), sys.argv[2] or None
context = Context(app="shop", env="dev", env_type="", org="acme")
lock = environment_lock(CrossRunStore(folder, url=url), lambda: "store", context, folder)
lock.acquire(command="ensue deploy", now=datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def server_url() -> Iterator[str | None]:
    """A database of a real server."""
    if programs() is None:
        yield None
        return
    with running_postgresql() as server:
        yield f"postgresql+psycopg://{server.user}@/postgres?host={server.socket_folder}"


@pytest.fixture(params=["file", "postgresql"])
def url(request: pytest.FixtureRequest, server_url: str | None) -> str:
    """Where the store is; empty is the file below the cachedir."""
    if request.param == "file":
        return ""
    if server_url is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    return server_url


@pytest.fixture
def store(url: str, cachedir: Path) -> Iterator[CrossRunStore]:
    """The store."""
    store = CrossRunStore(cachedir, url=url or None)
    yield store
    store.close()


@pytest.fixture
def lock(store: CrossRunStore, cachedir: Path) -> Callable[..., Lock]:
    """Makes the lock of an environment, as a process of its own would."""

    def make(context: Context = DEV) -> Lock:
        return environment_lock(store, lambda: "store", context, cachedir)

    return make


@contextmanager
def holder(cachedir: Path, url: str) -> Generator[subprocess.Popen[str]]:
    """Have another process hold the lock."""
    words = [sys.executable, "-c", HOLDER, str(cachedir), url]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()
        process.communicate()


def acquired(lock: Lock) -> Lock:
    return lock.acquire(command="ensue deploy", now=NOW)


@contextmanager
def when_waiting(call: Callable[[], Any]) -> Generator[list[str]]:
    """Call a function, in the thread that waits for a lock, when it begins to wait."""
    messages: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())
            call()

    logger, handler = logging.getLogger("ensue.store.registry.lock"), Handler()
    logger.addHandler(handler)
    try:
        yield messages
    finally:
        logger.removeHandler(handler)


def waiters_have_ended() -> None:
    """Return when no thread waits for a lock any more."""
    while waiters := [thread for thread in threading.enumerate() if thread.name == "ensue-lock"]:
        waiters[0].join()


def test_the_refusal_says_who_holds_the_lock(lock: Callable[..., Lock], cachedir: Path, url: str) -> None:
    """It names the environment, the command, the process, its user, its machine, and since when."""
    with holder(cachedir, url) as process:
        with pytest.raises(LockHeldError) as caught:
            acquired(lock())
        assert caught.value.holder_pid == process.pid
        assert str(caught.value).startswith(
            "the environment acme/shop/dev is being deployed by ensue deploy ("
        )
        assert f"process {process.pid} of " in str(caught.value)
        assert f" on {socket.gethostname()}, since 2026-11-20T00:00:00+00:00)" in str(caught.value)


def test_another_environment_is_free(lock: Callable[..., Lock], cachedir: Path, url: str) -> None:
    """Environments of one store do not hold each other up."""
    with holder(cachedir, url), acquired(lock(LIVE)):
        pass


def test_kill_9_frees_the_lock(lock: Callable[..., Lock], cachedir: Path, url: str) -> None:
    """A process that waits for a killed holder gets the lock, and later ones are not shown the killed one."""
    with holder(cachedir, url) as process:
        with when_waiting(partial(os.kill, process.pid, signal.SIGKILL)):
            held = asyncio.run(lock().take(command="second", wait_s=None))
        with held, pytest.raises(LockHeldError, match="second") as caught:
            acquired(lock())
        assert caught.value.holder_pid == os.getpid()


def test_one_process_cannot_take_it_twice(lock: Callable[..., Lock]) -> None:
    """Two deployments in one process exclude each other too; releasing twice does no harm."""
    held = acquired(lock())
    with pytest.raises(LockHeldError):
        acquired(lock())
    held.confirm()
    held.release()
    held.release()
    acquired(lock()).release()


def test_who_waits_is_told_for_whom(lock: Callable[..., Lock]) -> None:
    """A wait is reported with its cause; taking a free lock is not reported."""
    held = acquired(lock())
    with when_waiting(held.release) as messages:
        asyncio.run(lock().take(command="second", wait_s=60)).release()
        assert len(messages) == 1
        assert messages[0].startswith(
            "waiting: the environment acme/shop/dev is being deployed by ensue deploy ("
        )
        asyncio.run(lock().take(command="third", wait_s=None)).release()
        assert len(messages) == 1


def test_a_wait_has_an_end(lock: Callable[..., Lock]) -> None:
    """After the limit that the user gives it fails, and does not keep the lock afterwards."""
    held = acquired(lock())
    with pytest.raises(LockHeldError, match=f"process {os.getpid()} of "):
        asyncio.run(lock().take(command="second", wait_s=0.01))
    held.release()
    waiters_have_ended()
    acquired(lock()).release()


def test_giving_up_leaves_the_lock_to_others(lock: Callable[..., Lock]) -> None:
    """A cancelled wait ends at once and never keeps the lock, even when it gets it afterwards."""
    held = acquired(lock())

    async def give_up() -> None:
        waiting = asyncio.Event()
        loop = asyncio.get_running_loop()
        with when_waiting(lambda: loop.call_soon_threadsafe(waiting.set)):
            task = asyncio.create_task(lock().take(command="x", wait_s=None))
            await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The loop still exists: its end must not be what frees the lock.
        held.release()
        await asyncio.to_thread(waiters_have_ended)
        acquired(lock()).release()

    asyncio.run(give_up())


def test_a_wait_that_outlives_its_loop_keeps_nothing(lock: Callable[..., Lock]) -> None:
    """A cancelled wait that gets the lock when its event loop has ended gives it back, too."""
    held = acquired(lock())

    async def give_up() -> None:
        waiting = asyncio.Event()
        loop = asyncio.get_running_loop()
        with when_waiting(lambda: loop.call_soon_threadsafe(waiting.set)):
            task = asyncio.create_task(lock().take(command="x", wait_s=None))
            await waiting.wait()
        task.cancel()

    asyncio.run(give_up())
    held.release()
    waiters_have_ended()
    acquired(lock()).release()


@pytest.mark.parametrize("order", [1, -1], ids=["before it is told", "after it is told"])
def test_a_wait_cancelled_in_the_moment_of_success_keeps_nothing(
    lock: Callable[..., Lock], order: int
) -> None:
    """Cancelled when the lock has been got but not yet been handed over, the wait gives it back."""
    held = acquired(lock())

    async def cancel_late() -> None:
        loop = asyncio.get_running_loop()
        settle = loop.call_soon_threadsafe
        task = asyncio.create_task(lock().take(command="x", wait_s=None))

        def spy(callback: Callable[..., object], *arguments: object, **_: object) -> None:
            both: list[Callable[[], object]] = [task.cancel, lambda: callback(*arguments)]
            settle(lambda: [call() for call in both[::order]])

        def begin() -> None:
            loop.call_soon_threadsafe = spy  # type: ignore[assignment, method-assign]  # to know the moment
            held.release()

        with when_waiting(begin), pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(waiters_have_ended)
        acquired(lock()).release()

    asyncio.run(cancel_late())


def test_many_take_turns(lock: Callable[..., Lock]) -> None:
    """Ten processes that wait all get the lock, one at a time."""
    inside = [0]
    most = [0]

    async def one() -> None:
        held = await lock().take(command="x", wait_s=None)
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        await asyncio.sleep(0)
        inside[0] -= 1
        held.release()

    async def all_of_them() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(10):
                group.create_task(one())

    asyncio.run(all_of_them())
    assert most == [1]


def test_one_file_whatever_links_lead_to_it(tmp_path: Path) -> None:
    """A store that two folders reach by different paths has one lock for each environment."""
    for folder in ("data", "one", "two"):
        (tmp_path / folder).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    first, second = (
        environment_lock(
            CrossRunStore(tmp_path / name, url=f"sqlite:///{path}/s.db"), str, DEV, tmp_path / name
        )
        for name, path in (("one", tmp_path / "data"), ("two", tmp_path / "link"))
    )
    with acquired(first), pytest.raises(LockHeldError):
        acquired(second)
    assert not list((tmp_path / "one").iterdir())


def test_a_lost_connection_is_a_lost_lock(server_url: str | None, cachedir: Path) -> None:
    """The server gives the lock to the next one when the connection ends; the first one writes no records."""
    if server_url is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    store = CrossRunStore(cachedir, url=server_url)
    lock = acquired(environment_lock(store, lambda: "lost", DEV, cachedir))
    lock.confirm()
    with store.session() as session:
        session.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
        )
    with acquired(environment_lock(store, lambda: "lost", DEV, cachedir)):
        with pytest.raises(StoreError, match="lost, and with it the lock"):
            lock.confirm()
        active = ActiveResourceStore(store, vault=ProjectVault.of_project(cachedir, environment={}))
        with active.requiring(DEV, lock):
            active.remove(DEV, ResourceKey("box", "default", "b"))
            with pytest.raises(StoreError, match="lost, and with it the lock"):
                asyncio.run(active.flush())
        lock.release()
    store.close()


def test_those_who_share_it_exclude_only_the_others(tmp_path: Path) -> None:
    """Deployments share the lock of a project; an apply waits for the last of them."""
    path = tmp_path / "lock"
    shared = [FileLock(path, "it is used", shared=True) for _ in range(2)]
    for number, lock in enumerate(shared):
        lock.acquire(command=f"deploy {number}", now=NOW)
    for lock in shared:
        with pytest.raises(LockHeldError, match="it is used by deploy 1"):
            acquired(FileLock(path, "it is used"))
        lock.release()
    with acquired(FileLock(path, "it is used")), pytest.raises(LockHeldError, match="by ensue deploy"):
        shared[0].acquire(command="deploy", now=NOW)


def test_the_note_of_one_that_has_ended_is_not_shown(tmp_path: Path) -> None:
    """Of those that share a lock the last one has written its name; if it is gone, nobody is named."""
    path = tmp_path / "lock"
    held = FileLock(path, "it is used", shared=True).acquire(command="deploy", now=NOW)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    path.write_text(f'{{"pid": {ended.pid}, "host": "{socket.gethostname()}", "command": "other"}}')
    with pytest.raises(LockHeldError, match="by another process"):
        acquired(FileLock(path, "it is used"))
    held.release()


def test_a_lock_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """If its folder cannot be made, the message names the lock."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="the lock cannot be used"):
        acquired(FileLock(tmp_path / "file/lock", "it is used"))


@pytest.mark.parametrize("note", ["", "nonsense", "[]", '{"pid": "x"}', "\x00" * 10])
def test_an_unreadable_note_does_not_matter(tmp_path: Path, note: str) -> None:
    """The note only says who holds the lock: when it cannot be read the lock still holds, and is private."""
    path = tmp_path / "lock"
    with acquired(FileLock(path, "it is used")):
        path.write_text(note)
        with pytest.raises(LockHeldError, match="another process"):
            acquired(FileLock(path, "it is used"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
