"""The session of an SFTP server: sends requests in batches, and matches answers to requests.

All requests of one iteration of the event loop are sent in one SSH packet: twenty states that each look at a
file need one packet, whereas asyncssh's own client sends two per request. Packets are most of the cost of a
small file (`make bench BENCH_ARGS="--only ssh-files"`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import asyncssh

from ensue.reach.resources.ssh_host.sftp_messages import (
    VERSION,
    SftpError,
    SftpMessageKind,
    SftpReply,
    Status,
    message,
    uint32,
)

if TYPE_CHECKING:
    from asyncio import Future

_LONGEST_MESSAGE_BYTES: Final = 4 << 20
_HEAD_BYTES: Final = 9
_LENGTH_BYTES: Final = 4


class SftpLostError(ConnectionError):
    """The session ended before an answer arrived."""


class SftpSession(asyncssh.SSHClientSession[bytes]):
    """One SFTP session; only asyncssh may call its callbacks."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None
        self._waiting: dict[int, tuple[SftpMessageKind, Future[SftpReply]]] = {}
        self._outgoing: list[bytes] = []
        self._arrived = bytearray()
        self._number = 0
        self._lost: Exception | None = None
        self._version: Future[frozenset[bytes]] = self._loop.create_future()

    async def start(self) -> frozenset[bytes]:
        """Agree on the version and return the names of the server's extensions.

        Raises:
            SftpError: the other side is not an SFTP server.
            SftpLostError: the session ended instead.
        """
        body = bytes([SftpMessageKind.INIT]) + uint32(VERSION)
        self._outgoing.append(uint32(len(body)) + body)
        self._flush()
        return await self._version

    def ask(
        self, kind: SftpMessageKind, body: bytes, *, answer: SftpMessageKind = SftpMessageKind.STATUS
    ) -> Future[SftpReply]:
        """Send a request with the others of this iteration of the event loop.

        Args:
            kind: the kind of request.
            body: the request without length, kind and number.
            answer: the kind of a successful answer; `STATUS` for one without content.

        Returns:
            A future answer: `SftpError` if the request failed, `SftpLostError` if the session ended.
        """
        asked: Future[SftpReply] = self._loop.create_future()
        if self._lost is not None:
            _fail(asked, self._lost)
            return asked
        self._number = (self._number + 1) & 0xFFFFFFFF
        self._waiting[self._number] = (answer, asked)
        if not self._outgoing:
            self._loop.call_soon(self._flush)
        self._outgoing.append(message(kind, self._number, body))
        return asked

    def close(self) -> None:
        """End the session."""
        if self._channel is not None:
            self._channel.close()

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        """Keep the channel."""
        self._channel = chan

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        """Process the complete messages that have arrived."""
        if datatype is not None or self._lost is not None:
            return  # A server's error output is not part of the protocol.
        self._arrived += data
        try:
            self._take_messages()
        except SftpError as fault:
            self._lose(fault)
            self.close()

    def eof_received(self) -> bool:
        """End the session."""
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail all pending requests."""
        lost = SftpLostError("the SFTP session ended")
        lost.__cause__ = exc
        self._lose(lost)

    def _flush(self) -> None:
        outgoing, self._outgoing = b"".join(self._outgoing), []
        if self._channel is not None and self._lost is None:
            try:
                self._channel.write(outgoing)  # pyright: ignore[reportUnknownMemberType]  # asyncssh leaves it open
            except BrokenPipeError as fault:
                self.connection_lost(fault)

    def _take_messages(self) -> None:
        arrived, at = self._arrived, 0
        while len(arrived) - at >= _HEAD_BYTES:
            size_bytes = int.from_bytes(arrived[at : at + _LENGTH_BYTES])
            if not _HEAD_BYTES - _LENGTH_BYTES <= size_bytes <= _LONGEST_MESSAGE_BYTES:
                raise SftpError(Status.BAD_MESSAGE, "the server sent a message of an impossible length")
            end = at + _LENGTH_BYTES + size_bytes
            if len(arrived) < end:
                break
            number = int.from_bytes(arrived[at + _HEAD_BYTES - 4 : at + _HEAD_BYTES])
            self._answer(arrived[at + _LENGTH_BYTES], number, bytes(arrived[at + _HEAD_BYTES : end]))
            at = end
        del arrived[:at]

    def _answer(self, kind: int, number: int, body: bytes) -> None:
        reply = SftpReply(body)
        if not self._version.done():
            if kind != SftpMessageKind.VERSION or number < VERSION:
                raise SftpError(Status.BAD_MESSAGE, "what answers is no SFTP server")
            self._version.set_result(reply.extensions())
            return
        expected, asked = self._waiting.pop(number, (None, None))
        if asked is None:
            raise SftpError(Status.BAD_MESSAGE, "the server answers what nobody asked")
        if asked.done():
            return  # The caller no longer waits.
        fault = reply.failure() if kind == SftpMessageKind.STATUS else None
        if fault is None and kind != expected:
            fault = SftpError(Status.BAD_MESSAGE, "the server answers something else than was asked")
        if fault is not None:
            _fail(asked, fault)
        else:
            asked.set_result(reply)

    def _lose(self, fault: Exception) -> None:
        if self._lost is None:
            self._lost = fault
        waiting, self._waiting = self._waiting, {}
        if not self._version.done():
            _fail(self._version, fault)
        for _, asked in waiting.values():
            if not asked.done():
                _fail(asked, fault)


def _fail(asked: Future[Any], fault: Exception) -> None:
    """Fail a pending request; asyncio need not report it if nobody awaits it."""
    asked.set_exception(fault)
    asked.exception()
