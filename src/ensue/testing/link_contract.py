# ruff: noqa: S101, PLR2004 (a test asserts, and its literal expectations are the facts it states)
"""The contract of a Connection's symlinks, part of `FileContract`: which of them a change follows."""

from __future__ import annotations

import asyncio
import errno
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import RemoteFileError
from ensue.testing.contract_play import scene

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ensue.core.contracts.connection import Connection

_FOLLOWED = (
    # mode of a folder, its owner, owner of a link that root follows there
    (0o1777, "nobody", "nobody"),
    (0o1777, "daemon", "root"),
    (0o1775, "root", "nobody"),
    (0o777, "root", "nobody"),
)


class LinkContract:
    """Changing things through symlinks."""

    @scene
    async def test_writing_follows_symlinks(self, target: Connection, folder: str) -> None:
        """Writing through a link, a chain or a dangling one writes what it points to; the links stay."""
        await target.make_directory(f"{folder}/real")
        await target.write(f"{folder}/real/file", b"old", mode=0o600)
        await target.symlink("real/file", f"{folder}/link")
        await target.symlink("link", f"{folder}/chain")
        await target.symlink("real/new", f"{folder}/dangling")
        await target.write(f"{folder}/chain", b"new")
        await target.write(f"{folder}/dangling", b"made")
        assert await target.read(f"{folder}/real/file") == b"new"
        assert await _mode(target, f"{folder}/real/file") == 0o600
        assert await target.read(f"{folder}/real/new") == b"made"
        assert await target.list_directory(folder) == ["chain", "dangling", "link", "real"]
        assert await target.list_directory(f"{folder}/real") == ["file", "new"]
        for name in ("chain", "dangling", "link"):
            status = await target.stat(f"{folder}/{name}")
            assert status is not None
            assert status.kind == "symlink"

    @scene
    async def test_links_of_others_are_not_written_through(self, target: Connection, folder: str) -> None:
        """In a sticky world-writable folder, writes follow only links of the writer or the folder owner."""
        me = await target.stat(folder)
        assert me is not None
        if me.uid:
            return  # Only root can change a link's owner.
        await target.make_directory(f"{folder}/real")
        await target.write(f"{folder}/real/file", b"kept", mode=0o600)
        before = await target.stat(f"{folder}/real/file")

        async def follows(number: int, mode_and_owners: tuple[int, str, str]) -> None:
            sticky = await _with_link(target, folder, mode_and_owners, f"real/{number}")
            await target.write(f"{sticky}/link", b"new")

        async def refuses_other_owner() -> None:
            sticky = await _with_link(target, folder, (0o1777, "daemon", "nobody"), "real/file")
            await _assert_refused(target.write(f"{sticky}/link", b"forged"), sticky)

        async def refuses_every_change() -> None:
            sticky = await _with_link(target, folder, (0o1777, "root", "nobody"), "real/file")
            await target.symlink(f"{folder}/real", f"{sticky}/way")
            await target.set_owner(f"{sticky}/way", user="nobody", follow=False)
            changes = (
                target.write(f"{sticky}/link", b"forged"),
                target.set_mode(f"{sticky}/link", 0o666),
                target.set_owner(f"{sticky}/link", user="nobody"),
                target.set_times(f"{sticky}/link", atime_s=1, mtime_s=1),
                target.write(f"{sticky}/way/new", b"forged"),
                target.set_owner(f"{sticky}/way/file", user="nobody", follow=False),
                target.make_directory(f"{sticky}/way/folder/deep", parents=True),
                target.symlink("file", f"{sticky}/way/another"),
                target.rename(f"{sticky}/way/file", f"{folder}/moved"),
                target.rename(f"{folder}/real/file", f"{sticky}/way/moved"),
                target.remove(f"{sticky}/way/file"),
            )
            await asyncio.gather(*(_assert_refused(change, sticky) for change in changes))
            await target.set_owner(sticky, user="nobody")
            await target.write(f"{sticky}/way/through", b"")
            await target.remove(f"{sticky}/link")
            await target.rename(f"{sticky}/way", f"{sticky}/gone")

        await asyncio.gather(
            *map(follows, range(4), _FOLLOWED), refuses_other_owner(), refuses_every_change()
        )
        assert await target.stat(f"{folder}/real/file") == before
        assert await target.read(f"{folder}/real/file") == b"kept"
        assert await target.list_directory(f"{folder}/real") == ["0", "1", "2", "3", "file", "through"]

    @scene
    async def test_symlinks_are_replaced_files_are_not(self, target: Connection, folder: str) -> None:
        """A symlink replaces a symlink, also one to a folder, but never a file or folder."""
        await target.make_directory(f"{folder}/folder")
        await target.write(f"{folder}/file", b"kept")
        await target.symlink("folder", f"{folder}/link")
        await target.symlink("file", f"{folder}/link")
        assert await target.read(f"{folder}/link") == b"kept"
        for name in ("file", "folder"):
            with pytest.raises(RemoteFileError):
                await target.symlink("elsewhere", f"{folder}/{name}")
        with pytest.raises(RemoteFileError):
            await target.symlink("file", f"{folder}/absent/link")
        assert await target.read(f"{folder}/file") == b"kept"
        assert await target.list_directory(folder) == ["file", "folder", "link"]
        assert await target.list_directory(f"{folder}/folder") == []


async def _with_link(
    target: Connection, folder: str, mode_and_owners: tuple[int, str, str], leads_to: str
) -> str:
    """Make a folder with a symlink `link`, each with an owner; return its path."""
    mode, owner, link_owner = mode_and_owners
    path = f"{folder}/{mode:o}-{owner}-{link_owner}"
    await target.make_directory(path, mode=mode)
    await target.symlink(f"{folder}/{leads_to}", f"{path}/link")
    await target.set_owner(f"{path}/link", user=link_owner, follow=False)
    await target.set_owner(path, user=owner)
    return path


async def _assert_refused(change: Awaitable[None], sticky: str) -> None:
    """Assert that a change does not go through a symlink of `nobody` in a folder."""
    with pytest.raises(RemoteFileError, match=f"symlink of `nobody` in {sticky}") as caught:
        await change
    assert caught.value.errno == errno.EACCES


async def _mode(target: Connection, path: str) -> int:
    status = await target.stat(path)
    assert status is not None
    return status.mode
