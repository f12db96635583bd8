"""The audit log: one line for every access to a derived resource's configuration, never rewritten.

Lines are appended under a lock on the file, so any number of processes can append. If kill -9 cut off the
last line, the fragment stays, and the next append records it in a `repair` line. A full file is renamed under
the same lock, and the log continues in a new file (see `audit_files`).

The chain (see `audit_form`) reveals edits. It does not stop an owner of the files who recomputes every hash;
to detect that, keep a copy of the log's end elsewhere.
"""

from __future__ import annotations

import fcntl
import os
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import not_written
from ensue.core.files import private_files
from ensue.core.model.this_user import this_user
from ensue.store.registry import audit_files, audit_form
from ensue.store.registry.audit_files import AuditLimits
from ensue.store.registry.audit_form import NO_CHAIN, REMOVED, START, AuditedAction, End
from ensue.store.registry.entry import iso_time
from ensue.store.registry.lock_waits import LockWaits

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

_TAIL_BYTES: Final = 65_536
_USUAL_LIMITS: Final = AuditLimits()


class AuditLog:
    """The audit log of one project.

    Args:
        path: the file (`audit.jsonl`); created, with its folder, by the first append.
        run_id: the run that accesses resources; empty outside runs.
        clock: returns seconds since the epoch.
        limits: how large it may become.
        waits: ends its waits for other processes.
    """

    def __init__(
        self,
        path: Path,
        *,
        run_id: str,
        clock: Callable[[], float],
        limits: AuditLimits = _USUAL_LIMITS,
        waits: LockWaits | None = None,
    ) -> None:
        self._waits = waits or LockWaits()
        self.run_id = run_id
        self._limits = limits
        self.path = path
        self._clock = clock
        self._turn = threading.Lock()
        self._descriptors: tuple[int, int] | None = None
        self._owner_pid = 0
        self._who = ""

    def append(self, accesses: Sequence[AuditedAction]) -> None:
        """Write one line per access, all in one write.

        Args:
            accesses: what happened, in order.

        Raises:
            StoreError: the log cannot be written; the access must then not happen.
        """
        if not accesses:
            return
        try:
            with self._turn, self._locked() as (log, head):
                self._append_locked(log, head, accesses)
        except OSError as error:
            raise not_written(f"{self.path}: the audit log cannot be written", error) from error

    def close(self) -> None:
        """Close the descriptors; a later append opens them again."""
        with self._turn:
            self._close_descriptors()

    def _append_locked(self, log: int, head: int, accesses: Sequence[AuditedAction]) -> None:
        size_bytes = os.fstat(log).st_size
        end, prefix = audit_form.read_head(head), b""
        if end is not None and end.size_bytes != size_bytes and end == audit_files.newest_end(self.path):
            # The previous file was full: this one is new, or a writer was killed while starting it.
            end = End(0, end.chain)
            if size_bytes and b"\n" not in self.path.read_bytes():
                # That writer wrote only part of its first line, which records no access.
                os.ftruncate(log, 0)
                size_bytes = 0
        if end is None and not size_bytes:
            # A log has a note from its first line on; a log without one was tampered with.
            audit_form.write_head(head, START)
            end = START
        if end is None or end.size_bytes != size_bytes:
            end, prefix, note = _recover(self.path, end, size_bytes)
            if note:
                accesses = (AuditedAction("repair", "", note), *accesses)
        oldest, chain = 0, end.chain
        if not size_bytes and chain != NO_CHAIN:
            continuation = audit_files.continuation(self.path, self._limits.keep_files)
            oldest = continuation["oldest"]
            prefix, chain = audit_form.chained(msgspec.json.encode(self._common() | continuation), chain)
        lines, chain = self._lines(accesses, chain)
        _write_all(log, prefix + lines)
        # Written last: a writer killed before this leaves a log longer than its note, never shorter.
        audit_form.write_head(head, End(size_bytes + len(prefix) + len(lines), chain))
        if oldest:
            audit_files.remove_old(self.path, oldest)

    def _common(self) -> dict[str, str | int]:
        return {"at": iso_time(self._clock()), "who": self._who, "pid": os.getpid(), "run": self.run_id}

    def _lines(self, accesses: Sequence[AuditedAction], chain: str) -> tuple[bytes, str]:
        common = self._common()
        lines: list[bytes] = []
        for access in accesses:
            what = {"action": access.action, "srn": _utf8(access.srn), "why": _utf8(access.why)}
            line, chain = audit_form.chained(msgspec.json.encode(common | what), chain)
            lines.append(line)
        return b"".join(lines), chain

    @contextmanager
    def _locked(self) -> Generator[tuple[int, int]]:
        while True:
            log, head = self._opened()
            self._waits.lock(log, self.path)
            try:
                # Another process may have set the file aside while this one waited for the lock.
                if self._still_there() and not self._set_aside(log, head):
                    yield log, head
                    return
            finally:
                fcntl.flock(log, fcntl.LOCK_UN)

    def _set_aside(self, log: int, head: int) -> bool:
        """Rename a full file to its number and return whether that was done; a torn end is repaired first."""
        size_bytes = os.fstat(log).st_size
        noted = audit_form.read_head(head)
        if size_bytes < self._limits.max_bytes or noted is None or noted.size_bytes != size_bytes:
            return False
        audit_files.set_aside(self.path)
        return True

    def _opened(self) -> tuple[int, int]:
        # A lock belongs to an open file: a forked child must open its own, and a log that was moved
        # away (by a log rotation) must no longer be written.
        if self._descriptors is not None and self._owner_pid == os.getpid() and self._still_there():
            return self._descriptors
        self._close_descriptors()
        private_files.make_private_directory(self.path.parent)
        head_path = audit_form.head_path(self.path)
        head = private_files.open_private_file(head_path, os.O_RDWR | os.O_CREAT)
        log = private_files.open_private_file(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        self._descriptors, self._owner_pid, self._who = (log, head), os.getpid(), _owner()
        return self._descriptors

    def _still_there(self) -> bool:
        log = self._descriptors[0] if self._descriptors else -1
        with suppress(OSError):
            return self.path.stat().st_ino == os.fstat(log).st_ino
        return False

    def _close_descriptors(self) -> None:
        for descriptor in self._descriptors or ():
            with suppress(OSError):
                os.close(descriptor)
        self._descriptors = None


def _recover(path: Path, noted: End | None, size_bytes: int) -> tuple[End, bytes, str]:
    """Find where the chain ends if the log's length differs from the note.

    Returns:
        The end to continue from, what must be written first, and what a repair line must say: nothing
        if a writer was only killed between writing its lines and noting their end.
    """
    end = noted or START
    with path.open("rb") as file:
        file.seek(min(end.size_bytes, max(0, size_bytes - _TAIL_BYTES)))
        whole, _, torn = file.read().rpartition(b"\n")
    chain = audit_files.last_chain(whole)
    newline = b"\n" if torn else b""
    if noted is None:
        return End(size_bytes, chain or NO_CHAIN), newline, f"{REMOVED}, or the note of the log's end was"
    if size_bytes < end.size_bytes:
        note = f"{REMOVED}: the log had {end.size_bytes} bytes and has {size_bytes}"
        return End(size_bytes, chain or NO_CHAIN), newline, note
    body, own_chain = audit_form.split(torn)
    if body is not None:
        # Only the line's newline is missing.
        return End(size_bytes, own_chain), newline, ""
    note = f"the line before was cut short after {len(torn)} bytes: its writer was killed" if torn else ""
    return End(size_bytes, chain or end.chain), newline, note


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _utf8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _owner() -> str:
    uid, name = os.getuid(), this_user()
    return name if name == str(uid) else f"{uid}:{name}"
