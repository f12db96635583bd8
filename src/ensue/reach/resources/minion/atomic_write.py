"""Replaces a file atomically, so that neither a reader nor a crash sees a part of it.

The content goes to a new file in the same folder, readable by nobody else, gets owner and mode,
is flushed to disk and then replaces the old one in one step. On any failure, the new file is removed and the
old one is unchanged. Hard links to the old file keep the old content.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from ensue.reach.resources.leftovers import TEMPORARY_PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager


class Noted(Protocol):
    """Records temporary files while they exist."""

    def __call__(self, *paths: str) -> AbstractContextManager[None]:
        """Record the files as long as the context lasts."""
        ...


_NEW_FILE_MODE: Final = 0o644
_CHUNK_BYTES: Final = 4 << 20


class WriteRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A file to write.

    Args:
        path: its real path, symlinks followed.
        mode: permission bits; None keeps an existing file's, a new one gets 0644.
        uid: owner; -1 keeps it.
        gid: group; -1 keeps it.
    """

    path: str
    mode: int | None
    uid: int
    gid: int


def write_atomically(request: WriteRequest, content: bytes, noted: Noted) -> None:
    """Write a file as the module describes.

    Args:
        request: the file.
        content: its whole new content.
        noted: records the temporary file.

    Raises:
        OSError: the file cannot be written; nothing has changed.
    """
    temporary = temporary_beside(request.path)
    with noted(temporary):
        _write_through(temporary, request, content)


def write_each_atomically(
    writes: Sequence[tuple[WriteRequest, bytes]], noted: Noted
) -> list[BaseException | None]:
    """Write files one after the other, each as the module describes.

    Args:
        writes: the files with their content.
        noted: records the temporary files.

    Returns:
        For each file why it could not be written, and has not changed; None if it was.
    """
    temporaries = [temporary_beside(request.path) for request, _ in writes]
    outcomes: list[BaseException | None] = []
    with noted(*temporaries):
        for temporary, (request, content) in zip(temporaries, writes, strict=True):
            try:
                _write_through(temporary, request, content)
            except BaseException as error:  # noqa: BLE001 -- it is raised where the write is awaited
                outcomes.append(error)
            else:
                outcomes.append(None)
    return outcomes


def _write_through(temporary: str, request: WriteRequest, content: bytes) -> None:
    old = existing(request.path)
    descriptor = open_new(temporary)
    try:
        try:
            write_all(descriptor, content)
            dress(descriptor, request, old)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, request.path)  # noqa: PTH105 (strings)
    except BaseException:
        os.unlink(temporary)  # noqa: PTH108 (a string)
        raise


def replace_link(target: str, path: str, noted: Noted) -> None:
    """Create a symlink, or replace an existing one.

    Args:
        target: what it points to.
        path: where it is.
        noted: records the temporary symlink.

    Raises:
        OSError: something else is at the path, or the symlink cannot be created.
    """
    try:
        os.symlink(target, path)  # noqa: PTH211 (strings)
    except FileExistsError:
        if not stat.S_ISLNK(os.lstat(path).st_mode):
            raise FileExistsError(errno.EEXIST, "it exists and is not a symlink", path) from None
    else:
        return
    temporary = temporary_beside(path)
    with noted(temporary):
        os.symlink(target, temporary)  # noqa: PTH211 (strings)
        try:
            os.replace(temporary, path)  # noqa: PTH105 (strings)
        except BaseException:
            os.unlink(temporary)  # noqa: PTH108 (a string)
            raise


def copy_across(source: str, target: str, noted: Noted) -> None:
    """Move a regular file to another file system: copy it with owner, mode and times, then remove it.

    Args:
        source: the file.
        target: where it goes.
        noted: records the temporary file.

    Raises:
        OSError: it cannot be done; the target is as it was.
    """
    temporary = temporary_beside(target)
    with noted(temporary):
        _copy_through(temporary, source, target)
    os.unlink(source)  # noqa: PTH108 (a string)


def _copy_through(temporary: str, source: str, target: str) -> None:
    with open(source, "rb") as old:  # noqa: PTH123 (a string)
        status = os.fstat(old.fileno())
        descriptor = open_new(temporary)
        try:
            with os.fdopen(descriptor, "wb") as new:
                while chunk := old.read(_CHUNK_BYTES):
                    new.write(chunk)
                new.flush()
                if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
                    os.fchown(descriptor, status.st_uid, status.st_gid)
                os.fchmod(descriptor, status.st_mode & 0o7777)
                os.utime(descriptor, ns=(status.st_atime_ns, status.st_mtime_ns))
                os.fsync(descriptor)
            os.replace(temporary, target)  # noqa: PTH105 (strings)
        except BaseException:
            os.unlink(temporary)  # noqa: PTH108 (a string)
            raise


def temporary_beside(path: str) -> str:
    """Return a new name in the folder of a path."""
    return f"{path.rpartition('/')[0]}/{TEMPORARY_PREFIX}{os.urandom(8).hex()}"


def open_new(path: str) -> int:
    """Create a file that only its owner can read, and open it for writing."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def existing(path: str) -> os.stat_result | None:
    """Return the status of the file to replace; refuse a folder, pipe or device."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", path)
    return status


def write_all(descriptor: int, content: bytes) -> None:
    """Append content to what has been written."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest[:_CHUNK_BYTES]) :]


def dress(descriptor: int, request: WriteRequest, old: os.stat_result | None) -> None:
    """Set owner and mode of the new file; the owner first, because changing it clears the setuid bits."""
    mine = os.fstat(descriptor)
    uid = request.uid if request.uid >= 0 else old.st_uid if old else mine.st_uid
    gid = request.gid if request.gid >= 0 else old.st_gid if old else mine.st_gid
    if (uid, gid) != (mine.st_uid, mine.st_gid):
        os.fchown(descriptor, uid, gid)
    mode = request.mode
    if mode is None:
        mode = stat.S_IMODE(old.st_mode) if old else _NEW_FILE_MODE
    os.fchmod(descriptor, mode)
