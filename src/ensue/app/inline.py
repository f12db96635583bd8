"""Work that is done on the event loop's own thread when it turns out not to wait for the loop.

A template may call functions that the event loop has to run; therefore templates are rendered in threads
beside it, save those blocks of which `language/blocks/brief.py` says that they only print variables. What
would have to wait for the loop nonetheless gives up before it has done anything, and then everything is done
anew in a thread.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


class NeedsThread(BaseException):
    """What is being done cannot be done on the event loop's thread.

    It is no error but a request, which no `except Exception` on the way is to take.
    """


class InlineWork:
    """Whether work is being done on the loop's thread, and by whom."""

    def __init__(self) -> None:
        self._thread: int | None = None

    @contextlib.contextmanager
    def going_on(self) -> Generator[None]:
        """Do work in this thread that must not wait for the event loop."""
        self._thread = threading.get_ident()
        try:
            yield
        finally:
            self._thread = None

    def give_up(self) -> None:
        """Be called before anything that waits for the event loop.

        Raises:
            NeedsThread: such work is going on in this thread.
        """
        if self._thread is not None and self._thread == threading.get_ident():
            raise NeedsThread
