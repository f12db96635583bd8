"""`file.patch`: the real `patch` on a file and on a folder."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import HERE, functions, state

from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.returns import StateReturn

ONE = b"""\
--- a/etc/one
+++ b/etc/one
@@ -1,3 +1,3 @@
 first
-second
+SECOND
 third
"""
TWO = (
    ONE
    + b"""\
--- a/etc/two
+++ b/etc/two
@@ -1 +1,2 @@
 x
+y
"""
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    if shutil.which("patch") is None:
        pytest.skip("needs patch")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/one").write_text("first\nsecond\nthird\n")
    (tmp_path / "etc/two").write_text("x\n")
    return tmp_path


def patched(tree: Path, name: str, content: bytes, *, test: bool = False, **arguments: Any) -> StateReturn:
    ctx = FakeStateContext(
        MinionConnection(HERE, root=str(tree)), test=test, functions=functions(),
        sources={"salt://fix.patch": content},
    )  # fmt: skip
    return state("file.patch", ctx, name, source="salt://fix.patch", **arguments)


def test_a_file_is_patched_once(tree: Path) -> None:
    """A plan says that the patch applies, an apply applies it, and the second finds it applied."""
    planned = patched(tree, "/etc/one", ONE, test=True)
    assert (planned.result, planned.comment) == (None, "The patch would be applied")
    assert (tree / "etc/one").read_text() == "first\nsecond\nthird\n"
    done = patched(tree, "/etc/one", ONE)
    assert (done.result, done.comment, done.changes["retcode"]) == (True, "Patch successfully applied", 0)
    assert (tree / "etc/one").read_text() == "first\nSECOND\nthird\n"
    for test in (True, False):
        again = patched(tree, "/etc/one", ONE, test=test)
        assert (again.result, again.changes, again.comment) == (True, {}, "Patch was already applied")
    assert sorted(each.name for each in (tree / "etc").iterdir()) == ["one", "two"]


def test_a_folder_is_patched(tree: Path) -> None:
    """Names in the patch lose as many folders as `strip` or an option says; a template is rendered."""
    done = patched(
        tree, "/", TWO.replace(b"+y", b"+{{ word }}"), strip=1, template="jinja", context={"word": "y"}
    )
    assert done.result is True
    assert (tree / "etc/two").read_text() == "x\ny\n"
    again = patched(tree, "/", TWO, options="-p1")
    assert (again.result, again.changes) == (True, {})


def test_what_does_not_apply(tree: Path) -> None:
    """A patch whose lines are elsewhere changes nothing, half of one neither; the rejects go to a file."""
    (tree / "etc/one").write_text("first\nother\nthird\n")
    done = patched(tree, "/etc/one", ONE, reject_file="/etc/rejects")
    assert (done.result, done.changes) == (False, {})
    assert done.comment.startswith("Patch would not apply cleanly, no changes made.")
    assert "+SECOND" in (tree / "etc/rejects").read_text()
    assert (tree / "etc/one").read_text() == "first\nother\nthird\n"
    assert sorted(each.name for each in (tree / "etc").iterdir()) == ["one", "rejects", "two"]
    (tree / "etc/one").write_text("first\nSECOND\nthird\n")
    half = patched(tree, "/", TWO, strip=1)
    assert (half.result, (tree / "etc/two").read_text()) == (False, "x\n")
    assert patched(tree, "/etc/one", b"no patch at all\n").result is False


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"options": "-o /etc/other"}, "not allowed: -o"),
        ({"options": "-p x"}, "takes a number"),
        ({"reject_file": "rejects"}, "is not an absolute path"),
        ({"reject_file": "/none/rejects"}, "does not exist, or is not a directory"),
    ],
)
def test_what_is_refused(tree: Path, arguments: dict[str, Any], part: str) -> None:
    """Options that say where the result goes are the state's matter."""
    done = patched(tree, "/etc/one", ONE, **arguments)
    assert done.result is False
    assert part in done.comment


def test_without_patch() -> None:
    """A target without the program, without the file or without a source says which."""
    fake = FakeConnection(files={"/f": b"x"})
    fake.on_run("patch *", returncode=127)
    ctx = FakeStateContext(fake, sources={"salt://p": ONE})
    assert "no program `patch`" in state("file.patch", ctx, "/f", source="salt://p").comment
    assert state("file.patch", ctx, "/g", source="salt://p").comment == "/g does not exist"
    assert state("file.patch", ctx, "/f").comment == "file.patch needs a `source`"
