"""Long files are hashed once and read in chunks; one that changes meanwhile is refused."""

from __future__ import annotations

import asyncio
import filecmp
import hashlib
import os
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from ensue.core.contracts.content import sha256_of, size_of, whole
from ensue.core.files.local_content import SHORT_BYTES, DownloadedContent, LocalContent, LocalDigests
from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from pathlib import Path

LONG = bytes(range(256)) * (SHORT_BYTES // 256) + b"and more"


def test_a_short_file_is_bytes_and_a_long_one_is_not(tmp_path: Path) -> None:
    """A file of up to a megabyte is read at once; size, digest and content are the same for both kinds."""
    (tmp_path / "short").write_bytes(LONG[:SHORT_BYTES])
    (tmp_path / "long").write_bytes(LONG)

    async def run() -> None:
        digests = LocalDigests()
        assert await digests.content(tmp_path / "short") == LONG[:SHORT_BYTES]
        long = await digests.content(tmp_path / "long")
        assert isinstance(long, LocalContent)
        assert (size_of(long), sha256_of(long)) == (len(LONG), hashlib.sha256(LONG).hexdigest())
        assert [await whole(long), await whole(long)] == [LONG, LONG]

    asyncio.run(run())


def test_a_digest_follows_the_file(tmp_path: Path) -> None:
    """A file that has changed has another digest the next time."""
    path = tmp_path / "long"

    async def run() -> None:
        digests = LocalDigests()
        for content in (LONG, LONG + b"!"):
            path.write_bytes(content)
            first, second = await asyncio.gather(digests.content(path), digests.content(path))
            assert {sha256_of(first), sha256_of(second)} == {hashlib.sha256(content).hexdigest()}

    asyncio.run(run())


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    """Nothing is handed on that does not belong to the digest."""
    path = tmp_path / "long"
    path.write_bytes(LONG)

    async def run() -> None:
        content = await LocalDigests().content(path)
        path.write_bytes(b"?" + LONG)
        with pytest.raises(OSError, match="changes while it is read"):
            await whole(content)

    asyncio.run(run())


def test_a_download_needs_no_name(tmp_path: Path) -> None:
    """What was fetched is read from a file that no folder has any more."""
    path = tmp_path / "fetched"
    path.write_bytes(LONG)
    descriptor = os.open(path, os.O_RDONLY)
    path.unlink()
    content = DownloadedContent(descriptor, "of no concern")
    assert asyncio.run(whole(content)) == LONG


def test_a_copy_takes_a_few_chunks_of_memory(tmp_path: Path) -> None:
    """Copying a file of 32 MiB takes less than a quarter of that."""
    path = tmp_path / "long"
    path.write_bytes(LONG * 32)

    async def copy() -> None:
        content = await LocalDigests().content(path)
        await MinionConnection(Srn("minion", "m")).write(str(tmp_path / "copy"), content)

    tracemalloc.start()
    try:
        asyncio.run(copy())
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert filecmp.cmp(path, tmp_path / "copy", shallow=False)
    assert peak_bytes < 8 << 20
