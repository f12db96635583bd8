"""The paths of an archive, and how its entries relate to each other.

An archive is refused whole when a name leads out of its folder or holds control characters, when an entry
is below one that is no folder (a symlink that a later entry would be written through), and when a hard
link names nothing that comes before it. Where symlinks lead is looked at in `destination`.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final, Literal

from ensue.errors import StateFailedError

if TYPE_CHECKING:
    import tarfile

EntryKind = Literal["file", "directory", "symlink"]

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class Layout:
    """What is at which path, entry by entry.

    Args:
        shown: the archive's source, for messages.
        strip: how many leading folders are cut off the names.

    Attributes:
        kinds: what the archive leaves at each path that has an entry, in the order of the entries.
        links: where its symlinks point, by path.
    """

    def __init__(self, shown: str, strip: int) -> None:
        self._shown = shown
        self._strip = strip
        self._folders: set[str] = set()
        self._others: dict[str, EntryKind] = {}
        self.kinds: dict[str, EntryKind] = {}
        self.links: dict[str, str] = {}

    def relative(self, name: str) -> str:
        """Return a name without a leading `/`, `.` and stripped folders; empty when nothing is left.

        Raises:
            StateFailedError: the name leads out, or holds control characters.
        """
        if _CONTROL.search(name):
            raise StateFailedError(f"{self._shown} holds {name!r}, a name with control characters")
        parts = [part for part in name.split("/") if part not in {"", "."}]
        if ".." in parts:
            raise StateFailedError(
                f"{self._shown} holds {name!r}, which leads out of the folder it is unpacked in"
            )
        return "/".join(parts[self._strip :])

    def add(self, entry: tarfile.TarInfo) -> None:
        """Take note of an entry whose name is relative.

        Raises:
            StateFailedError: it does not go with those before it.
        """
        path = entry.name
        kind: EntryKind = "file"
        if entry.isdir():
            kind = "directory"
        elif entry.issym():
            kind = "symlink"
            self.links[path] = self._checked_target(path, entry.linkname)
        elif entry.islnk():
            kind = self._linked_kind(path, entry.linkname)
        if kind != "symlink":
            self.links.pop(path, None)
        self._place(path, kind)

    def _place(self, path: str, kind: EntryKind) -> None:
        folder = posixpath.dirname(path)
        while folder:
            if folder in self._others:
                self._refuse_below(path, folder)
            self._folders.add(folder)
            folder = posixpath.dirname(folder)
        if kind != "directory":
            if path in self._folders:
                self._others[path] = kind
                below = next(other for other in self.kinds if other.startswith(f"{path}/"))
                self._refuse_below(below, path)
            self._others[path] = kind
        self.kinds[path] = kind

    def _refuse_below(self, path: str, other: str) -> None:
        kind = self._others[other]
        raise StateFailedError(
            f"{self._shown} holds {other!r} as a {kind} and {path!r} below it: it would be unpacked through "
            f"the {kind}"
        )

    def _checked_target(self, path: str, target: str) -> str:
        if not target or _CONTROL.search(target):
            raise StateFailedError(
                f"{self._shown} holds the symlink {path!r} to {target!r}, which is no path"
            )
        return target

    def _linked_kind(self, path: str, target: str) -> EntryKind:
        """Return what a hard link makes of its path: the same as what it is linked to."""
        kind = self.kinds.get(target)
        if kind is None or kind == "directory":
            raise StateFailedError(
                f"{self._shown} holds the hard link {path!r} to {target!r}, but no such file before it"
            )
        if kind == "symlink":
            # The same text leads elsewhere from another folder, so it is checked as a symlink of its own.
            self.links[path] = self.links[target]
        return kind
