"""State module `blockdev`: a real ext4 in a file, and the settings of a device in memory."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import HERE, context, execute, state, thrice

from ensue.core.contracts.connection import Completed
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection
from ensue.testing.memory_tree import MemoryNode

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.connection import Command

BEFORE = b"0\n8388608\n512\n512\n512\n0\n0\n1280\n8388608\n4294967296\n256\n256\n"
SETTINGS: dict[str, Any] = {"read-ahead": 1024, "filesystem-read-ahead": 256, "read-only": True}
AFTER = BEFORE.replace(b"256\n256", b"1024\n256").replace(b"0\n8388608", b"1\n8388608", 1)


def test_a_file_system_is_made(tmp_path: Path) -> None:
    """It is made once; another kind replaces it, and a kind that nobody has says so."""
    if shutil.which("mkfs.ext4", path="/usr/sbin:/sbin:/usr/bin:/bin") is None:
        pytest.skip("needs e2fsprogs")
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(2 << 20)
    here = MinionConnection(HERE)
    planned, done = thrice("blockdev.formatted", here, str(image), inode_size=8192, lazy_itable_init=1)
    assert (planned.result, done.changes) == (None, {"new": "ext4", "old": ""})
    _, done = thrice("blockdev.formatted", here, str(image), fs_type="ext2", force=True)
    assert done.changes == {"new": "ext2", "old": "ext4"}
    assert state("blockdev.formatted", context(here), str(image), fs_type="nosuchfs").result is False
    assert execute("disk.wipe", context(here), str(image)) is True
    gone = state("blockdev.formatted", context(here), f"{image}2")
    assert (gone.result, gone.comment) == (False, f"{image}2 does not exist")


def device() -> FakeConnection:
    """Return a target with a block device that can be tuned."""
    fake = FakeConnection(files={"/dev/null": b""})
    fake.tree.put("/dev/sdb", MemoryNode(kind="block", mode=0o660, mtime_s=1.0))
    fake.on_run("blockdev --get*", stdout=BEFORE)

    def tuned(_: Command) -> Completed:
        fake.on_run("blockdev --get*", stdout=AFTER)
        return Completed(returncode=0, stdout=b"", stderr=b"")

    fake.on_run("blockdev --setra 1024 --setro /dev/sdb", tuned)
    return fake


def test_a_device_is_tuned() -> None:
    """Settings that differ are set, and the second run finds them set."""
    planned, done = thrice("blockdev.tuned", device(), "/dev/sdb", **SETTINGS)
    assert (planned.result, planned.comment) == (None, "Changes to /dev/sdb will be applied")
    assert done.changes == {
        "read-ahead": "Changed from 256 to 1024", "read-only": "Changed from False to True",
    }  # fmt: skip


def test_what_is_refused() -> None:
    """A file is no block device, and there are four settings."""
    fake = FakeConnection(files={"/f": b""})
    assert "Not a block device" in state("blockdev.tuned", context(fake), "/f", **{"read-ahead": 1}).comment
    assert "known are read-ahead" in state("blockdev.tuned", context(fake), "/f", readahead=1).comment
