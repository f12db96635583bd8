"""`file` states on a real disk where something goes wrong, and what they leave beside the file."""

from __future__ import annotations

import asyncio
import resource
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.call_state import execution_functions

from ensue.core.contracts.context import StateDeclaration
from ensue.core.diagnostics import Span
from ensue.core.errors import EnsueError
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.library.states.file import FUNCTIONS
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from collections.abc import Generator


def call(
    folder: Path,
    function: str,
    name: object,
    *,
    test: bool = False,
    root: Path | str = "/",
    **arguments: Any,
) -> StateReturn:
    """Call a state function on this machine, as the engine does."""
    context = FakeStateContext(
        connection=MinionConnection(Srn("minion", "here"), root=str(root)),
        test=test,
        file_root=folder / "roots",
        cache_dir=folder / "cache",
        functions=execution_functions(),
        grains_data={"shell": "/bin/sh"},
    )
    try:
        return asyncio.run(FUNCTIONS[function](context, str(name), **arguments))
    except EnsueError as error:
        return StateReturn(name=str(name), result=False, comment=str(error))


@pytest.fixture
def small_files_only(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Let this process write no more than a page to a file: a disk that is full in the middle of a write."""
    # A module that is first imported now would leave half of its bytecode for everybody else.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_files_only")
def test_a_full_disk_leaves_the_original(tmp_path: Path) -> None:
    """A write that fails half-way leaves the old content and no other file behind, and says why."""
    place = tmp_path / "f"
    place.write_text("old\n")
    returned = call(tmp_path, "managed", place, contents="x" * 100_000)
    assert (returned.result, returned.changes) == (False, {})
    assert "Failed to commit change" in returned.comment
    assert str(place) in returned.comment
    assert place.read_text() == "old\n"
    assert [each.name for each in tmp_path.iterdir()] == ["f"]


@pytest.mark.usefixtures("small_files_only")
def test_appending_to_a_full_disk_leaves_the_original(tmp_path: Path) -> None:
    """`append` and `replace` write whole new files, so a full disk costs nothing."""
    place = tmp_path / "f"
    place.write_text("old\n")
    assert call(tmp_path, "append", place, text="x" * 100_000).result is False
    assert call(tmp_path, "replace", place, pattern="old", repl="y" * 100_000, backup=False).result is False
    assert place.read_text() == "old\n"
    assert [each.name for each in tmp_path.iterdir()] == ["f"]


def test_a_file_where_a_folder_should_be(tmp_path: Path) -> None:
    """A path below a file is a failure that names it, makedirs or not."""
    (tmp_path / "f").write_text("old\n")
    for makedirs in (False, True):
        returned = call(tmp_path, "managed", tmp_path / "f" / "x", contents="a", makedirs=makedirs)
        assert (returned.result, returned.changes) == (False, {})
    assert (tmp_path / "f").read_text() == "old\n"


def test_an_unwritable_place(tmp_path: Path) -> None:
    """A file that nobody may write, not even root, stays, and the failure names it."""
    place = Path("/proc/sys/kernel/ostype")
    returned = call(tmp_path, "managed", place, contents="new")
    assert (returned.result, returned.changes) == (False, {})
    assert str(place) in returned.comment
    assert place.read_text() == "Linux\n"


def test_a_backup_is_kept_below_the_cachedir(tmp_path: Path) -> None:
    """`backup: minion` keeps what was replaced, readable by its owner alone; a plan keeps nothing."""
    place = tmp_path / "d" / "f"
    place.parent.mkdir()
    place.write_text("old\n")
    assert call(tmp_path, "managed", place, contents="new", backup="minion", test=True).result is None
    assert not (tmp_path / "cache").exists()
    assert call(tmp_path, "managed", place, contents="new", backup="minion").result is True
    folder = tmp_path / "cache" / "file_backup" / str(place.parent).lstrip("/")
    [copy] = folder.iterdir()
    assert copy.name.startswith("f_")
    assert copy.read_text() == "old\n"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    call(tmp_path, "managed", place, contents="new", backup="minion")
    assert len(list(folder.iterdir())) == 1


def test_a_mode_may_be_that_of_the_source(tmp_path: Path) -> None:
    """`mode: keep` takes the permission bits of the file in the file roots."""
    source = tmp_path / "roots" / "tool"
    source.parent.mkdir()
    source.write_text("#!/bin/sh\n")
    source.chmod(0o750)
    returned = call(tmp_path, "managed", tmp_path / "tool", source="salt://tool", mode="keep")
    assert returned.changes == {"diff": "New file", "mode": "0750"}
    assert stat.S_IMODE((tmp_path / "tool").stat().st_mode) == 0o750
    assert call(tmp_path, "managed", tmp_path / "tool", source="salt://tool", mode="keep").changes == {}


def test_a_check_is_a_real_command(tmp_path: Path) -> None:
    """`check_cmd` gets a file with the new content; its exit code decides, and the file is removed again."""
    place = tmp_path / "f"
    place.write_text("old\n")
    before = set(Path("/tmp").iterdir())
    refused = call(tmp_path, "managed", place, contents="bad", check_cmd="grep -q good")
    assert (refused.result, refused.changes, place.read_text()) == (False, {}, "old\n")
    passed = call(tmp_path, "managed", place, contents="good", check_cmd="grep -q good", tmp_ext=".conf")
    assert (passed.result, place.read_text()) == (True, "good\n")
    assert not [each for each in set(Path("/tmp").iterdir()) - before if "ensue-check" in each.name]


def test_a_check_without_a_folder(tmp_path: Path) -> None:
    """A target without /tmp, or without `tmp_dir`, is told which argument names another folder."""
    place = tmp_path / "f"
    failed = call(tmp_path, "managed", place, contents="x", check_cmd="true", tmp_dir=str(tmp_path / "tmp"))
    assert (failed.result, place.exists()) == (False, False)
    assert failed.comment.startswith("the file that check_cmd is to check cannot be made: ")
    assert failed.comment.endswith("(give `tmp_dir: FOLDER` with one that is there)")


def test_a_big_text_gets_its_diff(tmp_path: Path) -> None:
    """A long diff is made in a thread and is the same."""
    place = tmp_path / "f"
    lines = [f"line {number}" for number in range(20_000)]
    place.write_text("\n".join(lines) + "\n")
    lines[10_000] = "changed"
    returned = call(tmp_path, "managed", place, contents=lines)
    assert "-line 10000\n+changed\n" in str(returned.changes["diff"])


def test_a_home_folder_is_that_of_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`~` in a path is the home folder there."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert call(tmp_path, "managed", "~/f", contents="x").result is True
    assert (tmp_path / "f").read_text() == "x\n"
    assert call(tmp_path, "managed", "~$(touch pwned)/f", contents="x").result is False
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("managed", {"contents": "x", "makedirs": True}),
        ("directory", {"makedirs": True}),
        ("symlink", {"target": "/y", "makedirs": True}),
        ("touch", {"makedirs": True}),
        ("append", {"text": "x", "makedirs": True}),
        ("copy", {"source": "/x", "makedirs": True}),
    ],
)
def test_a_target_without_a_root_is_a_failure(
    tmp_path: Path, function: str, arguments: dict[str, Any]
) -> None:
    """Where not even `/` is there, the state fails; it does not climb for ever."""
    returned = call(tmp_path, function, "/a/b/c", root=tmp_path / "gone", **arguments)
    assert returned.result is False
    assert "/" in returned.comment
    assert not (tmp_path / "gone").exists()


def test_a_path_with_two_slashes_is_kept(tmp_path: Path) -> None:
    """`clean` keeps what `//path` names, and does not loop on it: nothing is above `//`."""
    (tmp_path / "d").mkdir()
    for name in ("kept", "gone"):
        (tmp_path / "d" / name).write_text("x")
    required = (("file.managed", "//d/kept"), ("file.managed", "/d/kept"))
    declaration = StateDeclaration(
        id="d", sls="t", function="file.directory", scope="", span=Span("t.sls", 1), requires=required
    )
    context = FakeStateContext(
        connection=MinionConnection(Srn("minion", "here"), root=str(tmp_path)), declaration=declaration
    )
    assert asyncio.run(FUNCTIONS["directory"](context, "/d", clean=True)).result is True
    assert [path.name for path in (tmp_path / "d").iterdir()] == ["kept"]
