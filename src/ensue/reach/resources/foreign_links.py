"""Decides which symlinks a write follows: not those of another user in a world-writable folder.

A write resolves symlinks before it puts a new file in the place of the old one, so that the kernel's own
protection never sees them. The rule here is the kernel's, whatever its switch says: a symlink in a sticky,
world-writable folder is followed only by its owner, or when the folder has the same owner. Reading is left to
the kernel.

Source: `fs.protected_symlinks` in the kernel's Documentation/admin-guide/sysctl/fs.rst.
"""

from __future__ import annotations

import errno
import stat
from typing import Final

from ensue.reach.resources.faults import printable

REMEDY: Final = "remove the link, or name the path that it points to"
"""How a user fixes it."""

_STICKY_AND_WORLD_WRITABLE: Final = stat.S_ISVTX | stat.S_IWOTH


class ForeignLinkError(PermissionError):
    """A symlink in the path belongs to another user, in a folder that is writable for everybody.

    Args:
        link: its path on the target.
        owner: its owner.
    """

    def __init__(self, link: str, owner: str) -> None:
        self.remedy = REMEDY
        folder = link.rpartition("/")[0] or "/"
        self.why = (
            f"{printable(link)} is a symlink of `{owner}` in {printable(folder)}, "
            "a sticky folder that everybody may write to"
        )
        super().__init__(errno.EACCES, self.why)


def may_follow(*, link_uid: int, follower_uid: int, folder_uid: int, folder_mode: int) -> bool:
    """Return whether a symlink is followed.

    Args:
        link_uid: owner of the symlink.
        follower_uid: who would follow it.
        folder_uid: owner of the folder it is in.
        folder_mode: mode of that folder.
    """
    if folder_mode & _STICKY_AND_WORLD_WRITABLE != _STICKY_AND_WORLD_WRITABLE:
        return True
    return link_uid in {follower_uid, folder_uid}


def parts_reversed(path: str) -> list[str]:
    """Return a path's parts, last first, so that `pop` walks it."""
    return [part for part in reversed(path.split("/")) if part not in {"", "."}]
