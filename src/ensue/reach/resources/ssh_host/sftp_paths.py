"""Resolves paths that are written to over SFTP; `foreign_links` decides which links are not followed."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import posixpath
import stat as stat_bits
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.connection import Command
from ensue.reach.resources.foreign_links import ForeignLinkError, may_follow, parts_reversed
from ensue.reach.resources.ssh_host.sftp_messages import SftpError, Status

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.connection import Completed
    from ensue.reach.resources.ssh_host.accounts import RemoteAccounts
    from ensue.reach.resources.ssh_host.sftp_client import SftpClient
    from ensue.reach.resources.ssh_host.sftp_messages import SftpAttributes

_MOST_LINKS: Final = 40
_ABSENT: Final = frozenset({Status.NO_SUCH_FILE, Status.NO_SUCH_PATH, Status.NOT_A_DIRECTORY})


async def found_at(sftp: SftpClient, path: str, *, follow: bool) -> SftpAttributes | None:
    """Return the attributes of a path, None if nothing exists there."""
    try:
        return await (sftp.stat(path) if follow else sftp.lstat(path))
    except SftpError as fault:
        if fault.code in _ABSENT:
            return None
        raise


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

    async def real(self, sftp: SftpClient, path: str, *, follow: bool) -> str:
        """Return a path without symlinks, as `found` does."""
        return (await self.found(sftp, path, follow=follow))[0]

    async def found(self, sftp: SftpClient, path: str, *, follow: bool) -> tuple[str, SftpAttributes | None]:
        """Return a path without symlinks (the last one is resolved only if `follow`), and its attributes.

        Args:
            sftp: the session.
            path: an absolute path.
            follow: whether a symlink at the end is followed.

        Raises:
            OSError: symlinks form a loop, or one of them must not be followed.
        """
        plain = path.rstrip("/") or "/"
        folder, name = posixpath.split(plain)
        # Most paths have no symlink, so both requests are sent at once.
        real, last = await asyncio.gather(_real(sftp, folder), found_at(sftp, plain, follow=False))
        if real == folder and name not in {"", ".", ".."} and not (follow and _is_link(last)):
            return plain, last
        walked = await self._walked(sftp, plain, follow=follow)
        return walked, await found_at(sftp, walked, follow=False)

    async def _walked(self, sftp: SftpClient, path: str, *, follow: bool) -> str:
        waiting = parts_reversed(path)
        done = ""
        links = 0
        while waiting:
            part = waiting.pop()
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            here = f"{done}/{part}"
            attributes = await found_at(sftp, here, follow=False) if waiting or follow else None
            if attributes is None or not _is_link(attributes):
                done = here
                continue
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            await self._refuse_foreign(sftp, done, here, attributes.uid or 0)
            target = await sftp.readlink(here)
            done = "" if target.startswith("/") else done
            waiting += parts_reversed(target)
        return done or "/"

    async def _refuse_foreign(self, sftp: SftpClient, folder: str, link: str, owner: int) -> None:
        above = await sftp.stat(folder or "/")
        mode, folder_uid = above.permissions or 0, above.uid or 0
        # The user is queried only if it matters.
        if may_follow(link_uid=owner, follower_uid=folder_uid, folder_uid=folder_uid, folder_mode=mode):
            return
        if owner != await self._follower(sftp):
            raise ForeignLinkError(link, await self._accounts.name("passwd", owner))

    async def _follower(self, sftp: SftpClient) -> int:
        """Return the number of the user logged in; if no command runs, the owner of the home folder."""
        if self._own_uid is None:
            done = await self._run(Command(argv=["id", "-u"], cwd="/"))
            output = done.stdout.strip()
            home = None if output.isdigit() else await sftp.stat(".")
            self._own_uid = int(output) if home is None else home.uid or 0
        return self._own_uid


async def _real(sftp: SftpClient, folder: str) -> str | None:
    with contextlib.suppress(SftpError):
        return await sftp.realpath(folder)
    return None


def _is_link(attributes: SftpAttributes | None) -> bool:
    return attributes is not None and stat_bits.S_ISLNK(attributes.permissions or 0)
