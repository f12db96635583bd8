"""Work that runs on the event loop's thread as long as it does not wait for the loop.

A template may call functions that the event loop has to run. Therefore templates are rendered in threads,
except for blocks that only print variables (`language/blocks/inline_blocks.py`). If such a block would have
to wait for the loop nonetheless, it gives up before it has done anything, and is rendered again in a thread.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


class NeedsThread(BaseException):
    """The current work cannot be done on the event loop's thread.

    This is a request and not an error, so `except Exception` must not catch it.
    """


class InlineWork:
    """Whether inline work is going on, and in which thread."""

    def __init__(self) -> None:
        self._thread: int | None = None

    @contextlib.contextmanager
    def going_on(self) -> Generator[None]:
        """Mark the work in this thread as work that must not wait for the event loop."""
        self._thread = threading.get_ident()
        try:
            yield
        finally:
            self._thread = None

    def give_up(self) -> None:
        """Give up inline work; call this before anything that waits for the event loop.

        Raises:
            NeedsThread: inline work is going on in this thread.
        """
        if self._thread is not None and self._thread == threading.get_ident():
            raise NeedsThread
