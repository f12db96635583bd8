"""The input of a command waits while nobody reads it, and ends when nobody will."""

from __future__ import annotations

import asyncio
import errno
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import CommandInputError, RemoteFileError
from ensue.reach.processes.feeding import Feed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Chunks:
    """Five chunks, after which an error may be raised; counts what was asked for, and knows of its end."""

    def __init__(self, error: OSError | None = None) -> None:
        self.error = error
        self.asked = 0
        self.is_closed = False

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Yield them."""
        try:
            for _ in range(5):
                self.asked += 1
                yield b"chunk"
            if self.error:
                raise self.error
        finally:
            self.is_closed = True


def test_a_full_pipe_is_waited_for() -> None:
    """Nothing is written from when the pipe is full until it is free again."""

    async def run() -> None:
        feed, source = Feed(), Chunks()
        written: asyncio.Queue[bytes] = asyncio.Queue()

        def write(chunk: bytes) -> None:
            written.put_nowait(chunk)
            feed.pause()

        async with asyncio.TaskGroup() as group:
            group.create_task(feed.give(source, write))
            for count in range(1, 6):
                assert await written.get() == b"chunk"
                assert (source.asked, written.empty()) == (count, True)
                feed.resume()
        assert source.is_closed

    asyncio.run(run())


def test_an_input_that_nobody_reads_is_closed() -> None:
    """When the command ends while the pipe is full, no more is read of the source."""

    async def run() -> None:
        feed, source, full = Feed(), Chunks(), asyncio.Event()

        def write(_: bytes) -> None:
            feed.pause()
            full.set()

        async with asyncio.TaskGroup() as group:
            group.create_task(feed.give(source, write))
            await full.wait()
            feed.stop()
        assert (source.is_closed, source.asked) == (True, 2)

    asyncio.run(run())


@pytest.mark.parametrize("count", [0, 1])
def test_a_broken_pipe_is_the_command_s_business(count: int) -> None:
    """A command that has closed its input is left to end as it does."""
    written: list[bytes] = []

    def write(chunk: bytes) -> None:
        if len(written) == count:
            raise BrokenPipeError
        written.append(chunk)

    asyncio.run(Feed().give(Chunks(), write))
    assert len(written) == count


def test_a_source_that_cannot_be_read_has_an_error_of_its_own() -> None:
    """It is not mistaken for one of the command; a source on another target names itself."""
    with pytest.raises(CommandInputError, match="cannot be read: it breaks off") as caught:
        asyncio.run(Feed().give(Chunks(OSError(errno.EIO, "it breaks off")), lambda _: None))
    assert caught.value.errno == errno.EIO
    elsewhere = RemoteFileError("cannot read /f on ssh_host:a", path="/f")
    with pytest.raises(RemoteFileError) as other:
        asyncio.run(Feed().give(Chunks(elsewhere), lambda _: None))
    assert other.value is elsewhere
