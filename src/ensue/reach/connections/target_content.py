"""Content of a file on a target: bytes if it is short, else an object that reads it in chunks."""

from __future__ import annotations

import asyncio
import errno
import hashlib
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from ensue.core.errors import RemoteFileError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.content import Content

SHORT_BYTES: Final = 1 << 20
"""Content up to this size is held as bytes."""


async def content_at(connection: Connection, path: str) -> Content:
    """Return the content of a file.

    Args:
        connection: the connection to the target.
        path: the file; symlinks are followed.

    Raises:
        RemoteFileError: the file does not exist, or cannot be read.
    """
    status = await connection.stat(path, follow=True)
    if status is None or status.kind != "file" or status.size_bytes <= SHORT_BYTES:
        return await connection.read(path)
    sha256 = await connection.checksum(path)
    if sha256 is None:  # Removed in the meantime.
        return await connection.read(path)
    return TargetContent(connection, path, status.size_bytes, sha256)


class TargetContent:
    """Long content of a file on a target.

    Args:
        connection: the connection to the target.
        path: the file.
        size_bytes: its size.
        sha256: its digest, in hexadecimal.
    """

    def __init__(self, connection: Connection, path: str, size_bytes: int, sha256: str) -> None:
        self._connection = connection
        self._path = path
        self.size_bytes = size_bytes
        self.sha256 = sha256

    async def chunks(self) -> AsyncGenerator[bytes]:
        """Yield the content from its beginning; each call starts again.

        Raises:
            RemoteFileError: the file cannot be read, or has changed.
        """
        digest = hashlib.sha256()
        async with aclosing(self._connection.chunks(self._path)) as chunks:
            async for chunk in chunks:
                await asyncio.to_thread(digest.update, chunk)
                yield chunk
        if digest.hexdigest() != self.sha256:
            # Before the writer learns that this was the end.
            message = f"cannot read {self._path} on {self._connection.srn}: it changes while it is read"
            error = RemoteFileError(message, path=self._path, target=str(self._connection.srn))
            error.errno = errno.EBUSY
            raise error
