"""Content of files: bytes, or content that is too long for memory and read in chunks.

Everything that writes accepts both. Content is read whole only if that is needed (a template, the text of a
diff). The standard input of a command may be chunks as well.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import aclosing
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from typing import BinaryIO

HASH_TYPES: Final[Mapping[int, str]] = {
    32: "md5",
    40: "sha1",
    56: "sha224",
    64: "sha256",
    96: "sha384",
    128: "sha512",
}
"""The hash types that a checksum without one may have, by the number of its hex digits."""


class Chunked(Protocol):
    """Bytes of unknown length that can be read in chunks, any number of times."""

    def chunks(self) -> AsyncGenerator[bytes]:
        """Yield the bytes from the beginning, in parts of about a megabyte; each call starts again.

        Raises:
            OSError: they cannot be read, or have changed.
        """
        ...


class LongContent(Chunked, Protocol):
    """Content with a known size and checksum that can be read any number of times."""

    @property
    def size_bytes(self) -> int:
        """The size in bytes."""
        ...

    @property
    def sha256(self) -> str:
        """The SHA-256 of the whole content, as hex."""
        ...


class FileContent(LongContent, Protocol):
    """Long content that is in a file of this machine."""

    def open(self) -> BinaryIO:
        """Open the file for random access. Opening and reading block, so do both in a thread.

        Raises:
            OSError: it cannot be read, or has changed; reading raises this, too.
        """
        ...


Content: TypeAlias = bytes | LongContent
"""Content to write; short content is bytes."""

SourceContent: TypeAlias = bytes | FileContent
"""The content of a source; long content is in a file."""

Input: TypeAlias = bytes | Chunked
"""The standard input of a command."""


def size_of(content: Content) -> int:
    """Return the size of content in bytes."""
    return len(content) if isinstance(content, bytes) else content.size_bytes


def sha256_of(content: Content) -> str:
    """Return the SHA-256 of content as hex."""
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else content.sha256


async def digest_of(content: Content, kind: str) -> str:
    """Return a digest of content as hex; long content is read for it.

    Args:
        content: the content.
        kind: a name that `hashlib` knows, such as `md5`.

    Raises:
        OSError: it cannot be read.
    """
    if kind == "sha256":
        return sha256_of(content)
    if isinstance(content, bytes):
        return hashlib.new(kind, content, usedforsecurity=False).hexdigest()
    return await chunks_digest(content.chunks(), kind)


async def chunks_digest(chunks: AsyncGenerator[bytes], kind: str) -> str:
    """Return the digest of all chunks together as hex, and close them.

    Args:
        chunks: the chunks; read to their end.
        kind: a name that `hashlib` knows, such as `md5`.

    Raises:
        OSError: they cannot be read.
    """
    summed = hashlib.new(kind, usedforsecurity=False)
    async with aclosing(chunks):
        async for chunk in chunks:
            await asyncio.to_thread(summed.update, chunk)
    return summed.hexdigest()


async def chunks_of(content: Input) -> AsyncGenerator[bytes]:
    """Yield content in chunks; bytes are one.

    Raises:
        OSError: it cannot be read.
    """
    if isinstance(content, bytes):
        yield content
        return
    async with aclosing(content.chunks()) as chunks:
        async for chunk in chunks:
            yield chunk


async def whole(content: Input) -> bytes:
    """Return all content as bytes.

    Raises:
        OSError: it cannot be read.
    """
    if isinstance(content, bytes):
        return content
    return b"".join([chunk async for chunk in content.chunks()])
