"""The examples of delayed rendering: one apply does each, a second one changes nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply
from tests.support.postgresql import programs, running_postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return

EXAMPLE = Path(__file__).parents[2] / "examples/delayed"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of the example's folder."""
    return shutil.copytree(EXAMPLE, tmp_path / "project")


def all_returns(returns: Mapping[str, Return]) -> Iterator[Return]:
    for returned in returns.values():
        yield returned
        for entry in returned.delayed:
            yield from all_returns(entry.returns)


def changed(report: RunReport) -> list[str]:
    """Return the IDs of what changed, in order; the run has to have succeeded."""
    assert report.exit_code == 0
    return [returned.id for returned in all_returns(report.returns) if returned.changes]


def output(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_physical_location_of_a_file(project: Path) -> None:
    """What the file system says of a file that was written stands in another file, made in the same apply."""
    assert changed(apply(project, "location")) == ["record", "location"]
    device, inode, *extents = (project / "out/location.txt").read_text().splitlines()
    status = (project / "out/record.txt").stat()
    assert (device, inode) == (f"device {status.st_dev}", f"inode {status.st_ino}")
    assert all(int(line.split()[1]) <= int(line.split()[3]) for line in extents)
    assert changed(apply(project, "location")) == []


def test_the_partitions_of_a_loop_device(project: Path) -> None:
    """The partition's UUID and its file system's are asked for once each is there, by a block in a block."""
    first = apply(project, "partition")
    skipped = [returned.comment for returned in all_returns(first.returns) if returned.id == "skipped"]
    assert changed(first)[0] == "disk"
    if skipped:
        assert skipped == ["skipped: no loop device may be attached here"]
        pytest.skip("no loop device may be attached here")
    image, made = project / "out/disk.img", project / "out/partition-1.fstab"
    comment, mount = made.read_text().splitlines()
    signature = image.read_bytes()[440:444][::-1].hex()
    uuid = output(
        "blkid", "--probe", "--offset", "1048576", "--match-tag", "UUID", "--output", "value", image
    )
    assert comment == f"# partition {signature}-01"
    assert mount.split()[0] == f"UUID={uuid.strip()}"
    assert output("losetup", "--associated", image) == ""
    assert changed(apply(project, "partition")) == ["partition 1"]


@pytest.mark.openssh
def test_the_hash_of_a_key(project: Path) -> None:
    """A key is generated once; its fingerprint configures the application in the same apply."""
    assert changed(apply(project, "key"))[-2:] == ["key", "trust"]
    fingerprint = output("ssh-keygen", "-lf", project / "out/deploy_key.pub").split()[1]
    assert f"trusted_key = {fingerprint}\n" in (project / "out/app.conf").read_text()
    assert changed(apply(project, "key")) == []


@pytest.mark.openssh
def test_the_id_of_an_instance(project: Path) -> None:
    """What the provider says of a machine it started is written down, and reaches the machine itself."""
    try:
        assert changed(apply(project, "instance")) == ["instance", "inventory", "/etc/instance.json"]
        known = json.loads((project / "out/delayed-01.json").read_text())
        assert known["id"].startswith("SHA256:")
        assert known["address"].startswith("127.0.0.1:")
        (there,) = (project / ".ensue/sandboxes").rglob("etc/instance.json")
        assert json.loads(there.read_text()) == known
        assert changed(apply(project, "instance")) == []
    finally:
        assert apply(project, "instance_gone").exit_code == 0


@pytest.mark.skipif(programs() is None, reason="needs PostgreSQL: apt-get install postgresql")
def test_the_rows_of_a_database(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The UUIDs that a database gave to its rows name folders that the same apply makes for them."""
    with running_postgresql() as database:
        for name, value in database.environment.items():
            monkeypatch.setenv(name, value)
        made = changed(apply(project, "rows"))
        assert made == ["accounts", "folder of ada", "folder of edsger", "folder of grace"]
        rows = [row.split(",") for row in database.query("select id, name from account")]
        assert len(rows) == 3
        assert all((project / f"out/accounts/{id_}/name").read_text() == f"{name}\n" for id_, name in rows)
        assert changed(apply(project, "rows")) == ["accounts"]
