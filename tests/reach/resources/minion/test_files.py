"""Files of this machine: what the contract cannot ask of every target."""

from __future__ import annotations

import asyncio
import os
import pwd
import resource
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.support.accounts import needs_root

from ensue.core.contracts.connection import Command
from ensue.core.errors import RemoteFileError
from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.reach.resources.minion.files import INLINE_SIZE_BYTES

SRN = Srn("minion", "m")


@pytest.fixture
def target() -> MinionConnection:
    return MinionConnection(SRN)


def test_the_umask_decides_nothing(target: MinionConnection, tmp_path: Path) -> None:
    """New files are 0644 and new folders 0755, whatever umask ensue was started with."""
    for umask in (0o077, 0o000):
        before = os.umask(umask)
        try:
            asyncio.run(target.write(f"{tmp_path}/file{umask}", b""))
            asyncio.run(target.make_directory(f"{tmp_path}/a{umask}/b", parents=True))
        finally:
            os.umask(before)
        assert (tmp_path / f"file{umask}").stat().st_mode & 0o777 == 0o644
        assert (tmp_path / f"a{umask}").stat().st_mode & 0o777 == 0o755
        assert (tmp_path / f"a{umask}" / "b").stat().st_mode & 0o777 == 0o755


def test_a_file_limit_leaves_the_old_content(
    target: MinionConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that the system cuts off (here through the limit on file sizes) changes nothing."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    # A module that is first imported now would leave half of its bytecode for everybody else.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, limits[1]))
    try:
        with pytest.raises(RemoteFileError, match="limit on the size of files"):
            asyncio.run(target.write(str(path), b"x" * 1_000_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


FULL_DISK = """
import asyncio, os, subprocess, sys
folder = sys.argv[1]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], check=True)
from ensue.core.errors import RemoteFileError
from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.connection import MinionConnection
target = MinionConnection(Srn("minion", "m"))
asyncio.run(target.write(folder + "/file", b"old"))
try:
    asyncio.run(target.write(folder + "/file", b"x" * 1_000_000))
except RemoteFileError as error:
    print(error)
print(os.listdir(folder), open(folder + "/file").read())
"""


@pytest.mark.namespace
def test_a_full_disk_leaves_the_old_content(tmp_path: Path) -> None:
    """Without room the old file stays whole, nothing is left beside it, and the error says why."""
    done = subprocess.run(
        ["unshare", "-Urm", sys.executable, "-c", FULL_DISK, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4] / "src")},
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert "No space left on device (free some space there)" in first
    assert second == "['file'] old"


@pytest.mark.parametrize("size_bytes", [INLINE_SIZE_BYTES, INLINE_SIZE_BYTES + 1])
def test_both_sides_of_the_inline_limit(target: MinionConnection, tmp_path: Path, size_bytes: int) -> None:
    """A file read at once and one read in a thread come out alike."""
    path = tmp_path / "file"
    content = os.urandom(size_bytes)
    path.write_bytes(content)
    assert asyncio.run(target.read(str(path))) == content
    assert asyncio.run(target.checksum(str(path))) is not None


def test_files_without_a_size_are_read(target: MinionConnection) -> None:
    """A file of /proc says that it is empty and is read whole all the same."""
    assert b"MemTotal" in asyncio.run(target.read("/proc/meminfo"))


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero"])
def test_devices_are_no_files(target: MinionConnection, path: str) -> None:
    """A device is neither read, which might never end, nor replaced by a file."""
    with pytest.raises(RemoteFileError, match="regular file"):
        asyncio.run(target.read(path))
    with pytest.raises(RemoteFileError, match="regular file"):
        asyncio.run(target.write(path, b""))


def test_hard_links_keep_the_old_content(target: MinionConnection, tmp_path: Path) -> None:
    """Replacing is not overwriting: another name of the same file keeps what it had."""
    (tmp_path / "file").write_bytes(b"old")
    os.link(tmp_path / "file", tmp_path / "other")
    asyncio.run(target.write(f"{tmp_path}/file", b"new"))
    assert (tmp_path / "other").read_bytes() == b"old"


def test_moving_to_another_file_system(target: MinionConnection, tmp_path: Path) -> None:
    """A file moves across file systems with mode and times, in one step for readers of the target."""
    shared = Path("/dev/shm")
    if shared.stat().st_dev == tmp_path.stat().st_dev:
        tmp_path = Path.cwd()
    source = shared / f"ensue-test-{os.getpid()}"
    source.write_bytes(b"moved")
    source.chmod(0o604)
    os.utime(source, (1_000_000_000, 1_100_000_000))
    destination = tmp_path / f"ensue-test-{os.getpid()}"
    try:
        asyncio.run(target.rename(str(source), str(destination)))
        assert not source.exists()
        assert destination.read_bytes() == b"moved"
        moved = destination.stat()
        assert (moved.st_mode & 0o777, moved.st_mtime) == (0o604, 1_100_000_000)
    finally:
        source.unlink(missing_ok=True)
        destination.unlink(missing_ok=True)


def test_cancelling_a_write_waits_for_its_end(target: MinionConnection, tmp_path: Path) -> None:
    """After the cancellation of a write nothing goes on behind the caller's back."""
    path = tmp_path / "file"

    async def scene() -> None:
        writing = asyncio.ensure_future(target.write(str(path), b"x" * 5_000_000))
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing

    asyncio.run(scene())
    assert [path.name for path in tmp_path.iterdir()] in ([], ["file"])


def test_names_of_accounts_are_looked_up_again_when_they_change(
    target: MinionConnection, tmp_path: Path
) -> None:
    """A number without a name is shown as a number, and root as root."""
    (tmp_path / "file").write_bytes(b"")
    path_stat = asyncio.run(target.stat("/"))
    assert path_stat is not None
    assert (path_stat.user, path_stat.group) == ("root", "root")
    if os.geteuid() == 0:
        asyncio.run(target.set_owner(f"{tmp_path}/file", user="54321"))
        path_stat = asyncio.run(target.stat(f"{tmp_path}/file"))
        assert path_stat is not None
        assert path_stat.user == "54321"


def test_an_unwritable_folder(target: MinionConnection) -> None:
    """Without the right to write the old file stays, and the message says what would help."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        (folder / "file").write_bytes(b"old")
        folder.chmod(0o555)
        was_root = os.geteuid() == 0
        if was_root:
            os.seteuid(pwd.getpwnam("nobody").pw_uid)
        try:
            with pytest.raises(RemoteFileError, match=r"Permission denied .*sudo"):
                asyncio.run(target.write(f"{folder}/file", b"new"))
        finally:
            if was_root:
                os.seteuid(0)
            folder.chmod(0o755)
        assert (folder / "file").read_bytes() == b"old"
        assert [path.name for path in folder.iterdir()] == ["file"]


@needs_root
def test_an_account_that_joins_is_known_at_once(target: MinionConnection, tmp_path: Path) -> None:
    """What is owned by a number without a name has the name as soon as a command has made the account."""

    async def look() -> tuple[list[str], str]:
        free = max(entry.pw_uid for entry in pwd.getpwall() if entry.pw_uid < 60_000) + 1
        path = tmp_path / "file"
        path.touch()
        os.chown(path, free, -1)
        name = f"ensue-{secrets.token_hex(4)}"
        seen = [await _owner(target, path), await _owner(target, path)]
        try:
            added = await target.run(Command(argv=("useradd", "-M", "-u", str(free), name)))
            assert added.returncode == 0, added.stderr
            seen += [await _owner(target, path)]
        finally:
            await target.run(Command(argv=("userdel", "-f", name)))
        return [*seen, await _owner(target, path)], f"{free} {free} {name} {free}"

    seen, expected = asyncio.run(look())
    assert " ".join(seen) == expected


async def _owner(target: MinionConnection, path: Path) -> str:
    properties = await target.stat(str(path))
    assert properties is not None
    return properties.user
