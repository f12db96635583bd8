"""What a path is, as `new_state` and `old_state` say it.

What was read or looked at anyway is described from that; the target is asked
again only for what is not known.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from ensue.contracts.content import sha256_of
from ensue.states.file.modes import shown_mode

if TYPE_CHECKING:
    from ensue.contracts.connection import Connection, FileStat
    from ensue.contracts.content import Content
    from ensue.model.data import DataMap


def file_state(path: str, sha256: str | None, found: FileStat | None) -> DataMap:
    """Describe a file.

    Args:
        path: where it is.
        sha256: the checksum of its content; None when nothing is there.
        found: what the target says of it; None when nothing is there.
    """
    if found is None:
        return {**absent_state(path), "sha256": None, "size": None}
    return {"path": path, "sha256": sha256, "size": found.size_bytes, **owner_state(found)}


def content_state(path: str, content: bytes, found: FileStat) -> DataMap:
    """Describe a file whose content was read."""
    return file_state(path, hashlib.sha256(content).hexdigest(), found)


def absent_state(path: str) -> DataMap:
    """Describe a path at which nothing is."""
    return {"path": path, "exists": False}


def path_state(path: str, found: FileStat) -> DataMap:
    """Describe what is at a path, whatever it is."""
    return {"path": path, "kind": found.kind, **owner_state(found)}


def owner_state(found: FileStat) -> DataMap:
    """Describe mode, owner and group."""
    return {"mode": shown_mode(found.mode), "user": found.user, "group": found.group}


async def state_after(connection: Connection, path: str, content: Content | None = None) -> DataMap:
    """Look at a file after a change and describe it.

    Args:
        connection: the way to the target.
        path: where it is.
        content: what was written, which saves the target the work of summing it up.
    """
    found = await connection.stat(path, follow=True)
    if found is None or found.kind != "file":
        return file_state(path, None, found)
    sha256 = sha256_of(content) if content is not None else await connection.checksum(path)
    return file_state(path, sha256, found)
