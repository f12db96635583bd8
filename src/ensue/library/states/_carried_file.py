"""Copies a file between two machines, for the state module `ssh_host`: compares, then writes atomically.

Each machine computes the SHA-256 of its file, so that identical files are not transferred. Changes have
checksums and sizes, never content.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.content import sha256_of, size_of
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.reach.connections.target_content import content_at

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection, FileStat
    from ensue.core.model.data import DataMap

NEW_FILE_MODE: Final = 0o600
"""Without `mode`, only its owner may read a new file, because such files often contain keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DestinationAttributes:
    """The requested attributes of the file at its destination.

    Args:
        mode: permission bits; None keeps those of an existing file.
        user: owner, by name or number as text; None leaves it.
        group: group, by name or number.
        makedirs: create a missing folder.
    """

    mode: int | None = None
    user: str | None = None
    group: str | None = None
    makedirs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyPlace:
    """The source or destination of a copy.

    Args:
        connection: the connection to the machine.
        path: absolute path on the machine.
    """

    connection: Connection
    path: str

    def __str__(self) -> str:
        """Format the place for a message."""
        return f"{self.path} on {self.connection.srn}"


async def carry(
    name: str, source: CopyPlace, destination: CopyPlace, requested: DestinationAttributes, *, test: bool
) -> StateReturn:
    """Copy the source to the destination if they differ.

    Args:
        name: the state's name.
        source: the file.
        destination: the destination.
        requested: the requested attributes.
        test: whether this is a plan.

    Returns:
        The state's return; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: the folder of the destination does not exist.
        RemoteError: a machine cannot be reached, or reports an error.
    """
    source_stat = await source.connection.stat(source.path, follow=True)
    if source_stat is None or source_stat.kind != "file":
        what = "does not exist" if source_stat is None else f"is a {source_stat.kind}, not a file"
        # In a plan, an earlier state may be about to create the file.
        result = None if test and source_stat is None else False
        return StateReturn(name=name, result=result, comment=f"{source} {what}")
    old = await destination.connection.stat(destination.path, follow=True)
    if old and old.kind != "file":
        return StateReturn.failed(name, f"{destination} is a {old.kind}, not a file")
    sha256 = await source.connection.checksum(source.path)
    old_sha256 = await destination.connection.checksum(destination.path) if old else None
    attributes = _differences(requested, old)
    content: DataMap = {}
    if sha256 != old_sha256:
        content = _content_changes(old_sha256, old, sha256, source_stat.size_bytes)
    if not content and not attributes:
        comment = f"{destination} is the same as {source}"
        return StateReturn.unchanged(name, comment, _state(destination, sha256, old))
    before = _state(destination, old_sha256, old)
    if test:
        changes: DataMap = {"path": destination.path, **content, **attributes}
        comment = f"{destination} would be written from {source}"
        return StateReturn.planned(name, comment, changes, old_state=before)
    await _make_folder(destination, requested)
    if content:
        sha256, size_bytes = await _write(source, destination, requested, existed=old is not None)
        # The checksum is that of the content that was read: the file may have changed since the comparison.
        content = _content_changes(old_sha256, old, sha256, size_bytes)
    else:
        await _set_attributes(destination, requested)
    now = await destination.connection.stat(destination.path, follow=True)
    return StateReturn.changed(
        name,
        f"{destination} was written from {source}",
        {"path": destination.path, **content, **attributes},
        _state(destination, sha256, now),
        old_state=before,
    )


async def _write(
    source: CopyPlace, destination: CopyPlace, requested: DestinationAttributes, *, existed: bool
) -> tuple[str, int]:
    content = await content_at(source.connection, source.path)
    mode = requested.mode if existed or requested.mode is not None else NEW_FILE_MODE
    await destination.connection.write(
        destination.path, content, mode=mode, user=requested.user, group=requested.group
    )
    return sha256_of(content), size_of(content)


def _content_changes(
    old_sha256: str | None, old: FileStat | None, sha256: str | None, size_bytes: int
) -> DataMap:
    return {
        "sha256": {"old": old_sha256, "new": sha256},
        "size": {"old": old.size_bytes if old else None, "new": size_bytes},
    }


async def _make_folder(destination: CopyPlace, requested: DestinationAttributes) -> None:
    folder = posixpath.dirname(destination.path)
    if await destination.connection.stat(folder, follow=True):
        return
    if not requested.makedirs:
        where = f"{folder} on {destination.connection.srn}"
        raise StateFailedError(f"the folder {where} does not exist (`makedirs: true` creates it)")
    await destination.connection.make_directory(folder, parents=True)


async def _set_attributes(destination: CopyPlace, requested: DestinationAttributes) -> None:
    if requested.user is not None or requested.group is not None:
        await destination.connection.set_owner(destination.path, user=requested.user, group=requested.group)
    if requested.mode is not None:
        await destination.connection.set_mode(destination.path, requested.mode)


def _differences(requested: DestinationAttributes, old: FileStat | None) -> DataMap:
    """Return the attributes that differ; for a new file only those that the SLS names."""
    changes: DataMap = {}
    if requested.mode is not None and (old is None or old.mode != requested.mode):
        changes["mode"] = {"old": f"{old.mode:04o}" if old else None, "new": f"{requested.mode:04o}"}
    if requested.user is not None and (old is None or requested.user not in {old.user, str(old.uid)}):
        changes["user"] = {"old": old.user if old else None, "new": requested.user}
    if requested.group is not None and (old is None or requested.group not in {old.group, str(old.gid)}):
        changes["group"] = {"old": old.group if old else None, "new": requested.group}
    return changes


def _state(destination: CopyPlace, sha256: str | None, file_stat: FileStat | None) -> DataMap:
    if file_stat is None:
        return {"path": destination.path, "exists": False, "sha256": None, "size": None}
    return {
        "path": destination.path,
        "sha256": sha256,
        "size": file_stat.size_bytes,
        "mode": f"{file_stat.mode:04o}",
        "user": file_stat.user,
        "group": file_stat.group,
    }
