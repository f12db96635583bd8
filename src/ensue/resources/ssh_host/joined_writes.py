"""A TCP connection whose writes of one turn of the event loop leave together.

asyncssh hands each packet to the socket by itself, and puts an empty one before each. On the way to a host
next door a system call costs more than what is in it, on both sides.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable


class JoinedTransport(asyncio.Transport):
    """A transport that gathers what is written and passes it on once per turn of the event loop.

    Args:
        below: the transport of the socket.
    """

    def __init__(self, below: asyncio.Transport) -> None:
        super().__init__()
        self._below = below
        self._loop = asyncio.get_running_loop()
        self._gathered: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send later in this turn, with what else there is by then."""
        if not self._gathered:
            self._loop.call_soon(self._send)
        self._gathered.append(bytes(data))

    def close(self) -> None:
        """Send what was gathered, and close."""
        self._send()
        self._below.close()

    def abort(self) -> None:
        """Drop what was gathered, and close at once."""
        self._gathered = []
        self._below.abort()

    def is_closing(self) -> bool:
        """Say whether the connection is closed or about to be."""
        return self._below.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what the socket's transport knows of itself."""
        return self._below.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Read nothing for a while."""
        self._below.pause_reading()

    def resume_reading(self) -> None:
        """Read again."""
        self._below.resume_reading()

    def get_write_buffer_size(self) -> int:
        """Return how many bytes wait."""
        return self._below.get_write_buffer_size() + sum(map(len, self._gathered))

    def _send(self) -> None:
        gathered, self._gathered = self._gathered, []
        if gathered and not self._below.is_closing():
            self._below.write(b"".join(gathered))


class Joining:
    """Connects as asyncssh's `tunnel` does, but straight to the host."""

    async def create_connection(
        self, session_factory: Callable[[], asyncio.Protocol], remote_host: str, remote_port: int
    ) -> tuple[asyncio.BaseTransport, asyncio.Protocol]:
        """Connect, and put a `JoinedTransport` under a protocol.

        Args:
            session_factory: makes the protocol.
            remote_host: name or address.
            remote_port: TCP port.

        Raises:
            OSError: no connection.
        """
        protocol = session_factory()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(lambda: _Handover(protocol), remote_host, remote_port)
        return transport, protocol


class _Handover(asyncio.Protocol):
    """Gives the connection to another protocol as soon as it is made."""

    def __init__(self, protocol: asyncio.Protocol) -> None:
        self._protocol = protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        socket_transport = cast("asyncio.Transport", transport)
        socket_transport.set_protocol(self._protocol)
        self._protocol.connection_made(JoinedTransport(socket_transport))
