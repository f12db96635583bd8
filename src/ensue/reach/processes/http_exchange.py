"""One exchange with an HTTP server, with a deadline for the whole of it.

The standard library limits only how long a server may be silent. A server that sends a byte now and then
would hold an exchange for ever, and a thread that waits for it cannot be cancelled. Here the connection is
broken off at the deadline, and when the caller is cancelled.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ensue.reach.processes.daemon_thread import in_daemon_thread

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from urllib.request import Request

T = TypeVar("T")


class HttpExchange:
    """An exchange in a thread, which another thread can break off."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._is_over = False

    def open(self, request: Request | str, *, silence_s: float, tls: ssl.SSLContext | None = None) -> Any:
        """Send a request, and return the response as `urllib.request.urlopen` does.

        Args:
            request: the request, or the URL; its scheme has been checked.
            silence_s: how long the server may be silent.
            tls: how the server is authenticated; None: in the usual way.

        Raises:
            OSError: the server cannot be reached, is silent, or the exchange has been broken off.
        """
        import http.client
        from urllib.request import HTTPHandler, HTTPSHandler, build_opener

        exchange = self

        class Plain(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                exchange._hold(self.sock)

        class Secure(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                exchange._hold(self.sock)

        class PlainHandler(HTTPHandler):
            def http_open(self, req: Request) -> Any:
                return self.do_open(Plain, req)

        class SecureHandler(HTTPSHandler):
            def https_open(self, req: Request) -> Any:
                return self.do_open(Secure, req, context=tls)

        return build_opener(PlainHandler, SecureHandler).open(request, timeout=silence_s)

    def break_off(self) -> None:
        """End the exchange: reading and writing fail from now on."""
        self._is_over = True
        for socket_ in self._sockets:
            with suppress(OSError):
                socket_.shutdown(socket.SHUT_RDWR)

    def _hold(self, socket_: socket.socket) -> None:
        self._sockets.append(socket_)
        if self._is_over:
            self.break_off()


async def exchanged(work: Callable[[HttpExchange], T], *, total_s: float) -> T:
    """Do an exchange in a thread and return what it comes to.

    Args:
        work: does the exchange; called in the thread.
        total_s: the deadline, in seconds from now.

    Raises:
        TimeoutError: the exchange was broken off at the deadline.
        OSError: what `work` raises.
    """
    exchange = HttpExchange()
    limit = asyncio.timeout(total_s)
    try:
        async with limit:
            result: T = await in_daemon_thread(lambda: work(exchange))
            return result
    except TimeoutError:
        if not limit.expired():
            raise
        raise TimeoutError(f"timed out: the response did not end within {total_s:g} s") from None
    finally:
        exchange.break_off()
