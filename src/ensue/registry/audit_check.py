"""Reading the audit log back, and checking that nobody edited it.

A last line without an end, longer than the note beside the log says, is what a kill -9 leaves: no
fault. Any other line that is not an entry, does not continue the chain, or is gone, is one.
"""

from __future__ import annotations

import fcntl
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.errors import StoreError
from ensue.registry import audit_form
from ensue.registry.audit_form import NO_CHAIN, REMOVED, End

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_GARBLED: Final = "this line was changed: it is not an entry"
_BROKEN: Final = "this line was changed, or one before it was changed, removed, added or moved"


def read_entries(path: Path) -> list[dict[str, Any]]:
    """Return the log's entries as mappings, oldest first; a line that is none is left out.

    Args:
        path: the file; one that is not there has no lines.

    Raises:
        StoreError: it cannot be read.
    """
    content, _ = _read(path)
    entries: list[dict[str, Any]] = []
    for line in content.split(b"\n"):
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            entries.append(msgspec.json.decode(line, type=dict[str, Any]))
    return entries


def find_fault(path: Path) -> tuple[int, str] | None:
    """Check the chain of a log.

    Args:
        path: the file; one that is not there is whole, unless the note beside it says otherwise.

    Returns:
        None when it is whole, else the number of the first line that is wrong, counted from 1, and what is.

    Raises:
        StoreError: it cannot be read.
    """
    content, noted = _read(path)
    lines = content.split(b"\n")[:-1]
    chain, chain_at_end = NO_CHAIN, {0: NO_CHAIN}
    size_bytes = 0
    for number, line in enumerate(lines, start=1):
        size_bytes += len(line) + 1
        body, own_chain = audit_form.split(line)
        if body is None:
            if not _is_repaired(lines, number):
                return number, _GARBLED
            continue
        if audit_form.next_chain(chain, body) != own_chain:
            return number, _BROKEN
        if _is_repair(body) and REMOVED.encode() in body:
            return number, f"{REMOVED} before this one"
        chain = chain_at_end[size_bytes] = own_chain
    return _end_fault(len(lines), noted, chain_at_end, _head_name(path))


def _end_fault(
    line_count: int, noted: End | None, chain_at_end: dict[int, str], head_name: str
) -> tuple[int, str] | None:
    if noted is None:
        if not line_count:
            return None
        return line_count, f"{head_name} is missing, so lines may have been removed after this one"
    if chain_at_end.get(noted.size_bytes) == noted.chain:
        return None
    return line_count + 1, f"{REMOVED} at the end of the log, or others put in their place"


def _is_repaired(lines: Sequence[bytes], number: int) -> bool:
    """Say whether the line after this one (counted from 1) is the log's own remark about it."""
    body, _ = audit_form.split(lines[number]) if number < len(lines) else (None, "")
    return body is not None and _is_repair(body)


def _is_repair(body: bytes) -> bool:
    return b'"action":"repair"' in body


def _read(path: Path) -> tuple[bytes, End | None]:
    """Return a log and the note of its end, read while nobody appends."""
    try:
        with path.open("rb") as log:
            fcntl.flock(log, fcntl.LOCK_SH)
            return log.read(), _noted(path)
    except FileNotFoundError:
        return b"", _noted(path)
    except OSError as error:
        msg = f"{path}: the audit log cannot be read: {error.strerror}"
        raise StoreError(msg) from error


def _noted(path: Path) -> End | None:
    try:
        with audit_form.head_path(path).open("rb") as head:
            return audit_form.read_head(head.fileno())
    except FileNotFoundError:
        return None


def _head_name(path: Path) -> str:
    return audit_form.head_path(path).name
