"""State module `acl`: the real getfacl and setfacl on a temporary folder."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.library.states.system_states import HERE, context, execute, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose file system keeps access control lists."""
    if shutil.which("setfacl") is None:
        pytest.skip("needs acl")
    place = tmp_path / "the data"
    (place / "sub").mkdir(parents=True)
    (place / "sub" / "file").write_text("x")
    tried = subprocess.run(["setfacl", "-m", "u:nobody:r", place], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"the file system of {tmp_path} keeps no access control lists")
    subprocess.run(["setfacl", "-b", place], check=True)
    return place


def test_entries_come_change_and_go(folder: Path) -> None:
    """An entry is set, changed to other permissions, and removed."""
    here, path = MinionConnection(HERE), str(folder)
    who = {"acl_type": "user", "acl_name": "nobody"}
    planned, done = thrice("acl.present", here, path, perms="rx", **who)
    assert (planned.result, planned.comment) == (None, "New permissions will be applied for nobody: rx")
    assert done.changes == {"new": {**who, "perms": "rx"}}
    planned, done = thrice("acl.present", here, path, perms="rwx", **who)
    assert planned.comment == "Updated permissions will be applied for nobody: r-x -> rwx"
    assert done.changes == {"new": {**who, "perms": "rwx"}, "old": {**who, "perms": "r-x"}}
    (entries,) = execute("acl.getfacl", context(here), path).values()
    assert {"nobody": {"permissions": {"read": True, "write": True, "execute": True}, "octal": 7}} in entries[
        "user"
    ]
    planned, done = thrice("acl.absent", here, path, **who)
    assert (planned.result, done.changes) == (None, {"old": {**who, "perms": "rwx"}})
    assert "nobody" not in str(execute("acl.getfacl", context(here), path))


def test_entries_below_a_folder(folder: Path) -> None:
    """With `recurse` all below has the entry, `X` only where somebody may execute; folders have defaults."""
    here, path = MinionConnection(HERE), str(folder)
    thrice("acl.present", here, path, acl_type="group", acl_name="daemon", perms="rX", recurse=True)
    entries = execute("acl.getfacl", context(here), path, recursive=True)
    octal = {name: each["group"][-1]["daemon"]["octal"] for name, each in entries.items()}
    assert octal == {path: 5, f"{path}/sub": 5, f"{path}/sub/file": 4}
    thrice("acl.present", here, path, acl_type="d:user", acl_name="65534", perms="r", recurse=True)
    assert "nobody" in str(execute("acl.getfacl", context(here), f"{path}/sub")[f"{path}/sub"]["defaults"])


def test_several_names(folder: Path) -> None:
    """A list of users has the same permissions; `force` removes the others' entries; a list is removed."""
    here, path = MinionConnection(HERE), str(folder)
    thrice("acl.present", here, path, acl_type="user", acl_name="bin", perms="r")
    arguments = {"acl_type": "user", "acl_names": ["nobody", "daemon"]}
    _, done = thrice("acl.list_present", here, path, perms="r", force=True, **arguments)
    assert done.changes == {"new": {"acl_name": "nobody, daemon", "acl_type": "user", "perms": "r"}}
    assert "bin" not in str(execute("acl.getfacl", context(here), path))
    _, done = thrice("acl.list_absent", here, path, **arguments)
    assert done.changes["old"]["acl_name"] == "nobody, daemon"


def test_what_is_refused(folder: Path) -> None:
    """A path that is not there, a kind that is none and a user that is nobody are failures with a reason."""
    here = MinionConnection(HERE)
    gone = f"{folder}/gone"
    assert (
        state("acl.present", context(here), gone, acl_type="user", acl_name="bin", perms="r").result is False
    )
    assert state("acl.present", context(here, test=True), gone, acl_type="user").result is None
    odd = state("acl.present", context(here), str(folder), acl_type="owner", acl_name="bin", perms="r")
    assert "acl_type is user, group" in odd.comment
    odd = state("acl.present", context(here), str(folder), acl_type="user", acl_name="no-such", perms="r")
    assert (odd.result, "Invalid argument" in odd.comment) == (False, True)


def test_below_a_root(folder: Path) -> None:
    """Paths of a target with a root of its own are those below it."""
    here = MinionConnection(HERE, root=str(folder))
    _, done = thrice("acl.present", here, "/sub/file", acl_type="user", acl_name="nobody", perms="r")
    assert done.changes
    assert "/sub/file" in execute("acl.getfacl", context(here), "/sub/file")
    listing = subprocess.run(["getfacl", folder / "sub/file"], capture_output=True, text=True, check=True)
    assert "user:nobody:r--" in listing.stdout
