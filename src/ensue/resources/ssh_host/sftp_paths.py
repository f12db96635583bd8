"""Where a path that is written to over SFTP really is; `foreign_links` says which links are not followed."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import posixpath
import stat as stat_bits
from typing import TYPE_CHECKING, Final

import asyncssh

from ensue.contracts.connection import Command
from ensue.resources.foreign_links import ForeignLinkError, may_follow

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.contracts.connection import Completed
    from ensue.resources.ssh_host.accounts import RemoteAccounts

_MOST_LINKS: Final = 40


async def found_at(sftp: asyncssh.SFTPClient, path: str, *, follow: bool) -> asyncssh.SFTPAttrs | None:
    """Return what is at a path, None when nothing is there."""
    try:
        return await (sftp.stat(path) if follow else sftp.lstat(path))
    except (asyncssh.SFTPNoSuchFile, asyncssh.SFTPNoSuchPath, asyncssh.SFTPNotADirectory):
        return None


class WrittenPaths:
    """Resolves the paths that are written to on one host.

    Args:
        run: runs a command on it.
        accounts: its users.
    """

    def __init__(self, run: Callable[[Command], Awaitable[Completed]], accounts: RemoteAccounts) -> None:
        self._run = run
        self._accounts = accounts
        self._own_uid: int | None = None

    async def real(self, sftp: asyncssh.SFTPClient, path: str, *, follow: bool) -> str:
        """Return a path without symlinks, a last one only when `follow`.

        Args:
            sftp: the session.
            path: an absolute path.
            follow: whether a symlink at the very end is followed.

        Raises:
            OSError: symlinks go in circles, or one of them is not to be followed.
        """
        plain = path.rstrip("/") or "/"
        folder, name = posixpath.split(plain)
        # Most paths have no symlink, and both questions are on their way at once.
        real, last = await asyncio.gather(_real(sftp, folder), found_at(sftp, plain, follow=False))
        if real == folder and name not in {"", ".", ".."} and not (follow and _is_link(last)):
            return plain
        return await self._walked(sftp, plain, follow=follow)

    async def _walked(self, sftp: asyncssh.SFTPClient, path: str, *, follow: bool) -> str:
        waiting = _parts(path)
        done = ""
        links = 0
        while waiting:
            part = waiting.pop()
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            here = f"{done}/{part}"
            found = await found_at(sftp, here, follow=False) if waiting or follow else None
            if found is None or not _is_link(found):
                done = here
                continue
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            await self._refuse_foreign(sftp, done, here, found.uid or 0)
            target = await sftp.readlink(here)
            done = "" if target.startswith("/") else done
            waiting += _parts(target)
        return done or "/"

    async def _refuse_foreign(self, sftp: asyncssh.SFTPClient, folder: str, link: str, owner: int) -> None:
        above = await sftp.stat(folder or "/")
        mode, folder_uid = above.permissions or 0, above.uid or 0
        # Who follows is asked only where it decides.
        if may_follow(link_uid=owner, follower_uid=folder_uid, folder_uid=folder_uid, folder_mode=mode):
            return
        if owner != await self._follower(sftp):
            raise ForeignLinkError(link, await self._accounts.name("passwd", owner))

    async def _follower(self, sftp: asyncssh.SFTPClient) -> int:
        """Return the number of the user logged in; where no command runs, the owner of the home folder."""
        if self._own_uid is None:
            done = await self._run(Command(argv=["id", "-u"], cwd="/"))
            said = done.stdout.strip()
            home = None if said.isdigit() else await sftp.stat(".")
            self._own_uid = int(said) if home is None else home.uid or 0
        return self._own_uid


async def _real(sftp: asyncssh.SFTPClient, folder: str) -> str | None:
    with contextlib.suppress(asyncssh.SFTPError):
        return await sftp.realpath(folder)
    return None


def _is_link(found: asyncssh.SFTPAttrs | None) -> bool:
    return found is not None and stat_bits.S_ISLNK(found.permissions or 0)


def _parts(path: str) -> list[str]:
    """Return a path's parts, last first, so that `pop` walks it."""
    return [part for part in reversed(path.split("/")) if part not in {"", "."}]
