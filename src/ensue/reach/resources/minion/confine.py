"""Maps paths of a minion to real paths of this machine, if it has its own root or a path is written to.

With `root: /srv/image` the path `/etc/hosts` means `/srv/image/etc/hosts`; `..` ends at the root and
symlinks are resolved as seen from inside. This keeps demos and image builds in their folder; it does not
confine a program that wants to get out (commands see the whole machine).

A path that is written to is resolved here with or without a root: `foreign_links` says which links a write
does not follow.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from ensue.reach.resources.foreign_links import ForeignLinkError, may_follow, parts_reversed
from ensue.reach.resources.minion.accounts import user_name

_MOST_LINKS = 40


class Confinement:
    """Maps paths of the target to paths of this machine.

    Args:
        root: an absolute folder; `/` maps every path to itself.
    """

    __slots__ = ("root",)

    def __init__(self, root: str = "/") -> None:
        self.root = "" if root == "/" else os.path.realpath(root)

    def real(self, path: str, *, follow: bool = True) -> str:
        """Return the path on this machine.

        Args:
            path: an absolute path on the target.
            follow: whether a symlink at the end is followed (below a root; without one, the kernel decides).

        Raises:
            OSError: the path is not absolute, or symlinks form a loop.
        """
        if path[:1] != "/":
            raise OSError(errno.EINVAL, "not an absolute path", path)
        if not self.root:
            return path.rstrip("/") or "/"
        return self.root + self._inside(path, follow=follow, writes=False)

    def written(self, path: str, *, follow: bool = True) -> str:
        """Return the path on this machine of what is to be changed, without symlinks except perhaps the last.

        Args:
            path: an absolute path on the target.
            follow: whether a symlink at the end is followed.

        Raises:
            OSError: the path is not absolute, symlinks form a loop, or one of them must not be followed.
        """
        if path[:1] != "/":
            raise OSError(errno.EINVAL, "not an absolute path", path)
        return self.root + self._inside(path, follow=follow, writes=True) or "/"

    def shown(self, real_path: str) -> str:
        """Return a path of this machine as a path of the target."""
        if self.root and (real_path == self.root or real_path.startswith(self.root + "/")):
            return real_path[len(self.root) :] or "/"
        return real_path

    def _inside(self, path: str, *, follow: bool, writes: bool) -> str:
        waiting = parts_reversed(path)
        done = ""
        links = 0
        while waiting:
            part = waiting.pop()
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            here = f"{done}/{part}"
            target = _link_target(self.root + here) if waiting or follow else None
            if target is None:
                done = here
                continue
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            if writes:
                self._refuse_foreign(done, here)
            done = "" if target.startswith("/") else done
            waiting += parts_reversed(target)
        return done

    def _refuse_foreign(self, folder: str, link: str) -> None:
        with suppress(FileNotFoundError):  # It has just been removed.
            uid, above = os.lstat(self.root + link).st_uid, os.stat(self.root + folder or "/")  # noqa: PTH116 (strings)
            if not may_follow(
                link_uid=uid, follower_uid=os.geteuid(), folder_uid=above.st_uid, folder_mode=above.st_mode
            ):
                raise ForeignLinkError(link, user_name(uid))


def _link_target(path: str) -> str | None:
    try:
        return os.readlink(path)  # noqa: PTH115 (a string)
    except OSError:
        # Not a link, nothing there, or not readable for us: the operation itself will report it.
        return None
