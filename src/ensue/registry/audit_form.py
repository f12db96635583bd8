"""The form of the audit log: lines chained by hashes, and the note beside it of how the chain ends.

Each line is a JSON object whose last member, `chain`, is the SHA-256 of the previous line's chain and of
the rest of this line: a line that was edited, removed or moved breaks the chain at that place. The
note (`audit.jsonl.head`) holds the log's length and the last chain, so that lines cut off at its
end show too. Writing is in `audit`, checking in `audit_check`.

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
"""What a line tells of; the log itself writes `repair` about the line before, `continue` in a new file."""

NO_CHAIN: Final = "0" * 64
"""What stands for the chain before the first line."""

REMOVED: Final = "lines were removed"
"""How a `repair` line begins that continues a log which is shorter than it was left."""

_CHAIN_MEMBER: Final = b',"chain":"'
_CHAIN_BYTES: Final = len(_CHAIN_MEMBER) + 64 + len(b'"}')
_HEAD_BYTES: Final = 256


class Access(msgspec.Struct, frozen=True):
    """What happened to one resource.

    Args:
        action: what was done.
        srn: the resource as text; empty for what concerns all of them.
        why: for what purpose, or because of what.
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
    """Return the noted end; None when nothing was noted, or only a part."""
    text = os.pread(descriptor, _HEAD_BYTES, 0).decode("ascii", "replace")
    size_text, _, chain = text.strip().partition(" ")
    if not size_text.isdigit() or len(chain) != len(NO_CHAIN):
        return None
    return End(int(size_text), chain)


def write_head(descriptor: int, end: End) -> None:
    """Note an end; always the same number of bytes, so that one write replaces the note before."""
    os.pwrite(descriptor, f"{end.size_bytes:020d} {end.chain}\n".encode(), 0)
