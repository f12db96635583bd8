# ruff: noqa: S101 (a test asserts, and its literal expectations are the facts it states)
"""The contract of file content, part of `FileContract`: writing, reading and digests, also in chunks."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import RemoteFileError
from ensue.testing.contract_data import BIG_BYTES, LONG_BYTES, ChunkedContent, noise
from ensue.testing.contract_play import scene

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection


class ContentContract:
    """Reading and writing content."""

    @scene
    async def test_content_comes_back_as_it_was(self, target: Connection, folder: str) -> None:
        """Every byte value, an empty file and a big one are read back as they were written."""
        for index, content in enumerate(
            (b"", b"\0", bytes(range(256)) * 3, b"\r\n\xff\xfe", noise(BIG_BYTES))
        ):
            path = f"{folder}/{index}"
            await target.write(path, content)
            assert await target.read(path) == content
            status = await target.stat(path)
            assert status is not None
            assert (status.kind, status.size_bytes) == ("file", len(content))

    @scene
    async def test_long_content_is_written_from_its_chunks(self, target: Connection, folder: str) -> None:
        """Content that comes in chunks is written as it is, replaces a file, and can be written again."""
        content = noise(BIG_BYTES, seed=3)
        long = ChunkedContent(content)
        await target.write(f"{folder}/new", long, mode=0o640)
        await target.write(f"{folder}/old", b"old", mode=0o600)
        await target.write(f"{folder}/old", long)
        for name, mode in (("new", 0o640), ("old", 0o600)):
            assert await target.read(f"{folder}/{name}") == content
            status = await target.stat(f"{folder}/{name}")
            assert status is not None
            assert status.mode == mode
        assert await target.list_directory(folder) == ["new", "old"]

    @scene
    async def test_a_source_that_breaks_off_leaves_the_old_file(
        self, target: Connection, folder: str
    ) -> None:
        """If a chunk cannot be read, nothing is replaced and nothing is left behind."""
        await target.write(f"{folder}/file", b"old")
        for name in ("file", "new"):
            with pytest.raises(RemoteFileError):
                await target.write(f"{folder}/{name}", ChunkedContent(noise(BIG_BYTES), breaks_off=True))
        assert await target.list_directory(folder) == ["file"]
        assert await target.read(f"{folder}/file") == b"old"

    @scene
    async def test_a_long_file_is_read_in_chunks(self, target: Connection, folder: str) -> None:
        """The chunks together are the content, of long, short and empty files, through a symlink too."""
        for content in (b"", b"short", noise(LONG_BYTES)):
            await target.write(f"{folder}/file", content)
            await target.symlink("file", f"{folder}/link")
            chunks = [chunk async for chunk in target.chunks(f"{folder}/link")]
            assert b"".join(chunks) == content
            assert max(map(len, chunks), default=0) <= LONG_BYTES / 2
        for path in (f"{folder}/absent", folder):
            with pytest.raises(RemoteFileError):
                [chunk async for chunk in target.chunks(path)]

    @scene
    async def test_a_file_that_changes_is_not_read_on(self, target: Connection, folder: str) -> None:
        """Reading a file in chunks fails if the file changes meanwhile."""
        await target.write(f"{folder}/file", noise(LONG_BYTES))
        async with contextlib.aclosing(target.chunks(f"{folder}/file")) as chunks:
            assert await anext(chunks)
            await target.write(f"{folder}/file", noise(LONG_BYTES + 1, seed=2))
            with pytest.raises(RemoteFileError, match="changes while it is read"):
                [chunk async for chunk in chunks]

    @scene
    async def test_checksums_of_many_kinds(self, target: Connection, folder: str) -> None:
        """Digests other than SHA-256 work too, including those for which a target has no program."""
        for content in (b"small\n", noise(BIG_BYTES, seed=2)):
            await target.write(f"{folder}/file", content)
            for kind in ("md5", "sha1", "sha512", "sha3_256"):
                expected = hashlib.new(kind, content, usedforsecurity=False).hexdigest()
                assert await target.checksum(f"{folder}/file", kind) == expected
        assert await target.checksum(f"{folder}/absent", "md5") is None

    @scene
    async def test_checksum_is_the_content_s(self, target: Connection, folder: str) -> None:
        """The checksum is the SHA-256 of small and big files, through a symlink too; None when absent."""
        for content in (b"", b"small\n", noise(BIG_BYTES, seed=2)):
            await target.write(f"{folder}/back\\slash", content)
            await target.symlink("back\\slash", f"{folder}/link")
            assert await target.checksum(f"{folder}/back\\slash") == hashlib.sha256(content).hexdigest()
            assert await target.checksum(f"{folder}/link") == hashlib.sha256(content).hexdigest()
        assert await target.checksum(f"{folder}/absent") is None
        with pytest.raises(RemoteFileError):
            await target.checksum(folder)
