"""The format of the audit log: lines chained by hashes, and a note beside the log of where the chain ends.

Each line is a JSON object whose last member, `chain`, is the SHA-256 of the previous line's chain and of
the rest of this line: a line that was edited, removed or moved breaks the chain at that place. The
note (`audit.jsonl.head`) holds the log's length and the last chain, so lines removed at its end are
noticed too. Writing is in `audit`, checking in `audit_check`.

Source: derived-resources document, "Secret storage: audit logging".
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Final, Literal

import msgspec

if TYPE_CHECKING:
    from pathlib import Path

AuditAction = Literal["register", "decrypt", "invalidate", "orphan", "forget", "rotate", "repair", "continue"]
"""What a line records. The log itself writes `repair` about the line before, and `continue` in a new file."""

NO_CHAIN: Final = "0" * 64
"""The chain before the first line."""

REMOVED: Final = "lines were removed"
"""How a `repair` line begins if the log is shorter than its note says."""

_CHAIN_MEMBER: Final = b',"chain":"'
_CHAIN_BYTES: Final = len(_CHAIN_MEMBER) + 64 + len(b'"}')
_HEAD_BYTES: Final = 256


class AuditedAction(msgspec.Struct, frozen=True):
    """What happened to one resource.

    Args:
        action: what was done.
        srn: the resource as text; empty for an action on all of them.
        why: the purpose or the cause.
    """

    action: AuditAction
    srn: str
    why: str = ""


class End(msgspec.Struct, frozen=True):
    """Where a log ends.

    Args:
        size_bytes: its length.
        chain: the chain of its last line.
    """

    size_bytes: int
    chain: str


START: Final = End(0, NO_CHAIN)
"""Where an empty log ends."""


def chained(body: bytes, chain: str) -> tuple[bytes, str]:
    """Return a line with its chain, newline included, and that chain.

    Args:
        body: the line's JSON object without the chain.
        chain: the chain of the line before.
    """
    own = next_chain(chain, body)
    return body[:-1] + _CHAIN_MEMBER + own.encode() + b'"}\n', own


def next_chain(chain: str, body: bytes) -> str:
    """Return the chain of a line that follows one with this chain."""
    return hashlib.sha256(chain.encode() + body).hexdigest()


def split(line: bytes) -> tuple[bytes | None, str]:
    """Return a line's body and its chain; (None, "") for what is not a whole entry."""
    body, member = line[:-_CHAIN_BYTES], line[-_CHAIN_BYTES:]
    if not body.startswith(b"{") or not member.startswith(_CHAIN_MEMBER) or not member.endswith(b'"}'):
        return None, ""
    return body + b"}", member[len(_CHAIN_MEMBER) : -2].decode("ascii", "replace")


def head_path(log_path: Path) -> Path:
    """Return the file beside a log that notes its end."""
    return log_path.with_name(f"{log_path.name}.head")


def read_head(descriptor: int) -> End | None:
    """Return the noted end; None if there is no note, or only part of one."""
    text = os.pread(descriptor, _HEAD_BYTES, 0).decode("ascii", "replace")
    size_text, _, chain = text.strip().partition(" ")
    if not size_text.isdigit() or len(chain) != len(NO_CHAIN):
        return None
    return End(int(size_text), chain)


def write_head(descriptor: int, end: End) -> None:
    """Write the note; its length is always the same, so one write replaces the previous note."""
    os.pwrite(descriptor, f"{end.size_bytes:020d} {end.chain}\n".encode(), 0)
