"""The files of an audit log: the current one, and the full ones before it.

When `audit.jsonl` is full it becomes `audit.1.jsonl`, the next one `audit.2.jsonl`, and so on. A new file
begins with a `continue` line: it holds the last chain of the file before, and the number of the oldest file
that is kept. So the chain runs through all files, and a missing file is noticed. Appending is in `audit`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StoreError
from ensue.core.model.sizes import size_bytes
from ensue.store.registry import audit_form
from ensue.store.registry.audit_form import NO_CHAIN, End

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TAIL_BYTES: Final = 65_536


class AuditLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How large an audit log may become.

    Args:
        max_bytes: from this size on a file is full.
        keep_files: how many full files are kept.
    """

    max_bytes: int = 10 << 20
    keep_files: int = 10


def limits_of(opts: Mapping[str, Any]) -> AuditLimits:
    """Return the limits that the options `audit_max_size` and `audit_keep_files` set.

    Raises:
        StoreError: one of them is invalid.
    """
    usual = AuditLimits()
    size = opts.get("audit_max_size", usual.max_bytes)
    max_bytes, keep_files = size_bytes(size), opts.get("audit_keep_files", usual.keep_files)
    if max_bytes is None or max_bytes <= 0:
        raise StoreError(f"audit_max_size: {size!r} is not a size (write a number of bytes, or 10MiB)")
    if not isinstance(keep_files, int) or keep_files < 1:
        raise StoreError(f"audit_keep_files: {keep_files!r} is not a whole number from 1")
    return AuditLimits(max_bytes=max_bytes, keep_files=keep_files)


class Continued(msgspec.Struct, frozen=True):
    """What a file's first line says about the files before it.

    Args:
        previous: the last chain of the file before.
        oldest: the number of the oldest file that is kept.
    """

    previous: str
    oldest: int


def full_files(path: Path) -> dict[int, Path]:
    """Return the full files of a log by their numbers, oldest first."""
    name = re.compile(rf"{re.escape(path.stem)}\.([1-9][0-9]*){re.escape(path.suffix)}")
    with suppress(FileNotFoundError):
        by_number = {
            int(match[1]): file for file in path.parent.iterdir() if (match := name.fullmatch(file.name))
        }
        return dict(sorted(by_number.items()))
    return {}


def set_aside(path: Path) -> None:
    """Rename the full file to its number; the next writer starts a new file."""
    number = max(full_files(path), default=0) + 1
    path.rename(path.with_name(f"{path.stem}.{number}{path.suffix}"))


def newest_end(path: Path) -> End | None:
    """Return where the newest full file ends, None when there is none."""
    files = full_files(path)
    if not files:
        return None
    with files[max(files)].open("rb") as file:
        length_bytes = file.seek(0, 2)
        file.seek(max(0, length_bytes - _TAIL_BYTES))
        return End(length_bytes, last_chain(file.read()) or NO_CHAIN)


def last_chain(lines: bytes) -> str:
    """Return the chain of the last whole entry, empty when there is none."""
    for line in reversed(lines.split(b"\n")):
        body, chain = audit_form.split(line)
        if body is not None:
            return chain
    return ""


def continuation(path: Path, keep_files: int) -> dict[str, Any]:
    """Return the content of a new file's first line, apart from its writer and time."""
    files = full_files(path)
    end = newest_end(path)
    return {
        "action": "continue",
        "srn": "",
        "why": f"after {files[max(files)].name}",
        "previous": end.chain if end else NO_CHAIN,
        "oldest": max(min(files), max(files) - keep_files + 1),
    }


def remove_old(path: Path, oldest: int) -> None:
    """Remove the full files before a number; the first line of the newest file says that they are gone."""
    for number, file in full_files(path).items():
        if number < oldest:
            file.unlink(missing_ok=True)


def continued(first_line: bytes) -> Continued | None:
    """Return what a file's first line says about the files before it; None if it begins a log."""
    body, _ = audit_form.split(first_line)
    if body is None or b'"action":"continue"' not in body:
        return None
    with suppress(msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode(body, type=Continued)
    return None
