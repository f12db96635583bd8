"""Reading the audit log back, and checking that nobody edited it.

An incomplete last line beyond the length that the note records is what kill -9 leaves, and is not reported.
Any other line that is not an entry, breaks the chain or is missing is reported, and so is a missing full
file.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from ensue.core.errors import StoreError
from ensue.store.registry import audit_files, audit_form
from ensue.store.registry.audit_form import NO_CHAIN, REMOVED, End
from ensue.store.registry.lock_waits import LockWaits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_GARBLED: Final = "this line was changed: it is not an entry"
_NOT_CONTINUED: Final = "this file does not continue the one before: lines or files between them were removed"
_BROKEN: Final = "this line was changed, or one before it was changed, removed, added or moved"


class AuditFault(NamedTuple):
    """The first error in a log.

    Args:
        file: the name of the file.
        line: the number of the line in it, counted from 1.
        what: what is wrong.
    """

    file: str
    line: int
    what: str


class _Log(NamedTuple):
    """A log, read while nobody appended to it."""

    full: dict[int, tuple[str, bytes]]
    content: bytes
    noted: End | None


def read_entries(path: Path, waits: LockWaits | None = None) -> list[dict[str, Any]]:
    """Return the log's entries as mappings, oldest first; lines that are not entries are skipped.

    Args:
        path: the current file; older files are read too. A missing file has no lines.
        waits: ends its waits for processes that append.

    Raises:
        StoreError: it cannot be read.
    """
    log = _read(path, waits or LockWaits())
    entries: list[dict[str, Any]] = []
    for content in (*(content for _, content in log.full.values()), log.content):
        for line in content.split(b"\n"):
            with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                entries.append(msgspec.json.decode(line, type=dict[str, Any]))
    return entries


def first_fault(path: Path, waits: LockWaits | None = None) -> AuditFault | None:
    """Check the chain of a log over all its files.

    Args:
        path: the current file.
        waits: ends its waits for processes that append.

    Returns:
        None if the log is intact, else its first error.

    Raises:
        StoreError: it cannot be read.
    """
    log = _read(path, waits or LockWaits())
    end: End | None = None
    oldest = _oldest(log)
    for number in range(oldest, max(log.full, default=oldest - 1) + 1):
        name, content = log.full.get(number, (f"{path.stem}.{number}{path.suffix}", None))
        if content is None:
            return AuditFault(name, 1, "this file is missing")
        start = _start(content)
        if start != (end.chain if end else start if number > 1 else NO_CHAIN):
            return AuditFault(name, 1, _NOT_CONTINUED)
        checked = _check(content, start)
        if checked.fault is not None:
            return AuditFault(name, *checked.fault)
        end = End(len(content), checked.chain)
    start = _start(log.content)
    if b"\n" in log.content and start != (end.chain if end else NO_CHAIN):
        return AuditFault(path.name, 1, _NOT_CONTINUED)
    fault = _last_file_fault(path, log, end)
    return AuditFault(path.name, *fault) if fault else None


def _last_file_fault(path: Path, log: _Log, before: End | None) -> tuple[int, str] | None:
    """Check the current file; `before` is the end of the file before it."""
    checked = _check(log.content, _start(log.content))
    if checked.fault is not None:
        return checked.fault
    line_count, noted = log.content.count(b"\n"), log.noted
    if noted is None:
        if not line_count:
            return None
        name = audit_form.head_path(path).name
        return line_count, f"{name} is missing, so lines may have been removed after this one"
    # A writer killed right after starting a new file leaves the note of the previous one.
    if checked.chain_at_end.get(noted.size_bytes) == noted.chain or noted == before:
        return None
    return line_count + 1, f"{REMOVED} at the end of the log, or others put in their place"


class _Checked(NamedTuple):
    """What a check of one file's lines found."""

    fault: tuple[int, str] | None
    chain: str
    chain_at_end: dict[int, str]


def _check(content: bytes, start: str) -> _Checked:
    lines = content.split(b"\n")[:-1]
    chain, chain_at_end = start, {0: start}
    size_bytes = 0
    for number, line in enumerate(lines, start=1):
        size_bytes += len(line) + 1
        body, own_chain = audit_form.split(line)
        if body is None:
            if not _is_repaired(lines, number):
                return _Checked((number, _GARBLED), chain, chain_at_end)
            continue
        if audit_form.next_chain(chain, body) != own_chain:
            return _Checked((number, _BROKEN), chain, chain_at_end)
        if _is_repair(body) and REMOVED.encode() in body:
            return _Checked((number, f"{REMOVED} before this one"), chain, chain_at_end)
        chain = chain_at_end[size_bytes] = own_chain
    return _Checked(None, chain, chain_at_end)


def _start(content: bytes) -> str:
    """Return the chain that a file continues."""
    continued = audit_files.continued(content.partition(b"\n")[0])
    return continued.previous if continued else NO_CHAIN


def _oldest(log: _Log) -> int:
    """Return the number of the oldest file that must exist, as the newest file's first line says."""
    contents = [log.content, *(content for _, content in reversed(log.full.values()))]
    for content in contents:
        if continued := audit_files.continued(content.partition(b"\n")[0]):
            return continued.oldest
    return 1


def _is_repaired(lines: Sequence[bytes], number: int) -> bool:
    """Return whether the line after this one (counted from 1) is the log's own `repair` line."""
    body, _ = audit_form.split(lines[number]) if number < len(lines) else (None, "")
    return body is not None and _is_repair(body)


def _is_repair(body: bytes) -> bool:
    return b'"action":"repair"' in body


def _read(path: Path, waits: LockWaits) -> _Log:
    """Return a log and the note of its end, read while nobody appends."""
    try:
        while True:
            try:
                with path.open("rb") as log:
                    waits.lock(log.fileno(), path, fcntl.LOCK_SH)
                    if not _is_at(path, log.fileno()):
                        continue  # Another process has renamed it.
                    return _Log(_full(path), log.read(), _noted(path))
            except FileNotFoundError:
                if (log_set_aside := _between_files(path)) is not None:
                    return log_set_aside
    except OSError as error:
        raise StoreError(f"{path}: the audit log cannot be read: {error.strerror}") from error


def _between_files(path: Path) -> _Log | None:
    """Return a log whose last file is full and whose next one is missing; None if it changes meanwhile."""
    with suppress(FileNotFoundError):
        noted, full = _noted(path), _full(path)
        is_settled = not path.exists() and _noted(path) == noted
        if is_settled and audit_files.full_files(path).keys() == full.keys():
            return _Log(full, b"", noted)
    return None


def _full(path: Path) -> dict[int, tuple[str, bytes]]:
    files = audit_files.full_files(path)
    return {number: (file.name, file.read_bytes()) for number, file in files.items()}


def _is_at(path: Path, descriptor: int) -> bool:
    with suppress(FileNotFoundError):
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    return False


def _noted(path: Path) -> End | None:
    try:
        with audit_form.head_path(path).open("rb") as head:
            return audit_form.read_head(head.fileno())
    except FileNotFoundError:
        return None
