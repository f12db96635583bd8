"""A file tree in memory with POSIX rules for links, folders and times; no permissions, no disk.

Every user of it is root.

`FakeConnection` uses it. Errors are builtin `OSError`s, as from a real file system.
"""

from __future__ import annotations

import errno
import os
import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ensue.reach.resources.foreign_links import ForeignLinkError, may_follow

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = {"root": 0, "daemon": 1, "www-data": 33, "admin": 1000, "nobody": 65534, "nogroup": 65534}
"""The existing users and groups."""

_MOST_LINKS = 40
_HALF_PAIR = re.compile("[\ud800-\udc7f\udd00-\udfff]")


@dataclass(slots=True, kw_only=True)
class MemoryNode:
    """One file, folder or symlink.

    Args:
        kind: what it is.
        mode: permission bits.
        user: owner's name or number as text.
        group: group's name or number as text.
        content: a file's bytes, a symlink's target.
        mtime_s: time of last change, seconds since the epoch.
        atime_s: time of last access, seconds since the epoch.
    """

    kind: Literal["file", "directory", "symlink"]
    mode: int
    user: str = "root"
    group: str = "root"
    content: bytes = b""
    mtime_s: float = 0.0
    atime_s: float = 0.0


class MemoryTree:
    """Nodes by absolute path.

    Args:
        clock: returns the time of new and changed nodes.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.nodes: dict[str, MemoryNode] = {"/": MemoryNode(kind="directory", mode=0o755)}

    def resolve(self, path: str, *, follow: bool = True, writes: bool = False) -> str:
        """Return the path with symlinks resolved, the last one only if `follow`.

        Raises:
            OSError: the path is not absolute, links go in circles, a file is where a folder should be, or
                a link is not followed by one who writes.
        """
        if not path.startswith("/") or "\0" in path or _HALF_PAIR.search(path):
            raise _fault(errno.EINVAL, path)
        waiting = _parts(path)
        done = "/"
        links = 0
        while waiting:
            part = waiting.pop(0)
            if part == "..":
                done = posixpath.dirname(done)
                continue
            here = posixpath.join(done, part)
            node = self.nodes.get(here)
            if node is not None and node.kind == "symlink" and (waiting or follow):
                links += 1
                if links > _MOST_LINKS:
                    raise _fault(errno.ELOOP, path)
                if writes:
                    self._refuse_foreign(here, node)
                target = os.fsdecode(node.content)
                done = "/" if target.startswith("/") else done
                waiting = _parts(target) + waiting
                continue
            if node is not None and node.kind == "file" and waiting:
                raise _fault(errno.ENOTDIR, path)
            done = here
        return done

    def _refuse_foreign(self, path: str, link: MemoryNode) -> None:
        folder = self.nodes[posixpath.dirname(path)]
        if not may_follow(
            link_uid=number_of(link.user),
            follower_uid=number_of("root"),
            folder_uid=number_of(folder.user),
            folder_mode=folder.mode,
        ):
            raise ForeignLinkError(path, link.user)

    def find(self, path: str, *, follow: bool = True) -> MemoryNode | None:
        """Return the node at a path, None if there is none."""
        try:
            return self.nodes.get(self.resolve(path, follow=follow))
        except OSError as fault:
            if fault.errno in {errno.ENOTDIR, errno.ELOOP}:
                return None
            raise

    def need(self, path: str, *, follow: bool = True, writes: bool = False) -> MemoryNode:
        """Return the node at a path.

        Raises:
            OSError: nothing is there, or `resolve` says why not.
        """
        node = self.nodes.get(self.resolve(path, follow=follow, writes=writes))
        if node is None:
            raise _fault(errno.ENOENT, path)
        return node

    def put(self, path: str, node: MemoryNode) -> None:
        """Place a node, replacing an existing one; its folder must exist.

        Raises:
            OSError: there is no such folder.
        """
        folder = self.nodes.get(posixpath.dirname(path))
        if folder is None:
            raise _fault(errno.ENOENT, path)
        if folder.kind != "directory":
            raise _fault(errno.ENOTDIR, path)
        node.mtime_s = node.mtime_s or self._clock()
        node.atime_s = node.atime_s or node.mtime_s
        self.nodes[path] = node

    def children(self, path: str) -> list[str]:
        """Return the names in a folder, sorted.

        Raises:
            OSError: it is not a folder.
        """
        real = self.resolve(path)
        if self.need(real).kind != "directory":
            raise _fault(errno.ENOTDIR, path)
        return sorted(
            posixpath.basename(key) for key in self.nodes if key != "/" and posixpath.dirname(key) == real
        )

    def remove(self, path: str, *, recursive: bool) -> None:
        """Remove a node and, if `recursive`, all below it; do nothing if there is none.

        Raises:
            OSError: a folder that is not empty, and not `recursive`.
        """
        real = self.resolve(path, follow=False, writes=True)
        node = self.nodes.get(real)
        if node is None:
            return
        below = [key for key in self.nodes if key.startswith(real + "/")]
        if below and not recursive:
            raise _fault(errno.ENOTEMPTY, path)
        for key in [*below, real]:
            del self.nodes[key]

    def rename(self, source: str, target: str) -> None:
        """Move a node with all below it, replacing a file or link.

        Raises:
            OSError: the source is missing, or the target is a folder that is not empty.
        """
        old = self.resolve(source, follow=False, writes=True)
        new = self.resolve(target, follow=False, writes=True)
        moved = self.need(old, follow=False)
        there = self.nodes.get(new)
        if there is not None and there.kind == "directory" and moved.kind != "directory":
            raise _fault(errno.EISDIR, target)
        if there is not None and old != new:
            self.remove(new, recursive=False)
        for key in [key for key in self.nodes if key == old or key.startswith(old + "/")]:
            self.nodes[new + key[len(old) :]] = self.nodes.pop(key)


def number_of(name: str) -> int:
    """Return the number of a user or group, by name or number as text."""
    return int(name) if name.isdecimal() else NUMBERS.get(name, 0)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", "."}]


def _fault(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)
