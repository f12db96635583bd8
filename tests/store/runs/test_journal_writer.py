"""The thread of a journal: order, what is awaited, and a disk that is full or does not answer."""

from __future__ import annotations

import asyncio
import os
from functools import partial, wraps
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import StoreError
from ensue.core.masking import Masker
from ensue.core.model.events import NodeFinished, NodeStarted, RunFinished
from ensue.core.model.returns import Return
from ensue.store.runs.journal import Journal, read_run
from ensue.store.runs.journal_writer import JournalWriter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

RUN = "20261121T120000-0f424a"
END = RunFinished(run_id=RUN, status="succeeded", exit_code=0, ended_at="2026-11-21T12:00:01+00:00")


def on_loop(test: Callable[[Path], Awaitable[None]]) -> Callable[[Path], None]:
    """Run a test on an event loop."""

    @wraps(test)
    def run(tmp_path: Path) -> None:
        async def body() -> None:
            await test(tmp_path)

        asyncio.run(body())

    return run


def finished(number: int) -> NodeFinished:
    """Return the end of a state's call."""
    return NodeFinished(
        Return(
            tag=f"t{number}",
            id="a",
            name="a",
            sls="s",
            module="test",
            function="nop",
            scope="",
            target="minion:m",
            result=True,
            changes={},
            comment="",
            run_num=number,
        )
    )


def started(number: int) -> NodeStarted:
    """Return the beginning of a state's call."""
    return NodeStarted(
        tag_=f"t{number}", id="a", function="cmd.run", scope="", target="minion:m", run_num=number
    )


def no_error(error: StoreError) -> None:
    """Fail: the journal can be written."""
    pytest.fail(str(error))


async def opened(cachedir: Path) -> JournalWriter:
    """Return the writer of a new journal that can be written."""
    return await JournalWriter.open(partial(Journal.create, cachedir, RUN, masker=Masker()), no_error)


def full(path: Path, errors: list[StoreError]) -> JournalWriter:
    """Return the writer of a journal on a full disk."""
    journal = Journal(path / "runs" / "x.jsonl", os.open("/dev/full", os.O_WRONLY), Masker())
    return JournalWriter(journal, errors.append)


@on_loop
async def test_what_is_recorded_is_in_the_file(tmp_path: Path) -> None:
    """After `recorded`, everything written before is in the file, in order."""
    writer = await opened(tmp_path)
    events = [started(0), finished(0), *map(finished, range(1, 500)), started(500)]
    for event in events:
        writer.write(event)
    await writer.recorded()
    assert read_run(tmp_path, RUN) == events
    await writer.close()


@on_loop
async def test_many_callers_wait_for_their_own(tmp_path: Path) -> None:
    """Callers that wait at once are all released, each after its own event is in the file."""
    writer = await opened(tmp_path)

    async def call(number: int) -> bool:
        writer.write(started(number))
        await writer.recorded()
        return started(number) in read_run(tmp_path, RUN)

    assert all(await asyncio.gather(*map(call, range(50))))
    await writer.close()


@on_loop
async def test_closing_writes_the_rest(tmp_path: Path) -> None:
    """Closing a journal loses nothing, and closing it again does nothing."""
    writer = await opened(tmp_path)
    writer.write(finished(0))
    writer.write(END)
    await writer.close()
    await writer.close()
    assert read_run(tmp_path, RUN) == [finished(0), END]


@on_loop
async def test_a_journal_that_cannot_be_created(tmp_path: Path) -> None:
    """The error of creating a journal is raised where it is opened."""
    writer = await opened(tmp_path)
    with pytest.raises(StoreError, match=RUN):
        await opened(tmp_path)
    await writer.close()


@on_loop
async def test_a_full_disk_is_reported_once(tmp_path: Path) -> None:
    """The caller that waits for a start gets the error, and so does the run, once, before that."""
    errors: list[StoreError] = []
    writer = full(tmp_path, errors)
    writer.write(started(0))
    with pytest.raises(StoreError, match="No space left"):
        await writer.recorded()
    assert len(errors) == 1
    writer.write(finished(1))
    with pytest.raises(StoreError, match="No space left"):
        await writer.close()
    assert len(errors) == 1


@on_loop
async def test_a_full_disk_is_reported_although_nobody_waits(tmp_path: Path) -> None:
    """An event that nobody waits for stops the run as well."""
    reported: asyncio.Future[StoreError] = asyncio.get_running_loop().create_future()
    journal = Journal(tmp_path / "runs" / "x.jsonl", os.open("/dev/full", os.O_WRONLY), Masker())
    writer = JournalWriter(journal, reported.set_result)
    writer.write(finished(0))
    assert "No space left" in str(await reported)
    with pytest.raises(StoreError):
        await writer.close()


@on_loop
async def test_a_disk_that_does_not_answer_holds_no_loop(tmp_path: Path) -> None:
    """While a write hangs, the loop goes on, and waiting callers can be cancelled; no event is lost."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    filled = 0
    try:
        while True:
            filled += os.write(writing, bytes(65536))
    except BlockingIOError:
        os.set_blocking(writing, True)
    writer = JournalWriter(Journal(tmp_path / "runs" / "x.jsonl", writing, Masker()), no_error)
    writer.write(finished(0))
    waiting = asyncio.ensure_future(writer.recorded())
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    closing = asyncio.ensure_future(writer.close())
    content = b""
    with os.fdopen(reading, "rb") as pipe:
        content = await asyncio.to_thread(pipe.read)
    await closing
    assert b'"t0"' in content[filled:]
