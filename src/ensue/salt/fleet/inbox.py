"""What the coordinator of a fleet sends to this process while a job runs: one message per line of stdin."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.salt.fleet.frames import read_message

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    Handler: TypeAlias = Callable[[Any], None]

LONGEST_LINE_BYTES: Final = 256 << 20
"""The longest order or message; an order has the whole pillar of a minion."""


class Inbox:
    """Reads messages, and gives each to the handler of its kind.

    Args:
        reader: where lines come from.
        on_unknown: called with a warning about a message that nobody reads, once for each kind.
    """

    def __init__(self, reader: asyncio.StreamReader, on_unknown: Callable[[Diagnostic], None]) -> None:
        self._reader = reader
        self._on_unknown = on_unknown
        self._handlers: dict[str, Handler] = {}
        self._reported: set[str] = set()

    def on(self, kind: str, handler: Handler) -> None:
        """Give messages of a kind to a handler, which gets their content and checks its form.

        Args:
            kind: the kind.
            handler: called in the event loop; it does not wait. A `ValueError` of it is reported as a
                message that cannot be read.
        """
        self._handlers[kind] = handler

    async def listen(self) -> None:
        """Dispatch messages until no more can come."""
        while line := await self._reader.readline():
            self._dispatch(line)

    def _dispatch(self, line: bytes) -> None:
        kind = ""
        try:
            message = read_message(line)
            kind = message.kind
            handler = self._handlers.get(kind)
            if handler is not None:
                handler(message.content)
                return
            problem = f"a message of the kind {kind!r}, which it does not know"
        except (ValueError, RecursionError) as error:
            problem = f"a message that cannot be read: {error}"
        if kind not in self._reported:
            self._reported.add(kind)
            self._on_unknown(_ignored(problem))


async def stdin_lines(stdin: IO[bytes]) -> asyncio.StreamReader:
    """Return a reader of the lines that the relay writes."""
    reader = asyncio.StreamReader(limit=LONGEST_LINE_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdin)
    return reader


def _ignored(problem: str) -> Diagnostic:
    return Diagnostic(
        code="E0878",
        summary=f"the coordinator sent {problem}",
        detail="it was ignored",
        help="make sure that the coordinator and this minion run the same ensue",
        severity=Severity.WARNING,
    )
