"""Content of a local file that is too long for memory: its digest, its chunks, any part of it.

Reading and hashing happen in threads. The file is checked again with every chunk: if it has changed since
its digest was taken, reading fails, because the digest would not describe what was written.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import io
import os
import weakref
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path
    from typing import BinaryIO

    from _typeshed import WriteableBuffer

CHUNK_BYTES: Final = 1 << 20
"""The size of a chunk."""

SHORT_BYTES: Final = 1 << 20
"""Content up to this size is held as bytes; longer content is read in chunks."""

FileMark = tuple[int, int, int, int]
"""Identifies an unchanged file: device, inode, size, time of change."""


class LocalContent:
    """The content of a local file.

    Args:
        path: the file.
        mark: the file's mark when its digest was taken.
        sha256: its digest, in hexadecimal.
    """

    def __init__(self, path: Path | str, mark: FileMark, sha256: str) -> None:
        self._path = path
        self._mark = mark
        self.size_bytes = mark[2]
        self.sha256 = sha256

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Yield the content from its beginning; each call starts again.

        Raises:
            OSError: the file cannot be read, or has changed.
        """
        for at in range(0, self.size_bytes, CHUNK_BYTES):
            yield await asyncio.to_thread(self._chunk, at)

    def open(self) -> BinaryIO:
        """Open the file for reading at any position; reading blocks.

        Raises:
            OSError: the file cannot be read, or has changed; reading raises this too.
        """
        return reader_of(os.open(self._path, os.O_RDONLY | os.O_CLOEXEC), self._mark)

    def _chunk(self, at: int) -> bytes:
        # Opened for each chunk, so that no file stays open if the reader stops early.
        descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return part_at(descriptor, at, self._mark)
        finally:
            os.close(descriptor)


class DownloadedContent:
    """Downloaded content in an unnamed file, which disappears when this object does.

    Args:
        descriptor: the file, open for reading; it is closed with this object.
        sha256: its digest, in hexadecimal.
    """

    def __init__(self, descriptor: int, sha256: str) -> None:
        self._descriptor = descriptor
        self._mark = mark_of(descriptor)
        self.size_bytes = self._mark[2]
        self.sha256 = sha256
        weakref.finalize(self, os.close, descriptor)

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Yield the content from its beginning; each call starts again.

        Raises:
            OSError: it cannot be read.
        """
        for at in range(0, self.size_bytes, CHUNK_BYTES):
            yield await asyncio.to_thread(self._chunk, at)

    def open(self) -> BinaryIO:
        """Open the file for reading at any place; reading blocks."""
        return reader_of(os.dup(self._descriptor), self._mark)

    def _chunk(self, at: int) -> bytes:
        return part_at(self._descriptor, at, self._mark)


class LocalDigests:
    """Digests of long files, computed once and shared while the file stays the same."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[FileMark, asyncio.Future[str]]] = {}

    async def content(self, path: Path | str) -> bytes | LocalContent:
        """Return the content of a file, as bytes if it is short.

        Args:
            path: a regular file.

        Raises:
            OSError: it cannot be read.
        """
        short = _short(path)
        if isinstance(short, bytes):
            return short
        mark, digest = self._known.get(str(path), (None, None))
        if digest is None or mark != short or digest.get_loop() is not asyncio.get_running_loop():
            digest = asyncio.ensure_future(asyncio.to_thread(_digest, path))
            self._known[str(path)] = short, digest
        try:
            # Shielded, since other tasks may wait for the same digest.
            return LocalContent(path, short, await asyncio.shield(digest))
        except OSError:
            self._known.pop(str(path), None)
            raise


class _MarkedReader(io.RawIOBase):
    """Reads a file as long as it is unchanged."""

    def __init__(self, descriptor: int, mark: FileMark) -> None:
        self._descriptor = descriptor
        self._mark = mark
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._mark[2]}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: WriteableBuffer) -> int:
        unread = memoryview(buffer)[: max(0, self._mark[2] - self._at)]
        read_bytes = os.preadv(self._descriptor, [unread], self._at) if unread else 0
        _need_the_same(self._descriptor, self._mark, is_whole=bool(read_bytes) or not unread)
        self._at += read_bytes
        return read_bytes

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()


def reader_of(descriptor: int, mark: FileMark) -> BinaryIO:
    """Return a reader that owns the descriptor, and fails once the file has changed."""
    return io.BufferedReader(_MarkedReader(descriptor, mark), CHUNK_BYTES)


def mark_of(descriptor: int) -> FileMark:
    """Return the mark of an open file."""
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _short(path: Path | str) -> bytes | FileMark:
    """Return the whole content of a short file, the mark of a long one."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        mark = mark_of(descriptor)
        if mark[2] > SHORT_BYTES:
            return mark
        parts: list[bytes] = []
        while part := os.read(descriptor, mark[2] + 1):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _digest(path: Path | str) -> str:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 (a path or its text)
        return hashlib.file_digest(file, "sha256").hexdigest()


def part_at(descriptor: int, at: int, mark: FileMark) -> bytes:
    """Return the complete chunk of a file that begins at a position.

    Args:
        descriptor: the file, open for reading.
        at: the position, in bytes.
        mark: the required mark of the file.

    Raises:
        OSError: the file cannot be read, or has changed.
    """
    size_bytes = min(CHUNK_BYTES, mark[2] - at)
    content = os.pread(descriptor, size_bytes, at)
    _need_the_same(descriptor, mark, is_whole=len(content) == size_bytes)
    return content


def _need_the_same(descriptor: int, mark: FileMark, *, is_whole: bool) -> None:
    if mark_of(descriptor) != mark or not is_whole:
        raise OSError(errno.EBUSY, "it changes while it is read")
