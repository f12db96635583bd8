"""Steps of an atomic write over SFTP: checking what is replaced, and writing the new file beside it."""

from __future__ import annotations

import errno
import stat as stat_bits
from typing import TYPE_CHECKING

from ensue.reach.resources.ssh_host.sftp_messages import SftpAttributes

if TYPE_CHECKING:
    from ensue.core.contracts.content import Content
    from ensue.reach.resources.ssh_host.sftp_client import SftpClient


async def write_beside(
    sftp: SftpClient, path: str, content: Content, *, mode: int, uid: int | None, gid: int | None
) -> None:
    """Write a new file with its mode and owner; nobody else can read it before it has both.

    Args:
        sftp: the session.
        path: its path.
        content: its content.
        mode: its permission bits.
        uid: its owner; None: the user logged in.
        gid: its group; None: that of the user logged in.
    """
    if uid is None and gid is None:
        await sftp.create(path, content, mode=mode)
        return
    mine = await sftp.create(path, content, mode=None)
    owner, group = first(uid, mine.uid), first(gid, mine.gid)
    if (owner, group) != (mine.uid, mine.gid):
        # This clears set-id bits, so the mode is set after it.
        await sftp.set_attributes(path, SftpAttributes(uid=owner, gid=group))
    await sftp.set_attributes(path, SftpAttributes(permissions=mode))


def need_regular(attributes: SftpAttributes) -> None:
    """Refuse anything but a regular file.

    Raises:
        OSError: it is a folder, device, pipe or socket.
    """
    permissions = attributes.permissions or 0
    if stat_bits.S_ISDIR(permissions):
        raise IsADirectoryError(errno.EISDIR, "Is a directory")
    if not stat_bits.S_ISREG(permissions):
        raise OSError(errno.EINVAL, "it is not a regular file")


def first(*numbers: int | None) -> int | None:
    """Return the first number that is not None."""
    return next((number for number in numbers if number is not None), None)
