"""What a minion keeps of one job: a folder, with the frames it has sent and the messages that have come.

`relay` loads this file on the minion as a part of its program, so that nothing here imports ensue or anything
beside the standard library. Nothing here knows keys: frames and messages are sealed before they are kept.

A job belongs to the process that holds its lock. Its frames are kept before they are sent, and until the
coordinator has acknowledged them, so that none is lost with the process, the master or the coordinator.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

KEEP_JOBS = 1000
"""How many of its last jobs a minion remembers."""

KEEP_FRAMES_S = 7 * 86400
"""How long frames are kept that nobody acknowledges, after the last of their job."""

MOST_KEPT_BYTES = 96 << 20
"""The most that the frames of one job may take; the coordinator accepts 64 MiB, before they become text."""

MOST_MESSAGES = 10_000
"""How many messages may wait for ensue in one job."""


class JobFolder:
    """The folder of one job.

    Args:
        base: the folder that ensue has on this minion.
        jid: the job.

    Attributes:
        run: has the id of the minion's own run, which ensue writes.
    """

    def __init__(self, base: Path, jid: str) -> None:
        self.path = base / "jobs" / Path(jid).name
        self.run = self.path / "run"
        self._frames = self.path / "frames"
        self._inbox = self.path / "inbox"
        self._bell = self.path / "bell"
        self._ended = self.path / "ended"
        self._kept_bytes = 0
        self._lock = -1

    def claimed(self) -> bool:
        """Record the job; return False if that was done before, so that no job runs twice."""
        jobs = self.path.parent
        jobs.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.path.exists():
            return False
        scratch = jobs / f".{self.path.name}.{os.getpid()}"
        shutil.rmtree(scratch, ignore_errors=True)
        for folder in (scratch, scratch / self._frames.name, scratch / self._inbox.name):
            folder.mkdir(mode=0o700)
        os.mkfifo(scratch / self._bell.name, 0o600)
        try:
            # Complete or not at all: it fails if another process was quicker, whose folder is not empty.
            scratch.rename(self.path)
        except OSError as error:
            shutil.rmtree(scratch, ignore_errors=True)
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST}:
                return False
            raise
        forget_jobs(jobs)
        return True

    def locked(self) -> bool:
        """Take the job, until this process ends; return False if another process has it."""
        self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.unlock()
            return False
        self._kept_bytes = sum(path.stat().st_size for path in self._kept())
        return True

    def unlock(self) -> None:
        """Give the job back."""
        os.close(self._lock)
        self._lock = -1

    def keep(self, frames: list[dict[str, Any]], *, is_last: bool = False) -> str:
        """Keep the frames of one message, all or none; return why there is no room for them.

        Args:
            frames: the frames.
            is_last: whether they are the end, for which there is always room.

        Raises:
            OSError: they cannot be written.
        """
        content = json.dumps(frames).encode()
        if self._kept_bytes + len(content) > MOST_KEPT_BYTES and not is_last:
            return f"its reports take more than {MOST_KEPT_BYTES >> 20} MiB"
        _written(self._frames / f"{frames[0]['number']:08}-{len(frames)}", content)
        self._kept_bytes += len(content)
        return ""

    @property
    def next_number(self) -> int:
        """The number of the next frame; nothing with this number was ever sent."""
        if self._ended.exists():
            return int(self._ended.read_text())
        return max((_after(path) for path in self._kept()), default=0)

    def frames_since(self, number: int) -> Iterator[dict[str, Any]]:
        """Yield the kept frames from a number on."""
        for path in self._kept():
            if _after(path) > number:
                yield from (frame for frame in json.loads(path.read_bytes()) if frame["number"] >= number)

    def first_kept(self) -> int:
        """Return the number of the first frame that is kept; the next one's if there is none."""
        return min((int(path.name.partition("-")[0]) for path in self._kept()), default=self.next_number)

    def acknowledge(self, number: int) -> None:
        """Forget the frames before a number, which the coordinator has."""
        for path in self._kept():
            if _after(path) <= number:
                path.unlink(missing_ok=True)

    def end(self) -> None:
        """Record that the last frame is kept."""
        _written(self._ended, str(self.next_number).encode())

    @property
    def has_ended(self) -> bool:
        """Whether the last frame is kept, or was."""
        return self._ended.exists()

    def _kept(self) -> list[Path]:
        try:
            return sorted(path for path in self._frames.iterdir() if not path.name.startswith("."))
        except FileNotFoundError:
            return []

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


def forget_jobs(jobs: Path) -> None:
    """Forget jobs beyond the last ones, but none whose frames somebody may still ask for."""
    latest = time.time() - KEEP_FRAMES_S
    settled: list[Path] = []
    for path in sorted(jobs.iterdir(), reverse=True):
        frames = path / "frames"
        try:
            if frames.stat().st_mtime < latest:
                shutil.rmtree(frames, ignore_errors=True)
            elif any(frames.iterdir()):
                continue
        except FileNotFoundError:
            pass
        settled.append(path)
    for old in settled[KEEP_JOBS:]:
        shutil.rmtree(old, ignore_errors=True)


def _after(path: Path) -> int:
    """Return the number after the last frame of a file."""
    first, _, count = path.name.partition("-")
    return int(first) + int(count)


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
