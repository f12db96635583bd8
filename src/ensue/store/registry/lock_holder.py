"""Who holds a lock, as its holder notes it down for the messages of others."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.this_user import this_user

if TYPE_CHECKING:
    from datetime import datetime

_LONGEST_COMMAND: Final = 1000


class LockHolder(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds a lock.

    Args:
        pid: the process, 0 when unknown.
        user: the user who started it.
        host: the name of its machine.
        since: ISO 8601 with offset.
        command: the command that holds it (`ensue apply web`), without arguments that may hold secrets.
    """

    pid: int = 0
    user: str = ""
    host: str = ""
    since: str = ""
    command: str = ""

    def __str__(self) -> str:
        """Describe the holder: `ensue apply web (process 4711 of bob on m1, since 2026-11-20T23:59Z)`."""
        if not self.pid:
            return "another process"
        return (
            f"{self.command or 'a command'}"
            f" (process {self.pid} of {self.user} on {self.host}, since {self.since})"
        )

    @property
    def is_gone(self) -> bool:
        """Whether it was a process of this machine that does not run any more."""
        if self.host != socket.gethostname():
            return False
        try:
            with suppress(PermissionError, OverflowError):
                os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        return False


def this_process(command: str, now: datetime) -> LockHolder:
    """Return this process as a holder.

    Args:
        command: the command that takes the lock, without arguments that may hold secrets.
        now: the moment, with its offset.
    """
    return LockHolder(
        pid=os.getpid(),
        user=this_user(),
        host=socket.gethostname(),
        since=now.isoformat(timespec="seconds"),
        command=command[:_LONGEST_COMMAND],
    )


def read_holder(note: bytes | str) -> LockHolder:
    """Return the holder that a note names; one that is not known if the note cannot be read."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode(note, type=LockHolder)
    return LockHolder()
