"""What a file is to hold: bytes, or content too long for the memory, which is read in chunks.

What writes takes both. Only what is needed whole anyway (a template, the text of a diff) is made whole.
What a command reads from its standard input may come in chunks too.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from typing import BinaryIO


class Chunked(Protocol):
    """Bytes that are read in chunks, any number of times; nobody need know how many there are."""

    def chunks(self) -> AsyncGenerator[bytes]:
        """Yield them from the beginning, in parts of about a megabyte; each call starts again.

        Raises:
            OSError: they cannot be read, or are not what they were.
        """
        ...


class LongContent(Chunked, Protocol):
    """Content of which size and checksum are known, and which can be read any number of times."""

    @property
    def size_bytes(self) -> int:
        """Its size."""
        ...

    @property
    def sha256(self) -> str:
        """The SHA-256 of all of it, as hex."""
        ...


class FileContent(LongContent, Protocol):
    """Long content that is in a file of this machine."""

    def open(self) -> BinaryIO:
        """Open it for reading at any place. Opening and reading block: do both in a thread.

        Raises:
            OSError: it cannot be read, or is not what it was; reading raises this too.
        """
        ...


Content: TypeAlias = bytes | LongContent
"""What is written; short content is bytes."""

SourceContent: TypeAlias = bytes | FileContent
"""What a source holds; a long one is in a file."""

Input: TypeAlias = bytes | Chunked
"""What a command reads from its standard input."""


def size_of(content: Content) -> int:
    """Return the size of content in bytes."""
    return len(content) if isinstance(content, bytes) else content.size_bytes


def sha256_of(content: Content) -> str:
    """Return the SHA-256 of content as hex."""
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else content.sha256


async def digest_of(content: Content, kind: str) -> str:
    """Return another digest of content as hex; long content is read for it.

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
    """Return the digest of all chunks together as hex; they are closed then.

    Args:
        chunks: what is read to its end.
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
    """Return all of it, for what cannot do with less.

    Raises:
        OSError: it cannot be read.
    """
    if isinstance(content, bytes):
        return content
    return b"".join([chunk async for chunk in content.chunks()])
