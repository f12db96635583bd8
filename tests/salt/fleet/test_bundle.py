"""The archives that minions fetch: what is in them, and when a new one is made."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

from ensue.salt.fleet.bundle import shipped_program, shipped_relay, shipped_tree

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.salt.fleet.shipped_files import ShippedFiles


def test_the_program_runs_from_the_archive_alone(tmp_path: Path, shipped: ShippedFiles) -> None:
    """Unpacked, and without any other package, ensue starts and loads what it requires."""
    name = shipped_program(shipped)
    with zipfile.ZipFile(shipped.folder / name) as archive:
        archive.extractall(tmp_path / "there")
    code = "import asyncssh, bcrypt, cryptography, jinja2, msgspec, sqlalchemy, yaml"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"{code}; import ensue.cli.fleet_minion as m; print(m.__file__)"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "there")},
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.stdout.strip() == str(tmp_path / "there" / "ensue" / "cli" / "fleet_minion.py"), done.stderr


def test_an_archive_is_made_once(tmp_path: Path, shipped: ShippedFiles) -> None:
    """The same files have the same name and are not packed again; a changed file has another."""
    root, folder = tmp_path / "states", shipped.folder
    root.mkdir()
    (root / "a.sls").write_text("a: test.nop")
    first, inside = shipped_tree(shipped, {"base": [root], "my-env": [root]})
    made = (folder / first).stat()
    assert shipped_tree(shipped, {"base": [root], "my-env": [root]})[0] == first
    assert (folder / first).stat().st_ino == made.st_ino
    assert zipfile.ZipFile(folder / first).namelist() == [
        f"{folder_name}/a.sls" for folder_name in sorted(inside.values())
    ]
    (root / "a.sls").write_text("b: test.nop # longer")
    assert shipped_tree(shipped, {"base": [root]})[0] != first


def test_the_content_decides_whether_an_archive_is_new(tmp_path: Path, shipped: ShippedFiles) -> None:
    """A file that is replaced with the same size and time is packed again, one that is touched is not."""
    root, folder = tmp_path / "states", shipped.folder
    root.mkdir()
    source = root / "a.sls"
    source.write_text("a: test.nop")
    first = shipped_tree(shipped, {"base": [root]})[0]
    os.utime(source, (1, 1))
    assert shipped_tree(shipped, {"base": [root]})[0] == first
    source.write_text("b: test.nop")
    os.utime(source, (1, 1))
    second = shipped_tree(shipped, {"base": [root]})[0]
    assert second != first
    assert zipfile.ZipFile(folder / second).read("base/a.sls") == b"b: test.nop"


def test_the_first_root_wins(tmp_path: Path, shipped: ShippedFiles) -> None:
    """A file that two roots of an environment have is that of the first, as in Salt."""
    for name in ("one", "two"):
        (tmp_path / name / "_ensue").mkdir(parents=True)
        (tmp_path / name / "a.sls").write_text(name)
        (tmp_path / name / "_ensue" / "old.zip").write_text("")
    name, _ = shipped_tree(shipped, {"base": [tmp_path / "one", tmp_path / "two"]})
    archive = zipfile.ZipFile(shipped.folder / name)
    assert archive.namelist() == ["base/a.sls"]
    assert archive.read("base/a.sls") == b"one"


def test_links_to_folders_are_packed_once_per_link(tmp_path: Path, shipped: ShippedFiles) -> None:
    """What links lead to is in the archive, and a link to a folder above it adds nothing."""
    (tmp_path / "formula").mkdir()
    (tmp_path / "formula" / "init.sls").write_text("")
    (tmp_path / "states" / "sub").mkdir(parents=True)
    (tmp_path / "states" / "linked").symlink_to(tmp_path / "formula")
    (tmp_path / "states" / "sub" / "loop").symlink_to("..")
    (tmp_path / "states" / "sub" / "nowhere").symlink_to("gone")
    (tmp_path / "states" / "sub" / "a.sls").write_text("")
    name, _ = shipped_tree(shipped, {"base": [tmp_path / "states"]})
    assert zipfile.ZipFile(shipped.folder / name).namelist() == ["base/linked/init.sls", "base/sub/a.sls"]


def test_the_relay_is_copied_once(shipped: ShippedFiles) -> None:
    """The minion's program keeps its name while it does not change, and imports nothing of ensue."""
    names = shipped_relay(shipped)
    assert shipped_relay(shipped) == names
    for name in names.values():
        assert "import ensue" not in (shipped.folder / name).read_text()
        assert "from ensue" not in (shipped.folder / name).read_text()
