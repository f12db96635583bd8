"""SFTP in a sandbox: paths begin at its root, and no symlink leads out of it.

If the server process has its own root (isolation `namespace`), there is nothing to do. Otherwise every path
is resolved here as the kernel would resolve it below that root, so that links made by commands, absolute ones
too, stay inside.
"""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING, Any, Final

import asyncssh

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from asyncssh import SFTPAttrs, SFTPName, SSHServerChannel

_MOST_LINKS: Final = 40


def resolve_beneath(root: bytes, path: bytes, *, follow_last: bool) -> bytes:
    """Resolve a path as a process with that root would.

    Args:
        root: the root, an absolute path without symlinks.
        path: a path within it; a relative one begins at the root.
        follow_last: whether a symlink at the end is followed too.

    Returns:
        The path within the root, absolute, free of symlinks (but for the last part).

    Raises:
        asyncssh.SFTPNoSuchFile: too many symlinks.
    """
    done: list[bytes] = []
    ahead = path.split(b"/")[::-1]
    links = 0
    while ahead:
        part = ahead.pop()
        if part in {b"", b"."}:
            continue
        if part == b"..":
            del done[-1:]
            continue
        target = None if not ahead and not follow_last else _link_target(root, [*done, part])
        if target is None:
            done.append(part)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise asyncssh.SFTPNoSuchFile("too many symbolic links")
        if target.startswith(b"/"):
            done.clear()
        ahead.extend(target.split(b"/")[::-1])
    return b"/" + b"/".join(done)


def _link_target(root: bytes, parts: list[bytes]) -> bytes | None:
    try:
        target = os.readlink(posixpath.join(root, *parts))  # noqa: PTH115 - SFTP paths are bytes
    except OSError:
        return None
    return _seen_from_within(root, target)


def _seen_from_within(root: bytes, target: bytes) -> bytes:
    """Remove the root from a link's target: links made here contain it, so that commands can follow them."""
    if target == root or target.startswith(root + b"/"):
        return target[len(root) :] or b"/"
    return target


class ConfinedFiles(asyncssh.SFTPServer):
    """The files of a sandbox.

    Args:
        channel: the channel of the SFTP session.
        root: the root; empty if it is the process's own.
    """

    def __init__(self, channel: SSHServerChannel[bytes], root: str) -> None:
        super().__init__(channel)  # pyright: ignore[reportUnknownMemberType] - asyncssh leaves a parameter open
        self._root = os.path.realpath(os.fsencode(root)) if root else b""

    def map_path(self, path: bytes) -> bytes:
        """Return the real path, without following its last part. Relative paths begin at the root."""
        if not self._root:
            return posixpath.join(b"/", path)
        return self._root + resolve_beneath(self._root, path, follow_last=False)

    def reverse_map_path(self, path: bytes) -> bytes:
        """Return a path as the client sees it."""
        return _seen_from_within(self._root, path) if self._root else path

    def _followed(self, path: bytes) -> bytes:
        return resolve_beneath(self._root, path, follow_last=True) if self._root else path

    def open(self, path: bytes, pflags: int, attrs: SFTPAttrs) -> Any:
        """Open a file."""
        return super().open(self._followed(path), pflags, attrs)

    def open56(self, path: bytes, desired_access: int, flags: int, attrs: SFTPAttrs) -> Any:
        """Open a file, as in SFTP 5 and later."""
        return super().open56(self._followed(path), desired_access, flags, attrs)

    def stat(self, path: bytes) -> Any:
        """Describe what a path leads to."""
        return super().stat(self._followed(path))

    def setstat(self, path: bytes, attrs: SFTPAttrs) -> Any:
        """Change mode, owner, times or size of what a path leads to."""
        return super().setstat(self._followed(path), attrs)

    def statvfs(self, path: bytes) -> Any:
        """Describe the file system that a path leads to."""
        return super().statvfs(self._followed(path))

    def scandir(self, path: bytes) -> AsyncIterator[SFTPName]:
        """List a folder."""
        return super().scandir(self._followed(path))

    def realpath(self, path: bytes) -> Any:
        """Return a path without symlinks, as seen from within."""
        if self._root:
            return resolve_beneath(self._root, path, follow_last=True)
        return super().realpath(path)

    def readlink(self, path: bytes) -> bytes:
        """Return a link's target, as seen from within."""
        return self.reverse_map_path(os.readlink(self.map_path(path)))  # noqa: PTH115 - SFTP paths are bytes

    def symlink(self, oldpath: bytes, newpath: bytes) -> None:
        """Create a link; an absolute one leads to the same place for commands that are not confined."""
        target = self._root + oldpath if self._root and oldpath.startswith(b"/") else oldpath
        os.symlink(target, self.map_path(newpath))  # noqa: PTH211 - SFTP paths are bytes
