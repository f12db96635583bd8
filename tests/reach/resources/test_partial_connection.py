"""A type's own connection need not have every method: `read` brings others along, the rest is refused."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from ensue.core.contracts.connection import FileStat
from ensue.core.contracts.content import whole
from ensue.core.errors import NotOfferedError
from ensue.core.model.srn import Srn
from ensue.reach.connections.target_content import SHORT_BYTES, content_at
from ensue.reach.resources.partial_connection import completed

SRN = Srn("lamp", "l")
CONTENT = b"x" * (SHORT_BYTES + 1)


class Reading:
    """Has `read` and `stat` alone."""

    async def read(self, path: str) -> bytes:
        assert path == "/f"
        return CONTENT

    async def stat(self, path: str, *, follow: bool = False) -> FileStat | None:
        assert (path, follow) == ("/f", True)
        return FileStat(
            kind="file",
            mode=0o644,
            uid=0,
            gid=0,
            user="root",
            group="root",
            size_bytes=len(CONTENT),
            mtime_s=0,
        )


def test_a_long_file_is_what_read_returns() -> None:
    """Chunks, digests of any kind and content for another target come from `read`."""
    target = completed(Reading(), SRN)

    async def run() -> None:
        assert [chunk async for chunk in target.chunks("/f")] == [CONTENT]
        assert await target.checksum("/f") == hashlib.sha256(CONTENT).hexdigest()
        assert await target.checksum("/f", "sha512") == hashlib.sha512(CONTENT).hexdigest()
        assert await whole(await content_at(target, "/f")) == CONTENT

    asyncio.run(run())


def test_without_read_there_are_no_chunks() -> None:
    """The method that is missing is named."""

    async def run() -> None:
        [chunk async for chunk in completed(None, SRN).chunks("/f")]

    with pytest.raises(NotOfferedError):
        asyncio.run(run())
