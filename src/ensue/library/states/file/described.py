"""Describes paths for `new_state` and `old_state`.

The descriptions use what the state has already read; the target is asked only for the rest. The checksum of
content with a secret is a secret, because it tells whether a guess of the secret is right.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.content import sha256_of
from ensue.core.model.data import is_mapping
from ensue.library.states.file.modes import shown_mode

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection, FileStat
    from ensue.core.contracts.content import Content
    from ensue.core.masking import Masker
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import StateReturn

_CHECKSUM: Final = "sha256"


def file_state(path: str, sha256: str | None, status: FileStat | None) -> DataMap:
    """Describe a file.

    Args:
        path: the file.
        sha256: checksum of its content; None if the file does not exist.
        status: its attributes; None if the file does not exist.
    """
    if status is None:
        return {**absent_state(path), "sha256": None, "size": None}
    return {"path": path, "sha256": sha256, "size": status.size_bytes, **owner_state(status)}


def content_state(path: str, content: bytes, status: FileStat) -> DataMap:
    """Describe a file from its content."""
    return file_state(path, hashlib.sha256(content).hexdigest(), status)


def absent_state(path: str) -> DataMap:
    """Describe a path that does not exist."""
    return {"path": path, "exists": False}


def path_state(path: str, status: FileStat) -> DataMap:
    """Describe what is at a path, whatever it is."""
    return {"path": path, "kind": status.kind, **owner_state(status)}


def owner_state(status: FileStat) -> DataMap:
    """Describe mode, owner and group."""
    return {"mode": shown_mode(status.mode), "user": status.user, "group": status.group}


async def state_after(connection: Connection, path: str, content: Content | None = None) -> DataMap:
    """Describe a file after a change.

    Args:
        connection: the connection to the target.
        path: the file.
        content: the content that was written, if it is known; the target then computes no checksum.
    """
    status = await connection.stat(path, follow=True)
    if status is None or status.kind != "file":
        return file_state(path, None, status)
    sha256 = sha256_of(content) if content is not None else await connection.checksum(path)
    return file_state(path, sha256, status)


def without_checksums(
    returned: StateReturn, masker: Masker, *contents: Content | None, is_secret: bool = False
) -> StateReturn:
    """Return a state's return, its checksums secret if one of the contents contains a secret.

    Args:
        returned: the return.
        masker: knows the secrets.
        contents: the contents that it describes; None: there is none. Long ones are not looked into.
        is_secret: whether they are secrets in any case.
    """
    if not is_secret and not any(
        map(masker.is_in, (content for content in contents if isinstance(content, bytes)))
    ):
        return returned
    new = returned.new_state
    has_checksum = new is None or (is_mapping(new) and _CHECKSUM in new)
    paths = (*returned.sensitive, _CHECKSUM) if has_checksum else returned.sensitive
    return msgspec.structs.replace(returned, sensitive=paths)
