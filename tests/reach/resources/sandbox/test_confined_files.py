"""SFTP without a root of its own: no path and no symlink leads out."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.reach.resources import sandbox
from ensue.reach.resources.sandbox.confined_files import resolve_beneath

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator


@pytest.fixture(scope="module")
def confined(tmp_path_factory: pytest.TempPathFactory, make_box: Callable[..., Any]) -> Generator[Any]:
    """One sandbox without isolation for this file."""
    box = make_box(tmp_path_factory.mktemp("project") / ".ensue", isolation="none")
    asyncio.run(box.deploy())
    yield box
    asyncio.run(sandbox.destroy(box.request))


def with_files(box: Any, scenario: Callable[[asyncssh.SFTPClient], Awaitable[None]]) -> None:
    """Run a scenario with an SFTP session."""

    async def connected() -> None:
        async with box.connect() as connection, connection.start_sftp_client() as files:
            await scenario(files)

    asyncio.run(connected())


def test_absolute_paths_begin_at_the_root(confined: Any) -> None:
    """A file in /etc is a file in the sandbox's /etc."""

    async def scenario(files: asyncssh.SFTPClient) -> None:
        async with files.open("/etc/ensue-confined", "wb") as file:
            await file.write(b"within")
        assert await files.realpath("/etc/../etc/ensue-confined") == "/etc/ensue-confined"

    with_files(confined, scenario)
    assert (confined.directory / "root/etc/ensue-confined").read_bytes() == b"within"
    assert not Path("/etc/ensue-confined").exists()


@pytest.mark.parametrize(
    "path",
    ["/../../../../etc/hostname", "../../etc/hostname", "/out/hostname", "/out-file", "/up/etc/hostname"],
)
def test_nothing_leads_out(confined: Any, path: str) -> None:
    """Dots, links to folders and files of the machine, relative links: all end within."""
    root = confined.directory / "root"
    for name, target in (("out", "/etc"), ("out-file", "/etc/hostname"), ("up", "../../../../../../../..")):
        if not (root / name).is_symlink():
            (root / name).symlink_to(target)

    async def scenario(files: asyncssh.SFTPClient) -> None:
        async with files.open(path, "rb") as file:
            assert await file.read() == b"env-01\n"
        await files.stat(path)
        assert await files.realpath(path) == "/etc/hostname"

    with_files(confined, scenario)


def test_writing_through_a_link_to_the_machine_writes_within(confined: Any, tmp_path: Path) -> None:
    """Creating, changing, renaming and removing by way of a link touch nothing outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs")
    (confined.directory / "root" / "exit").symlink_to(outside)
    (confined.directory / "root" / "exit-file").symlink_to(outside / "file")

    async def scenario(files: asyncssh.SFTPClient) -> None:
        await files.makedirs(str(outside))
        async with files.open("/exit/new", "wb") as file:
            await file.write(b"within")
        async with files.open("/exit-file", "wb") as file:
            await file.write(b"ours")
        await files.chmod("/exit-file", 0o600)
        await files.mkdir("/exit/folder")
        await files.posix_rename("/exit/new", "/exit/renamed")
        await files.remove("/exit/file")
        assert sorted(await files.listdir("/exit")) == [".", "..", "folder", "renamed"]

    with_files(confined, scenario)
    assert (outside / "file").read_text() == "theirs"
    assert os.listdir(outside) == ["file"]  # noqa: PTH208 - names are enough
    assert (outside / "file").stat().st_mode & 0o777 != 0o600


def test_links_are_read_as_they_were_written(confined: Any) -> None:
    """Absolute and relative targets come back unchanged, and commands find their way too."""

    async def scenario(files: asyncssh.SFTPClient) -> None:
        await files.symlink("/etc/hostname", "/absolute")
        await files.symlink("etc/hostname", "/relative")
        assert await files.readlink("/absolute") == "/etc/hostname"
        assert await files.readlink("/relative") == "etc/hostname"

    with_files(confined, scenario)
    assert (
        asyncio.run(confined.run('cat "$ENSUE_ROOT/absolute" "$ENSUE_ROOT/relative"')) == "env-01\nenv-01\n"
    )


def test_a_ring_of_links_ends(tmp_path: Path) -> None:
    """Two links to each other are an error, not a hang."""
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")

    with pytest.raises(asyncssh.SFTPNoSuchFile, match="too many"):
        resolve_beneath(os.fsencode(tmp_path), b"/one/file", follow_last=True)


@given(path=st.text(alphabet="ab./", max_size=30))
def test_a_resolved_path_holds_no_way_up(path: str) -> None:
    """Whatever the path, what comes out is absolute and free of dots."""
    resolved = resolve_beneath(b"/nonexistent", path.encode(), follow_last=True).decode()

    assert resolved.startswith("/")
    assert not {".", ".."} & set(PurePosixPath(resolved).parts)
