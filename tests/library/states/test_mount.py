"""State module `mount`: a real tmpfs on a temporary folder, and a fstab of its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.library.states.system_states import HERE, context, execute, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from collections.abc import Iterator

FSTAB = "# mine\n/dev/sda1 / ext4 defaults 0 1\n"
INFO = (
    b"21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    b"22 21 8:2 / /data\\040x rw,relatime - xfs /dev/sdb1 rw,size=2048k\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder on which a tmpfs can be mounted; it is unmounted afterwards."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount; run the tests as root")
    place = tmp_path / "mnt"
    place.mkdir()
    tried = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"this machine does not let root mount: {tried.stderr.decode().strip()}")
    subprocess.run(["umount", place], check=True)
    place.rmdir()
    (tmp_path / "fstab").write_text(FSTAB)
    yield place
    subprocess.run(["umount", "-q", place], check=False)


def test_a_file_system_comes_changes_and_goes(folder: Path, tmp_path: Path) -> None:
    """It is mounted and kept, remounted when an option changes, unmounted and purged."""
    here, name, config = MinionConnection(HERE), str(folder), str(tmp_path / "fstab")
    common = {"device": "tmpfs", "fstype": "tmpfs", "config": config}
    missing = state("mount.mounted", context(here), name, **common)
    assert (missing.result, missing.comment) == (False, "Mount directory is not present")
    planned, done = thrice("mount.mounted", here, name, mkmnt=True, opts=["size=1m", "noatime"], **common)
    assert (planned.result, planned.changes) == (None, {})
    assert planned.comment.startswith(f"{name} would be created and mounted")
    assert done.changes == {"mount": True, "persist": "new"}
    assert done.comment == "Target was successfully mounted. Added new entry to the fstab."
    line = f"tmpfs\t{name}\ttmpfs\tsize=1m,noatime\t0\t0\n"
    assert (tmp_path / "fstab").read_text() == FSTAB + line
    assert execute("mount.is_mounted", context(here), name) is True

    _, done = thrice("mount.mounted", here, name, opts="size=2m,noatime", dump=1, **common)
    assert done.changes == {
        "umount": "Forced remount because options (size=2048k) changed", "persist": "update",
    }  # fmt: skip
    _, done = thrice("mount.unmounted", here, name, config=config, persist=True)
    assert done.changes == {"umount": True, "persist": "purged"}
    assert done.comment == "Target was successfully unmounted. Removed target from fstab"
    assert (tmp_path / "fstab").read_text() == FSTAB


def test_devices_that_are_others() -> None:
    """Names that lead to the same device are the same; another device is unmounted first."""
    fake = FakeConnection(files={"/etc/fstab": b"UUID=ab\t/data\\040x\txfs\tdefaults\t0\t0\n"})
    fake.on_run("cat *", stdout=INFO)
    fake.on_run("readlink -f -- /dev/disk/by-uuid/ab", stdout=b"/dev/sdb1\n")
    fake.on_run("readlink -f -- /dev/sd*", stdout=b"/dev/sdb1\n")
    same = state("mount.mounted", context(fake), "/data x", device="UUID=ab", fstype="xfs")
    assert (same.result, same.changes) == (True, {})
    fake.on_run("readlink -f -- /dev/sdc1", stdout=b"/dev/sdc1\n")
    fake.on_run("umount *")
    fake.on_run("mount *")
    other = {"device": "/dev/sdc1", "fstype": "xfs", "persist": False}
    planned = state("mount.mounted", context(fake, test=True), "/data x", **other)
    assert planned.comment == "An umount would have been forced because devices do not match"
    done = state("mount.mounted", context(fake), "/data x", **other)
    assert done.changes["mount"] is True
    assert [" ".join(command.argv or ()) for command in fake.commands][-2:] == [
        "umount -- /data x", "mount -o defaults -t xfs -- /dev/sdc1 /data x",
    ]  # fmt: skip


def test_what_the_kernel_shows_otherwise() -> None:
    """A mount is left alone when the arguments say how the kernel shows its device and its options."""
    fake = FakeConnection(files={"/etc/fstab": b""})
    fake.on_run("cat *", stdout=b"23 21 0:5 / /gluster rw - glusterfs host2:/v rw,proto=rdma\n")
    fake.on_run("readlink *", stdout=b"")
    fake.on_run("mount *")
    common = {"device": "host1,host2:/v", "fstype": "glusterfs", "persist": False}
    common |= {"device_name_regex": ["(host1|host2):/v"]}
    opts = ["rdma", "ours", "code=1", "log=2"]
    shown_as = {
        "extra_mount_invisible_options": ["ours"],
        "extra_mount_invisible_keys": ["code"],
        "extra_mount_ignore_fs_keys": {"glusterfs": ["log"]},
        "extra_mount_translate_options": {"rdma": "proto=rdma"},
    }
    same = state("mount.mounted", context(fake), "/gluster", opts=opts, **shown_as, **common)
    assert (same.result, same.changes, same.comment) == (True, {}, "Target was already mounted")
    other = state("mount.mounted", context(fake), "/gluster", opts=opts, **common)
    assert other.changes == {"umount": "Forced remount because options (rdma,ours,code=1,log=2) changed"}


def test_a_fstab_below_a_root(tmp_path: Path) -> None:
    """With `mount: false` only the fstab is written, and a folder with a blank keeps its line."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/fstab").write_text(FSTAB)
    here = MinionConnection(HERE, root=str(tmp_path))
    arguments = {"device": "/dev/sdz9", "fstype": "ext4", "mount": False}
    planned, done = thrice("mount.mounted", here, "/no such", **arguments)
    assert (planned.result, done.changes) == (None, {"persist": "new"})
    assert (tmp_path / "etc/fstab").read_text() == FSTAB + "/dev/sdz9\t/no\\040such\text4\tdefaults\t0\t0\n"
    assert execute("mount.fstab", context(here))["/no such"] == {
        "device": "/dev/sdz9", "fstype": "ext4", "opts": ["defaults"], "dump": "0", "pass": "0",
    }  # fmt: skip
    planned, done = thrice("mount.unmounted", here, "/no such", persist=True)
    assert (planned.result, done.changes) == (None, {"persist": "purged"})
    assert (tmp_path / "etc/fstab").read_text() == FSTAB


def test_lines_of_the_fstab(tmp_path: Path) -> None:
    """A line is added, changed and removed without anything being mounted; one may be left as it is."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/fstab").write_text(FSTAB)
    here = MinionConnection(HERE, root=str(tmp_path))
    line = {"fs_file": "/data/", "fs_vfstype": "nfs", "mount": False}
    planned, done = thrice("mount.fstab_present", here, "nas:/x", fs_mntops=["ro", "noatime"], **line)
    assert (planned.result, planned.comment) == (None, "/data entry will be written in /etc/fstab.")
    assert (done.changes, done.comment) == ({"persist": "new"}, "/data entry added in /etc/fstab.")
    kept = state("mount.fstab_present", context(here), "nas:/x", not_change=True, **line)
    assert (kept.changes, kept.comment) == ({}, "/data entry was already in /etc/fstab.")
    _, done = thrice("mount.fstab_present", here, "nas:/y", match_on="name", **line)
    assert done.changes == {"persist": "change"}
    assert (tmp_path / "etc/fstab").read_text() == FSTAB + "nas:/y\t/data\tnfs\tdefaults\t0\t0\n"
    odd = state("mount.fstab_present", context(here), "nas:/y", match_on="folder", **line)
    assert "unknown fields folder" in odd.comment
    other = state("mount.fstab_absent", context(here), "nas:/x", fs_file="/data")
    assert (other.result, "another device's" in other.comment) == (False, True)
    planned, done = thrice("mount.fstab_absent", here, "nas:/y", fs_file="/data")
    assert (planned.result, done.changes) == (None, {"persist": "removed"})
    assert (tmp_path / "etc/fstab").read_text() == FSTAB


def test_a_device_by_its_uuid() -> None:
    """`mount_by` writes what blkid knows of the device, and mounts by the line that is new."""
    fake = FakeConnection(files={"/etc/fstab": b""})
    fake.on_run("blkid /dev/sdb1", stdout=b'/dev/sdb1: UUID="ab-cd" TYPE="xfs"\n')
    fake.on_run("mount -- /data", returncode=32, stderr=b"mount point does not exist")
    line = {"fs_file": "/data", "fs_vfstype": "xfs", "mount_by": "uuid"}
    done = state("mount.fstab_present", context(fake), "/dev/sdb1", **line)
    assert (done.result, done.changes) == (False, {"persist": "new"})
    assert "mount point does not exist" in done.comment
    assert fake.tree.nodes["/etc/fstab"].content == b"UUID=ab-cd\t/data\txfs\tdefaults\t0\t0\n"
    fake.on_run("blkid *", stdout=b"")
    done = state("mount.fstab_present", context(fake), "/dev/sdc1", **line)
    assert done.comment == "Device /dev/sdc1 cannot be converted to uuid"


def test_swap_that_the_kernel_refuses() -> None:
    """A file that is no swap area is a failure that says why, and the fstab stays as it is."""
    fake = FakeConnection(files={"/etc/fstab": b"", "/swap": b"x"})
    fake.on_run("cat /proc/swaps", stdout=b"Filename Type Size Used Priority\n")
    fake.on_run("swapon *", returncode=255, stderr=b"swapon: /swap: read swap header failed")
    done = state("mount.swap", context(fake), "/swap")
    assert (done.result, "read swap header failed" in done.comment) == (False, True)
    assert fake.tree.nodes["/etc/fstab"].content == b""
    assert execute("mount.swapoff", context(fake), "/swap") is None


def test_a_watched_change_remounts(folder: Path, tmp_path: Path) -> None:
    """`watch` remounts what `mounted` mounts, not in a plan; an error of the target is the comment."""
    here, name = MinionConnection(HERE), str(folder)
    common = {"device": "tmpfs", "fstype": "tmpfs", "config": str(tmp_path / "fstab")}
    state("mount.mounted", context(here), name, mkmnt=True, opts="size=1m", **common)
    subprocess.run(["mount", "-o", "remount,size=2m", name], check=True)
    watched = {"sfun": "mounted", "opts": ["size=1m"], **common}
    planned = state("mount.mod_watch", context(here, test=True), name, **watched)
    assert (planned.result, planned.comment) == (None, f"{name} is set to be remounted")
    assert "size=2048k" in mount_options(name)
    done = state("mount.mod_watch", context(here), name, **watched)
    assert (done.result, done.comment) == (True, f"{name} remounted")
    assert "size=1024k" in mount_options(name)
    failed = state("mount.mod_watch", context(here), str(tmp_path), **watched)
    assert (failed.result, failed.comment.startswith(f"{tmp_path} failed to remount: ")) == (False, True)
    swap = state("mount.mod_watch", context(here), name, sfun="swap")
    assert (swap.result, swap.comment) == (True, "Watch not supported in swap at this time")


def mount_options(folder: str) -> str:
    (line,) = (each for each in Path("/proc/mounts").read_text().splitlines() if f" {folder} " in each)
    return line
