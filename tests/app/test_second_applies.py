"""What a second apply does when the declaration, or its source, has changed since the first."""

from __future__ import annotations

import os
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.app.test_project import apply


def pack(path: Path, files: dict[str, str]) -> None:
    """Write a tar."""
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            place = path.parent / "packed"
            place.write_text(content)
            tar.add(place, name)


def only(report: Any) -> Any:
    """Return the only return of a run."""
    (returned,) = report.returns.values()
    return returned


def test_another_archive_is_unpacked(tmp_path: Path) -> None:
    """Also if it has the same names; an older one, too. The same archive is left alone."""
    archive, out = tmp_path / "app.tar.gz", tmp_path / "out"
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text(
        f"app:\n  archive.extracted:\n    - name: {out}\n    - source: {archive}\n"
    )
    for content in ("one", "two", "one"):
        pack(archive, {"app/version": content})
        planned = only(apply(tmp_path, "t", test=True))
        assert planned.result is None
        done = only(apply(tmp_path, "t"))
        assert done.changes["extracted_files"] == ["app/version"]
        assert (out / "app/version").read_text() == content
        assert only(apply(tmp_path, "t")).changes == {}
    assert "since another archive was extracted before" in done.comment
    (out / "app/version").write_text("changed by hand")
    assert only(apply(tmp_path, "t")).changes == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount; run the tests as root")
def test_flags_of_a_mount_that_are_taken_away(tmp_path: Path) -> None:
    """What the last apply had set and this one lacks is undone; what another program has set stays."""
    place = tmp_path / "mnt"
    place.mkdir()
    tried = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("this machine does not let root mount")
    subprocess.run(["umount", place], check=True)
    (tmp_path / "states").mkdir()

    def mounted(options: str) -> Any:
        (tmp_path / "states/t.sls").write_text(
            f"m:\n  mount.mounted:\n    - name: {place}\n    - device: tmpfs\n    - fstype: tmpfs\n"
            f"    - persist: false\n    - opts: {options}\n"
        )
        return only(apply(tmp_path, "t"))

    def active() -> set[str]:
        lines = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
        return next(set(line[3].split(",")) for line in lines if line[1] == str(place))

    try:
        assert mounted("rw,noexec,nosuid,noatime").changes == {"mount": True}
        assert mounted("rw,noexec,nosuid,noatime").changes == {}
        taken = mounted("rw,nosuid")
        assert taken.changes == {"umount": "Forced remount because options (exec,atime,relatime) changed"}
        assert {"noexec", "noatime"} & active() == set()
        assert "nosuid" in active()
        assert mounted("rw,nosuid").changes == {}
        subprocess.run(["mount", "-o", "remount,nodev,nosuid", place], check=True)
        assert mounted("rw,nosuid").changes == {}
        assert mounted("rw,nosuid,dev").changes == {"umount": "Forced remount because options (dev) changed"}
        assert "nodev" not in active()
    finally:
        subprocess.run(["umount", place], check=False)
