"""The requests of SFTP, one method each, and reading and writing whole files in few round trips."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.content import chunks_of
from ensue.reach.resources.ssh_host.sftp_messages import (
    FSYNC,
    LSETSTAT,
    POSIX_RENAME,
    OpenFlag,
    SftpAttributes,
    SftpError,
    SftpMessageKind,
    Status,
    path_bytes,
    string,
    uint32,
    uint64,
)

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import AsyncGenerator

    from ensue.core.contracts.content import Content
    from ensue.reach.resources.ssh_host.sftp_messages import SftpEntry, SftpReply
    from ensue.reach.resources.ssh_host.sftp_session import SftpSession

PART_BYTES: Final = 1 << 15
"""The size of one read or write; the protocol requires every server to accept it."""

_MOST_PARTS: Final = 32
"""The most parts of one file that are in transit at once."""

_GROUP_BYTES: Final = PART_BYTES * 4
_MOST_GROUPS: Final = _MOST_PARTS // 4

_PRIVATE_MODE: Final = 0o600


class SftpClient:
    """The requests of one session; all raise `SftpError`, or `SftpLostError` when the session ended.

    Args:
        session: the session, started.
        extensions: the server's.
        is_openssh: whether it takes the arguments of `SYMLINK` in OpenSSH's order, which is not the draft's.
    """

    def __init__(self, session: SftpSession, extensions: frozenset[bytes], *, is_openssh: bool) -> None:
        self._session = session
        self._extensions = extensions
        self._is_openssh = is_openssh

    def close(self) -> None:
        """End the session."""
        self._session.close()

    async def stat(self, path: str) -> SftpAttributes:
        """Return what is at a path; symlinks are followed."""
        return (
            await self._ask(SftpMessageKind.STAT, path_bytes(path), answer=SftpMessageKind.ATTRS)
        ).attributes()

    async def lstat(self, path: str) -> SftpAttributes:
        """Return what is at a path; a symlink at its end is not followed."""
        return (
            await self._ask(SftpMessageKind.LSTAT, path_bytes(path), answer=SftpMessageKind.ATTRS)
        ).attributes()

    async def realpath(self, path: str) -> str:
        """Return a path without symlinks and dots."""
        return (
            await self._ask(SftpMessageKind.REALPATH, path_bytes(path), answer=SftpMessageKind.NAME)
        ).one_path()

    async def readlink(self, path: str) -> str:
        """Return what a symlink points to."""
        return (
            await self._ask(SftpMessageKind.READLINK, path_bytes(path), answer=SftpMessageKind.NAME)
        ).one_path()

    async def remove(self, path: str) -> None:
        """Remove a file or symlink."""
        await self._ask(SftpMessageKind.REMOVE, path_bytes(path))

    async def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        await self._ask(SftpMessageKind.RMDIR, path_bytes(path))

    async def mkdir(self, path: str, mode: int) -> None:
        """Create a folder; the server's umask restricts the mode."""
        await self._ask(SftpMessageKind.MKDIR, path_bytes(path) + SftpAttributes(permissions=mode).encoded())

    async def symlink(self, target: str, path: str) -> None:
        """Create a symlink at `path` that points to `target`."""
        names = [path_bytes(path), path_bytes(target)]
        await self._ask(SftpMessageKind.SYMLINK, b"".join(reversed(names) if self._is_openssh else names))

    async def rename(self, source: str, target: str) -> None:
        """Move a file and replace what is there, in one step."""
        await self._extended(POSIX_RENAME, path_bytes(source) + path_bytes(target))

    async def set_attributes(self, path: str, attributes: SftpAttributes, *, follow: bool = True) -> None:
        """Set the given attributes of a path."""
        if follow:
            await self._ask(SftpMessageKind.SETSTAT, path_bytes(path) + attributes.encoded())
        else:
            await self._extended(LSETSTAT, path_bytes(path) + attributes.encoded())

    async def entries(self, path: str) -> AsyncGenerator[SftpEntry]:
        """Yield the names in a folder, as they arrive."""
        handle = await self._handle(SftpMessageKind.OPENDIR, path_bytes(path))
        try:
            while True:
                try:
                    reply = await self._ask(SftpMessageKind.READDIR, handle, answer=SftpMessageKind.NAME)
                except SftpError as fault:
                    if fault.code == Status.EOF:
                        return
                    raise
                for entry in reply.entries():
                    yield entry
        finally:
            self._close_unwatched(handle)

    async def content(self, path: str, size_bytes: int, *, at: int = 0) -> bytes:
        """Return bytes of a file, fewer if it ends earlier.

        Args:
            path: a regular file: opening a pipe would wait for its other end.
            size_bytes: how many; up to a megabyte takes two round trips.
            at: where they begin.
        """
        flags = uint32(OpenFlag.READ) + SftpAttributes().encoded()
        handle = await self._handle(SftpMessageKind.OPEN, path_bytes(path) + flags)
        content = bytearray()
        try:
            while len(content) < size_bytes:
                parts = await self._parts(handle, at + len(content), at + size_bytes)
                if not parts:
                    break
                content += parts
        finally:
            self._close_unwatched(handle)
        return bytes(content)

    async def content_to_its_end(self, path: str, most_bytes: int) -> bytes:
        """Return the content of a file of unknown size, up to a limit.

        It is read one part after the other.
        """
        flags = uint32(OpenFlag.READ) + SftpAttributes().encoded()
        handle = await self._handle(SftpMessageKind.OPEN, path_bytes(path) + flags)
        content = bytearray()
        try:
            while part := await self._part(handle, len(content), min(PART_BYTES, most_bytes - len(content))):
                content += part
                if len(content) >= most_bytes:
                    break
        finally:
            self._close_unwatched(handle)
        return bytes(content[:most_bytes])

    async def create(self, path: str, content: Content, *, mode: int | None) -> SftpAttributes:
        """Write a new file, flush it to disk if the server can, and return its attributes.

        Args:
            path: its path, where nothing may exist yet. At first, only its owner can read it.
            content: its content; up to a megabyte takes two round trips.
            mode: the permission bits that it gets with its content; None: only its owner can read it.
        """
        flags = uint32(OpenFlag.WRITE | OpenFlag.CREATE | OpenFlag.EXCLUSIVE)
        private = SftpAttributes(permissions=_PRIVATE_MODE).encoded()
        handle = await self._handle(SftpMessageKind.OPEN, path_bytes(path) + flags + private)
        try:
            asked = await self._all_but_last(handle, content)
        except BaseException:
            self._close_unwatched(handle)
            raise
        if FSYNC in self._extensions:
            asked.append(self._session.ask(SftpMessageKind.EXTENDED, string(FSYNC) + handle))
        if mode is not None:
            asked.append(
                self._session.ask(
                    SftpMessageKind.FSETSTAT, handle + SftpAttributes(permissions=mode).encoded()
                )
            )
        asked.append(self._session.ask(SftpMessageKind.FSTAT, handle, answer=SftpMessageKind.ATTRS))
        asked.append(self._session.ask(SftpMessageKind.CLOSE, handle))
        replies = await asyncio.gather(*asked)
        return replies[-2].attributes()

    async def _all_but_last(self, handle: bytes, content: Content) -> list[Future[SftpReply]]:
        """Write content up to its last few groups of parts; return the pending requests of those.

        A group is sent as the answers to the one before arrive, so that neither side has to handle bursts.
        """
        asked: deque[list[Future[SftpReply]]] = deque()
        at = 0
        async with aclosing(chunks_of(content)) as chunks:
            async for chunk in chunks:
                for start in range(0, len(chunk), _GROUP_BYTES):
                    if len(asked) == _MOST_GROUPS:
                        await asyncio.gather(*asked.popleft())
                    asked.append(self._written(handle, chunk[start : start + _GROUP_BYTES], at + start))
                at += len(chunk)
        return [reply for group in asked for reply in group]

    async def _handle(self, kind: SftpMessageKind, body: bytes) -> bytes:
        """Open a file or folder; return its handle, encoded for requests."""
        return string((await self._ask(kind, body, answer=SftpMessageKind.HANDLE)).string())

    def _close_unwatched(self, handle: bytes) -> None:
        """Close a handle that was only read or is given up; the answer is ignored."""
        self._session.ask(SftpMessageKind.CLOSE, handle).add_done_callback(_seen)

    async def _parts(self, handle: bytes, start: int, end: int) -> bytes:
        """Read parts concurrently, and return their content up to the first incomplete one."""
        end = min(end, start + PART_BYTES * _MOST_PARTS)
        sizes = [(at, min(PART_BYTES, end - at)) for at in range(start, end, PART_BYTES)]
        parts = await asyncio.gather(*(self._part(handle, at, size_bytes) for at, size_bytes in sizes))
        whole = bytearray()
        for part, (_, size_bytes) in zip(parts, sizes, strict=True):
            whole += part[:size_bytes]
            if len(part) < size_bytes:
                break
        return bytes(whole)

    async def _part(self, handle: bytes, at: int, size_bytes: int) -> bytes:
        try:
            body = handle + uint64(at) + uint32(size_bytes)
            return (await self._ask(SftpMessageKind.READ, body, answer=SftpMessageKind.DATA)).string()
        except SftpError as fault:
            if fault.code == Status.EOF:
                return b""
            raise

    def _written(self, handle: bytes, content: bytes, start: int) -> list[Future[SftpReply]]:
        """Send requests to write content at an offset, part by part."""
        return [
            self._session.ask(
                SftpMessageKind.WRITE, handle + uint64(start + at) + string(content[at : at + PART_BYTES])
            )
            for at in range(0, len(content), PART_BYTES)
        ]

    async def _extended(self, extension: bytes, body: bytes) -> None:
        if extension not in self._extensions:
            raise SftpError(Status.OP_UNSUPPORTED, f"the server has no {extension.decode()}")
        await self._ask(SftpMessageKind.EXTENDED, string(extension) + body)

    async def _ask(
        self, kind: SftpMessageKind, body: bytes, *, answer: SftpMessageKind = SftpMessageKind.STATUS
    ) -> SftpReply:
        return await self._session.ask(kind, body, answer=answer)


def _seen(closed: Future[SftpReply]) -> None:
    """Retrieve the result of a request whose failure does not matter."""
    if not closed.cancelled():
        closed.exception()
