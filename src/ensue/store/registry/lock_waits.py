"""How the stores of a project wait for other processes that have locked them.

SQLite waits inside a single call, which nothing can end, and so does the kernel for a locked file. So each
call waits only for a moment, and is repeated (`waiting_connection`, `LockWaits.lock`) until the lock is free,
until `LIMIT_S` has passed, or until `LockWaits.end`.
"""

from __future__ import annotations

import fcntl
import logging
import threading
import time
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

_logger = logging.getLogger(__name__)

LIMIT_S: Final = 60.0
"""How long a store waits for other writers; each takes milliseconds, so this is a queue of thousands."""

MOMENT_S: Final = 0.2
"""How long a single call of SQLite waits, and so how long `LockWaits.end` takes to have an effect."""

_FIRST_PAUSE_S: Final = 0.001
"""The pause after the first attempt to lock a file, which is locked for a millisecond at a time."""

NOTICE_S: Final = 1.0
"""After this time the user is told what is waited for."""


class LockWaits:
    """The waits of one project's stores; any thread may call."""

    def __init__(self) -> None:
        self._ended = threading.Event()

    def end(self) -> None:
        """End every wait with a `StoreError`, now and from now on; what needs no wait still succeeds."""
        self._ended.set()

    def begin(self, path: Path) -> Wait:
        """Return a wait for the lock of a file."""
        return Wait(path, self._ended)

    def lock(self, descriptor: int, path: Path, operation: int = fcntl.LOCK_EX) -> None:
        """Lock an open file or folder with `flock`; closing it unlocks it.

        Args:
            descriptor: it.
            path: where it is, for messages.
            operation: `LOCK_EX` or `LOCK_SH`.

        Raises:
            StoreError: waits were ended, or another process has had it locked for `LIMIT_S`.
            OSError: it cannot be locked.
        """
        wait, pause_s = self.begin(path), _FIRST_PAUSE_S
        while True:
            try:
                fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
            except BlockingIOError:
                if not wait.goes_on():
                    held = f"another process has had it locked for {LIMIT_S:g} s"
                    raise StoreError(f"{path}: {held} (end that process; nothing was changed)") from None
                self._ended.wait(pause_s)
                pause_s = min(2 * pause_s, MOMENT_S)
            else:
                return


class Wait:
    """One wait for the lock of a file.

    Args:
        path: the file.
        ended: set when waits are to end.
    """

    def __init__(self, path: Path, ended: threading.Event) -> None:
        self._path = path
        self._ended = ended
        self._began_s = time.monotonic()
        self._has_noticed = False

    def goes_on(self) -> bool:
        """Return whether to try again; False after `LIMIT_S`.

        Raises:
            StoreError: waits were ended.
        """
        if self._ended.is_set():
            msg = f"{self._path}: interrupted; another process has it locked (nothing was changed)"
            raise StoreError(msg)
        waited_s = time.monotonic() - self._began_s
        if waited_s >= NOTICE_S and not self._has_noticed:
            self._has_noticed = True
            _logger.warning("%s: waiting for another process, which has it locked", self._path)
        return waited_s < LIMIT_S
