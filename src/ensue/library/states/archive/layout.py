"""Checks the paths of an archive, and the relations between its entries.

An archive is refused as a whole if a name leads out of its folder or contains control characters, if an entry
is below another that is not a folder (a later entry would be written through a symlink), or if a hard link
names no earlier entry. `destination` checks where symlinks lead.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final, Literal

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    import tarfile

EntryKind = Literal["file", "directory", "symlink"]

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


class ArchiveLayout:
    """The paths of an archive, collected entry by entry.

    Args:
        shown: the archive's source, for messages.
        strip: number of leading folders to strip from the names.

    Attributes:
        kinds: the final kind of each path that has an entry, in the order of the entries.
        links: targets of symlinks, by path.
    """

    def __init__(self, shown: str, strip: int) -> None:
        self._shown = shown
        self._strip = strip
        self._folders: set[str] = set()
        self._others: dict[str, EntryKind] = {}
        self.kinds: dict[str, EntryKind] = {}
        self.links: dict[str, str] = {}

    def relative(self, name: str) -> str:
        """Return a name without a leading `/`, `.` and stripped folders; empty if nothing is left.

        Raises:
            StateFailedError: the name leads out of the folder, or contains control characters.
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
        """Add an entry with a relative name.

        Raises:
            StateFailedError: the entry conflicts with earlier ones.
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
                f"{self._shown} holds the symlink {path!r} to {target!r}, which is not a path"
            )
        return target

    def _linked_kind(self, path: str, target: str) -> EntryKind:
        """Return the kind of a hard link: that of the entry that it links to."""
        kind = self.kinds.get(target)
        if kind is None or kind == "directory":
            raise StateFailedError(
                f"{self._shown} holds the hard link {path!r} to {target!r}, but no such file comes before it"
            )
        if kind == "symlink":
            # From another folder, a relative target leads elsewhere: the new path is checked as a symlink.
            self.links[path] = self.links[target]
        return kind
