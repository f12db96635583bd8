"""Checks that nothing of an archive is unpacked outside the destination folder.

Nothing is unpacked through a symlink that leads out of the folder. Unless the user allows it, no symlink that
leads out is created, neither by the archive alone nor through symlinks that exist on the target. Symlinks are
resolved as the target would resolve them after unpacking.
"""

from __future__ import annotations

import asyncio
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ensue.core.contracts.connection import Connection, FileStat
    from ensue.library.states.archive.entries import Contents

_STATS_AT_ONCE: Final = 16
_MOST_LINKS: Final = 40


class Destination:
    """The destination folder as it is before anything is unpacked; each path is looked up once.

    Args:
        connection: the connection to the target.
        folder: where the archive is unpacked, an absolute path.
        is_there: whether the folder exists.
    """

    def __init__(self, connection: Connection, folder: str, *, is_there: bool) -> None:
        self._connection = connection
        self._folder = folder
        self._is_there = is_there
        self._known: dict[str, FileStat | None] = {}

    async def look_at(self, paths: Iterable[str]) -> None:
        """Look up paths below the folder, many at once, because the target may be far away."""
        if not self._is_there:
            return
        at_once = asyncio.Semaphore(_STATS_AT_ONCE)

        async def ask(path: str) -> None:
            async with at_once:
                await self._stat(path)

        absolute = (posixpath.join(self._folder, path) for path in dict.fromkeys(paths))
        answers = await asyncio.gather(*map(ask, absolute), return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer

    def kind(self, path: str) -> str | None:
        """Return the kind of a path that was looked up, None if it does not exist."""
        entry = self._known.get(posixpath.join(self._folder, path))
        return entry.kind if entry else None

    async def refuse_ways_out(
        self, shown: str, contents: Contents, removed: Collection[str], *, allow_outside_links: bool = False
    ) -> None:
        """Make sure that everything unpacked stays in the folder.

        Args:
            shown: the archive's source, for messages.
            contents: the archive's content.
            removed: names directly in the folder that are removed before it is unpacked.
            allow_outside_links: accept symlinks of the archive that lead out. Nothing is unpacked through
                them, because nothing in an archive may be below a symlink of it.

        Raises:
            StateFailedError: a folder of the archive is a symlink on the target that leads out, or a symlink
                of the archive leads out.
        """
        root = await self._real(self._folder, None)
        after = _Unpacked(root=root.rstrip("/"), contents=contents, removed=removed)
        for folder in sorted(contents.folders()):
            real = await self._real(f"{root}/{folder}", after)
            if not after.has(real):
                raise StateFailedError(
                    f"{posixpath.join(self._folder, folder)} leads out of {self._folder} to {real}, through "
                    f"a symlink on the target: {shown} is not unpacked through it, and nothing was changed "
                    "(remove the symlink, or unpack the archive where it points to)"
                )
        refused: Mapping[str, str] = {} if allow_outside_links else contents.links
        for path, target in refused.items():
            real = await self._real(f"{root}/{path}", after)
            if not after.has(real):
                raise StateFailedError(
                    f"{shown} holds the symlink {path!r} to {target!r}, which leads out of {self._folder} to "
                    f"{real}: nothing was unpacked (`allow_outside_links: true` makes such links)"
                )

    async def _real(self, path: str, after: _Unpacked | None) -> str:
        """Follow every symlink in a path, including the last part, whether or not the path exists."""
        at, jumps = "", 0
        rest = path.split("/")[::-1]
        while rest:
            part = rest.pop()
            if part == "..":
                at = at.rpartition("/")[0]
            if part in {"", ".", ".."}:
                continue
            step = f"{at}/{part}"
            target = after.link_at(step) if after else None
            if target is None:
                target = await self._link_at(step)
            if not target:
                at = step
                continue
            jumps += 1
            if jumps > _MOST_LINKS:
                # The target does not follow more links either, and each link on the way is checked by itself.
                return path
            if target.startswith("/"):
                at = ""
            rest.extend(target.split("/")[::-1])
        return at or "/"

    async def _link_at(self, path: str) -> str:
        entry = await self._stat(path)
        return entry.link_target if entry and entry.kind == "symlink" else ""

    async def _stat(self, path: str) -> FileStat | None:
        if path not in self._known:
            self._known[path] = await self._connection.stat(path)
        return self._known[path]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unpacked:
    """The folder after unpacking, as far as the archive determines it.

    Args:
        root: its real path, without a trailing slash.
        contents: the archive's content.
        removed: names directly in the folder that are removed before unpacking.
    """

    root: str
    contents: Contents
    removed: Collection[str]

    def has(self, path: str) -> bool:
        return path == (self.root or "/") or path.startswith(f"{self.root}/")

    def link_at(self, path: str) -> str | None:
        """Return the target of a symlink, empty for any other path of the archive, None for other paths."""
        if not path.startswith(f"{self.root}/"):
            return None
        inner = path[len(self.root) + 1 :]
        if inner in self.contents.kinds:
            return self.contents.links.get(inner, "")
        return "" if inner.partition("/")[0] in self.removed else None
