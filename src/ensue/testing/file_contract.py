# ruff: noqa: S101, PLR2004 (a test asserts, and its literal expectations are the facts it states)
"""The contract of a Connection's files, as pytest tests for any connection.

It includes the contracts of content and symlinks (`content_contract`, `link_contract`).

Derive from `FileContract` and give a fixture `subject` that returns a `Subject`. What a target
cannot do for want of rights (giving files away) is tested both ways: it works, or it is refused.
"""

from __future__ import annotations

import asyncio
import errno

import pytest

from ensue.core.contracts.connection import Connection
from ensue.core.errors import RemoteFileError
from ensue.testing.content_contract import ContentContract
from ensue.testing.contract_data import HARD_NAMES
from ensue.testing.contract_play import scene
from ensue.testing.link_contract import LinkContract


class FileContract(ContentContract, LinkContract):
    """Reading, writing, describing and arranging files."""

    @scene
    async def test_is_a_connection(self, target: Connection, folder: str) -> None:
        """The connection has every method of the Protocol and names its target."""
        assert isinstance(target, Connection)
        assert target.srn.type
        assert (await target.stat(folder)) is not None

    @scene
    async def test_hard_names(self, target: Connection, folder: str) -> None:
        """Names with blanks, quotes, line breaks, wildcards and bytes that are not UTF-8 work."""

        async def write(name: str) -> None:
            await target.write(f"{folder}/{name}", name.encode("utf-8", "surrogateescape"))

        async def move(name: str) -> None:
            path = f"{folder}/{name}"
            assert await target.read(path) == name.encode("utf-8", "surrogateescape")
            await target.rename(path, f"{path}.moved")

        async def link(name: str) -> None:
            path = f"{folder}/{name}"
            await target.symlink(f"{name}.moved", path)
            status = await target.stat(path)
            assert status is not None
            assert status.link_target == f"{name}.moved"
            assert await target.checksum(path) is not None
            await target.remove(path)

        await asyncio.gather(*map(write, HARD_NAMES))
        assert await target.list_directory(folder) == sorted(HARD_NAMES)
        await asyncio.gather(*map(move, HARD_NAMES))
        assert await target.list_directory(folder) == sorted(f"{name}.moved" for name in HARD_NAMES)
        await asyncio.gather(*map(link, HARD_NAMES[4::5]))  # Quotes, a line break, no UTF-8.
        await asyncio.gather(*(target.remove(f"{folder}/{name}.moved") for name in HARD_NAMES))
        assert await target.list_directory(folder) == []

    @scene
    async def test_readers_see_old_or_new_never_a_part(self, target: Connection, folder: str) -> None:
        """While a file is replaced repeatedly, each reader gets one complete content."""
        path = f"{folder}/file"
        size_bytes = 200_000
        contents = {letter * size_bytes for letter in (b"a", b"b")}
        await target.write(path, b"a" * size_bytes)
        done = asyncio.Event()

        async def replace() -> None:
            for round_ in range(12):
                await target.write(path, (b"a" if round_ % 2 else b"b") * size_bytes)
            done.set()

        async def watch() -> None:
            while not done.is_set():
                assert await target.read(path) in contents
                await asyncio.sleep(0)

        async with asyncio.TaskGroup() as group:
            group.create_task(watch())
            group.create_task(replace())
        assert await target.list_directory(folder) == ["file"]

    @scene
    async def test_a_failed_write_leaves_everything_as_it_was(self, target: Connection, folder: str) -> None:
        """Writing onto a folder, below a file or into nothing fails, and leaves nothing behind."""
        await target.make_directory(f"{folder}/folder")
        await target.write(f"{folder}/file", b"old")
        for path in (f"{folder}/folder", f"{folder}/file/below", f"{folder}/absent/file"):
            with pytest.raises(RemoteFileError) as caught:
                await target.write(path, b"new")
            assert caught.value.path == path
        with pytest.raises(RemoteFileError, match="no-such-user"):
            await target.write(f"{folder}/file", b"new", user="no-such-user")
        assert await target.list_directory(folder) == ["file", "folder"]
        assert await target.list_directory(f"{folder}/folder") == []
        assert await target.read(f"{folder}/file") == b"old"

    @scene
    async def test_modes(self, target: Connection, folder: str) -> None:
        """A new file is 0644, a given mode is set, and an existing file keeps its own if none is given."""
        path = f"{folder}/file"
        await target.write(path, b"1")
        assert await _mode(target, path) == 0o644
        await target.write(path, b"2", mode=0o600)
        assert await _mode(target, path) == 0o600
        await target.set_mode(path, 0o4751)
        await target.write(path, b"3")
        assert await _mode(target, path) == 0o4751
        await target.write(f"{folder}/open", b"", mode=0o666)
        assert await _mode(target, f"{folder}/open") == 0o666
        await target.symlink("file", f"{folder}/link")
        await target.set_mode(f"{folder}/link", 0o640)
        assert await _mode(target, path) == 0o640

    @scene
    async def test_owner(self, target: Connection, folder: str) -> None:
        """Root gives files away, by name and by number, and a write keeps the owner; others are refused."""
        path = f"{folder}/file"
        await target.write(path, b"1")
        me = await target.stat(path)
        assert me is not None
        await target.set_owner(path, user=me.user, group=me.group)
        await target.set_owner(path, user=str(me.uid), group=str(me.gid))
        if me.uid:
            with pytest.raises(RemoteFileError):
                await target.set_owner(path, user="root")
            return
        await target.set_owner(path, user="nobody", group="nogroup")
        await target.write(path, b"2")
        assert await _owner(target, path) == ("nobody", "nogroup")
        await target.write(path, b"3", user="root")
        assert await _owner(target, path) == ("root", "nogroup")
        await target.write(f"{folder}/new", b"", user="nobody", group="nogroup", mode=0o4600)
        assert await _owner(target, f"{folder}/new") == ("nobody", "nogroup")
        assert await _mode(target, f"{folder}/new") == 0o4600
        await target.set_owner(path, user="54321", group="54322")
        assert await _owner(target, path) == ("54321", "54322")
        await target.symlink("file", f"{folder}/link")
        await target.set_owner(f"{folder}/link", user="nobody", follow=False)
        assert await _owner(target, f"{folder}/link") == ("nobody", "root")
        assert await _owner(target, path) == ("54321", "54322")

    @scene
    async def test_unknown_owner(self, target: Connection, folder: str) -> None:
        """A user or group that does not exist is an error that names it."""
        await target.write(f"{folder}/file", b"")
        with pytest.raises(RemoteFileError, match="no-such-user"):
            await target.set_owner(f"{folder}/file", user="no-such-user")
        with pytest.raises(RemoteFileError, match="no-such-group"):
            await target.set_owner(f"{folder}/file", group="no-such-group")

    @scene
    async def test_stat_follows_only_when_asked(self, target: Connection, folder: str) -> None:
        """`stat` describes a symlink itself, or its target; with a dangling one, only itself exists."""
        await target.write(f"{folder}/file", b"12345")
        await target.symlink("file", f"{folder}/link")
        await target.symlink(f"{folder}/absent", f"{folder}/dangling")
        link = await target.stat(f"{folder}/link")
        assert link is not None
        assert (link.kind, link.link_target) == ("symlink", "file")
        followed = await target.stat(f"{folder}/link", follow=True)
        assert followed is not None
        assert (followed.kind, followed.size_bytes, followed.link_target) == ("file", 5, "")
        dangling = await target.stat(f"{folder}/dangling")
        assert dangling is not None
        assert dangling.link_target == f"{folder}/absent"
        assert await target.stat(f"{folder}/dangling", follow=True) is None
        assert await target.read(f"{folder}/link") == b"12345"

    @scene
    async def test_folders_are_made(self, target: Connection, folder: str) -> None:
        """A folder is 0755 or as asked; parents only when asked; an existing one is left as it is."""
        await target.make_directory(f"{folder}/a")
        assert await _mode(target, f"{folder}/a") == 0o755
        await target.make_directory(f"{folder}/b", mode=0o700)
        assert await _mode(target, f"{folder}/b") == 0o700
        await target.make_directory(f"{folder}/b", mode=0o755)
        assert await _mode(target, f"{folder}/b") == 0o700
        with pytest.raises(RemoteFileError):
            await target.make_directory(f"{folder}/x/y/z")
        await target.make_directory(f"{folder}/x/y/z/", mode=0o750, parents=True)
        assert await _mode(target, f"{folder}/x/y/z") == 0o750
        assert await _mode(target, f"{folder}/x/y") == 0o755
        await target.make_directory(f"{folder}/x/y", parents=True)
        await target.write(f"{folder}/file", b"")
        for path in (f"{folder}/file", f"{folder}/file/below"):
            with pytest.raises(RemoteFileError):
                await target.make_directory(path, parents=True)

    @scene
    async def test_listing(self, target: Connection, folder: str) -> None:
        """Names are sorted and include hidden ones; only folders can be listed."""
        for name in ("b", ".hidden", "..two", "a", "C"):
            await target.write(f"{folder}/{name}", b"")
        assert await target.list_directory(folder) == ["..two", ".hidden", "C", "a", "b"]
        assert await target.list_directory(f"{folder}/") == ["..two", ".hidden", "C", "a", "b"]
        for path in (f"{folder}/a", f"{folder}/absent"):
            with pytest.raises(RemoteFileError):
                await target.list_directory(path)

    @scene
    async def test_removing(self, target: Connection, folder: str) -> None:
        """Files, links and empty folders are removed; others only recursively; missing ones are ignored."""
        await target.make_directory(f"{folder}/full/deep/er", parents=True)
        await target.write(f"{folder}/full/deep/file", b"")
        await target.make_directory(f"{folder}/outside")
        await target.write(f"{folder}/outside/kept", b"kept")
        await target.symlink(f"{folder}/outside", f"{folder}/full/link")
        await target.symlink(f"{folder}/outside", f"{folder}/link")
        await target.remove(f"{folder}/link")
        await target.remove(f"{folder}/absent")
        await target.remove(f"{folder}/absent", recursive=True)
        await target.remove(f"{folder}/outside/kept/below")
        with pytest.raises(RemoteFileError) as caught:
            await target.remove(f"{folder}/full")
        assert caught.value.errno == errno.ENOTEMPTY
        assert await target.list_directory(f"{folder}/full") == ["deep", "link"]
        await target.remove(f"{folder}/full/deep/er")
        await target.remove(f"{folder}/full", recursive=True)
        assert await target.list_directory(folder) == ["outside"]
        assert await target.read(f"{folder}/outside/kept") == b"kept"

    @scene
    async def test_the_root_is_never_removed(self, target: Connection, folder: str) -> None:
        """The root cannot be removed."""
        for path in ("/", "//"):
            with pytest.raises(RemoteFileError):
                await target.remove(path)
        assert await target.stat(folder) is not None

    @scene
    async def test_renaming(self, target: Connection, folder: str) -> None:
        """A file takes another's place, a folder moves with all in it; a missing source fails."""
        await target.write(f"{folder}/a", b"a", mode=0o640)
        await target.write(f"{folder}/b", b"b")
        await target.rename(f"{folder}/a", f"{folder}/b")
        assert await target.read(f"{folder}/b") == b"a"
        assert await _mode(target, f"{folder}/b") == 0o640
        await target.make_directory(f"{folder}/folder")
        await target.write(f"{folder}/folder/in", b"in")
        await target.rename(f"{folder}/folder", f"{folder}/moved")
        assert await target.read(f"{folder}/moved/in") == b"in"
        await target.symlink("moved", f"{folder}/link")
        await target.rename(f"{folder}/b", f"{folder}/link")
        assert await target.read(f"{folder}/link") == b"a"
        with pytest.raises(RemoteFileError):
            await target.rename(f"{folder}/absent", f"{folder}/c")
        with pytest.raises(RemoteFileError):
            await target.rename(f"{folder}/link", f"{folder}/moved")
        assert await target.list_directory(folder) == ["link", "moved"]
        assert await target.list_directory(f"{folder}/moved") == ["in"]

    @scene
    async def test_times(self, target: Connection, folder: str) -> None:
        """Times are set as asked, to the second at least."""
        await target.write(f"{folder}/file", b"")
        await target.set_times(f"{folder}/file", atime_s=1_000_000_000, mtime_s=1_100_000_001)
        status = await target.stat(f"{folder}/file")
        assert status is not None
        assert (status.atime_s, status.mtime_s) == (1_000_000_000, 1_100_000_001)
        with pytest.raises(RemoteFileError):
            await target.set_times(f"{folder}/absent", atime_s=0, mtime_s=0)

    @scene
    async def test_what_may_be_changed(self, target: Connection, folder: str) -> None:
        """What a method would do is not refused beforehand, and not done."""
        await target.check_change(f"{folder}/file")
        await target.check_change(f"{folder}/folder", "make_directory")
        await target.check_change(f"{folder}/none/link", "symlink")
        assert await target.list_directory(folder) == []

    @scene
    async def test_what_is_missing(self, target: Connection, folder: str) -> None:
        """`stat` returns None for a missing file; other methods raise an error with what, where and why."""
        path = f"{folder}/absent"
        await target.write(f"{folder}/file", b"")
        assert await target.stat(path) is None
        assert await target.stat(f"{folder}/file/below") is None
        assert await target.stat(f"{path}/below", follow=True) is None
        for ask in (target.read(path), target.set_mode(path, 0o600), target.set_owner(path, user="0")):
            with pytest.raises(RemoteFileError) as caught:
                await ask
            assert caught.value.path == path
            assert caught.value.target == str(target.srn)
            assert caught.value.errno == errno.ENOENT
            assert path in str(caught.value)
            assert str(target.srn) in str(caught.value)

    @scene
    async def test_what_is_no_path(self, target: Connection, folder: str) -> None:
        """A relative path, a NUL byte and half a surrogate pair are refused, not guessed at."""
        for path in ("relative/file", "", f"{folder}/nul\0byte", f"{folder}/\ud800"):
            for ask in (target.read(path), target.write(path, b""), target.stat(path), target.remove(path)):
                with pytest.raises(RemoteFileError):
                    await ask
        assert await target.list_directory(folder) == []

    @scene
    async def test_many_at_once(self, target: Connection, folder: str) -> None:
        """Twelve users share a connection without affecting each other."""

        async def one(number: int) -> None:
            path = f"{folder}/{number}"
            await target.write(path, str(number).encode() * 1000)
            assert await target.read(path) == str(number).encode() * 1000
            await target.rename(path, f"{path}.done")

        async with asyncio.TaskGroup() as group:
            for number in range(12):
                group.create_task(one(number))
        assert len(await target.list_directory(folder)) == 12

    @scene
    async def test_use_after_close_connects_anew(self, target: Connection, folder: str) -> None:
        """A closed connection can be used again; closing twice is harmless."""
        await target.write(f"{folder}/file", b"still there")
        await target.close()
        await target.close()
        assert await target.read(f"{folder}/file") == b"still there"


async def _mode(target: Connection, path: str) -> int:
    status = await target.stat(path)
    assert status is not None
    return status.mode


async def _owner(target: Connection, path: str) -> tuple[str, str]:
    status = await target.stat(path)
    assert status is not None
    return status.user, status.group
