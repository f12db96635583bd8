"""Content of a file of a target is bytes when it is short, and is read in chunks when it is long."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from ensue.core.contracts.content import sha256_of, size_of, whole
from ensue.core.errors import RemoteFileError
from ensue.reach.connections.target_content import SHORT_BYTES, content_at
from ensue.testing.connection import FakeConnection

LONG = bytes(range(256)) * (SHORT_BYTES // 128) + b"and more"


@pytest.mark.parametrize("content", [b"", LONG[:SHORT_BYTES], LONG], ids=["empty", "short", "long"])
def test_content_of_a_target_goes_to_another(content: bytes) -> None:
    """Size and checksum are known before, and what is written elsewhere is the same."""
    source, elsewhere = FakeConnection(files={"/f": content}), FakeConnection()

    async def run() -> None:
        source_content = await content_at(source, "/f")
        assert isinstance(source_content, bytes) == (len(content) <= SHORT_BYTES)
        assert (size_of(source_content), sha256_of(source_content)) == (
            len(content),
            hashlib.sha256(content).hexdigest(),
        )
        assert [await whole(source_content), await whole(source_content)] == [content, content]
        await elsewhere.write("/g", source_content)
        assert await elsewhere.read("/g") == content

    asyncio.run(run())


def test_a_file_that_is_another_by_now_is_not_written() -> None:
    """When the source has changed since it was looked at, the file elsewhere stays as it was."""
    source, elsewhere = FakeConnection(files={"/f": LONG}), FakeConnection(files={"/g": b"old"})

    async def run() -> None:
        source_content = await content_at(source, "/f")
        await source.write("/f", LONG[::-1])
        with pytest.raises(RemoteFileError, match="/f on fake:target: it changes while it is read"):
            await elsewhere.write("/g", source_content)
        assert await elsewhere.read("/g") == b"old"

    asyncio.run(run())


def test_what_is_no_file_is_refused() -> None:
    """A folder, and what is not there, cannot be read."""
    for path in ("/etc", "/absent"):
        with pytest.raises(RemoteFileError):
            asyncio.run(content_at(FakeConnection(), path))
