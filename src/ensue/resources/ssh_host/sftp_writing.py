"""The steps of an atomic write over SFTP: look at what is there, write beside it, give it its owner."""

from __future__ import annotations

import asyncio
import errno
import stat as stat_bits

import asyncssh
from asyncssh import constants as fx

from ensue.resources.ssh_host.sftp_paths import found_at


async def regular_file(sftp: asyncssh.SFTPClient, path: str) -> asyncssh.SFTPAttrs | None:
    """Return what is at a path without symlinks; a folder, pipe or device must not be."""
    found = await found_at(sftp, path, follow=False)
    if found is not None:
        need_regular(found)
    return found


async def write_new(sftp: asyncssh.SFTPClient, path: str, content: bytes) -> asyncssh.SFTPAttrs:
    """Write a new file that nobody else can read yet, and return what it is."""
    flags = fx.FXF_WRITE | fx.FXF_CREAT | fx.FXF_EXCL
    async with sftp.open(path, flags, asyncssh.SFTPAttrs(permissions=0o600), encoding=None) as file:
        if content:
            await file.write(content)
        # Both are on their way at once.
        written, mine = await asyncio.gather(file.fsync(), file.stat(), return_exceptions=True)
        if isinstance(mine, BaseException):
            raise mine
        if isinstance(written, BaseException) and not isinstance(written, asyncssh.SFTPOpUnsupported):
            raise written
        return mine


async def dress(
    sftp: asyncssh.SFTPClient, path: str, mine: asyncssh.SFTPAttrs, *, uid: int | None, gid: int | None
) -> None:
    """Give a new file the owner and group that are wanted, where it does not have them."""
    owner, group = first(uid, mine.uid), first(gid, mine.gid)
    if (owner, group) != (mine.uid, mine.gid):
        await sftp.setstat(path, asyncssh.SFTPAttrs(uid=owner, gid=group))


def need_regular(found: asyncssh.SFTPAttrs) -> None:
    """Refuse what is no regular file.

    Raises:
        OSError: it is a folder, device, pipe or socket.
    """
    permissions = found.permissions or 0
    if stat_bits.S_ISDIR(permissions):
        raise IsADirectoryError(errno.EISDIR, "Is a directory")
    if not stat_bits.S_ISREG(permissions):
        raise OSError(errno.EINVAL, "it is no regular file")


def first(*numbers: int | None) -> int | None:
    """Return the first number that is given."""
    return next((number for number in numbers if number is not None), None)
