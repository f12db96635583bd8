"""What a minion keeps of one job: a folder, with the messages that the coordinator has sent.

`relay` loads this file on the minion as a part of its program, so that nothing here imports ensue or anything
beside the standard library. Nothing here knows keys: messages are kept as they come, sealed.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

KEEP_JOBS = 1000
"""How many of its last jobs a minion remembers."""

MOST_MESSAGES = 10_000
"""How many messages may wait for ensue in one job."""


class JobFolder:
    """The folder of one job.

    Args:
        base: the folder that ensue has on this minion.
        jid: the job.
    """

    def __init__(self, base: Path, jid: str) -> None:
        self.path = base / "jobs" / Path(jid).name
        self._inbox = self.path / "inbox"
        self._bell = self.path / "bell"

    def claimed(self) -> bool:
        """Record the job; return False if that was done before, so that no job runs twice."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self.path.mkdir(mode=0o700)
        except FileExistsError:
            return False
        self._inbox.mkdir(mode=0o700)
        os.mkfifo(self._bell, 0o600)
        forget_old(self.path.parent, KEEP_JOBS)
        return True

    def listening(self) -> int:
        """Return a descriptor that becomes readable when a message has come."""
        # Open for both, it never reports the end of the file.
        return os.open(self._bell, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def put(self, name: str, content: bytes) -> str:
        """Keep a message, and wake the process that runs the job; return why that was not possible.

        Args:
            name: its place in the order of messages.
            content: the message.
        """
        try:
            bell = os.open(self._bell, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno in {errno.ENXIO, errno.ENOENT}:
                return "it does not run this job"
            raise
        try:
            if sum(1 for _ in self._inbox.iterdir()) >= MOST_MESSAGES:
                return f"{MOST_MESSAGES} messages are waiting"
            _written(self._inbox / Path(name).name, content)
            os.write(bell, b"\n")
        except (BlockingIOError, BrokenPipeError):
            pass  # It has been woken often enough, or it has just ended.
        finally:
            os.close(bell)
        return ""

    def taken(self, listening: int) -> list[tuple[str, bytes]]:
        """Return the messages that have come, by name, and remove them.

        Args:
            listening: the descriptor of `listening`.
        """
        try:
            while os.read(listening, 4096):
                pass
        except BlockingIOError:
            pass
        messages: list[tuple[str, bytes]] = []
        for path in sorted(self._inbox.iterdir()):
            if not path.name.startswith("."):
                messages.append((path.name, path.read_bytes()))
                path.unlink()
        return messages


def forget_old(parent: Path, keep: int) -> None:
    """Remove the entries of a folder that were used longest ago."""
    entries = sorted(
        (entry for entry in parent.iterdir() if not entry.name.startswith(".")),
        key=lambda entry: entry.stat().st_mtime,
        reverse=True,
    )
    for old in entries[keep:]:
        shutil.rmtree(old, ignore_errors=True)


def _written(path: Path, content: bytes) -> None:
    """Write a private file, complete or not at all."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 -- of a descriptor
            file.write(content)
        scratch.rename(path)
    except OSError:
        scratch.unlink(missing_ok=True)
        raise
