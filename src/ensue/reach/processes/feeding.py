"""Feeds a command its input as fast as it reads, in bounded memory.

The owner of the pipe or channel reports when it is full, has room again, or is no longer read.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from ensue.core.errors import CommandInputError, RemoteError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.content import Input

_PIECE_BYTES: Final = 1 << 17
"""The most that is written at once."""


class Feed:
    """The input of one command."""

    def __init__(self) -> None:
        self._free: asyncio.Future[None] | None = None
        self._is_over = False

    def pause(self) -> None:
        """Stop until `resume`: the pipe or channel is full."""
        if self._free is None and not self._is_over:
            self._free = asyncio.get_running_loop().create_future()

    def resume(self) -> None:
        """Continue: there is room again."""
        free, self._free = self._free, None
        if free is not None:
            resolve(free)

    def stop(self) -> None:
        """Give up: nobody reads the input, or the command has ended."""
        self._is_over = True
        self.resume()

    async def give(self, content: Input, write: Callable[[bytes], object]) -> None:
        """Write all of an input, or as much as is read.

        Args:
            content: the input.
            write: writes to the pipe or channel, at once.

        Raises:
            CommandInputError: it cannot be read.
        """
        if isinstance(content, bytes):
            if content:
                write(content)
            return
        try:
            async with aclosing(content.chunks()) as chunks:
                async for chunk in chunks:
                    for start in range(0, len(chunk), _PIECE_BYTES):
                        if self._is_over:
                            return
                        write(chunk[start : start + _PIECE_BYTES])
                        # Other tasks run after each piece, even if sending it takes work.
                        await (asyncio.sleep(0) if self._free is None else self._free)
        except RemoteError:
            raise  # A chunk that comes from a target; the error names it.
        except BrokenPipeError:
            return  # The command has its reasons not to read it.
        except OSError as fault:
            raise CommandInputError(fault) from fault


def resolve(future: asyncio.Future[None]) -> None:
    """End a wait that may have ended, or been cancelled, before."""
    if not future.done():
        future.set_result(None)
