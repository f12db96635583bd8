"""A minion with a root keeps its files in it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.contracts.connection import Command
from ensue.core.errors import RemoteFileError
from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.confine import Confinement
from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from pathlib import Path

SRN = Srn("minion", "m")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").write_text("outside")
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("path", ["/../outside", "/a/../../outside", "/./../../../outside"])
def test_parents_end_at_the_root(root: Path, path: str) -> None:
    """`..` does not lead out: what would be outside is looked for inside."""
    target = MinionConnection(SRN, root=str(root))
    asyncio.run(target.write(path, b"inside"))
    assert (root / "outside").read_bytes() == b"inside"
    assert (root.parent / "outside").read_text() == "outside"


def test_symlinks_are_read_from_inside(root: Path) -> None:
    """An absolute symlink, and one with more `..` than there are folders, point to places below the root."""
    (root / "etc").mkdir()
    (root / "absolute").symlink_to("/etc")
    (root / "upward").symlink_to("../../../../etc")
    (root / "out").symlink_to(root.parent / "outside")
    target = MinionConnection(SRN, root=str(root))
    asyncio.run(target.write("/absolute/a", b"a"))
    asyncio.run(target.write("/upward/b", b"b"))
    assert sorted(path.name for path in (root / "etc").iterdir()) == ["a", "b"]
    with pytest.raises(RemoteFileError):
        asyncio.run(target.read("/out"))


def test_a_circle_of_links_is_a_fault(root: Path) -> None:
    """It ends, with the path in the message."""
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    with pytest.raises(RemoteFileError, match="/a"):
        asyncio.run(MinionConnection(SRN, root=str(root)).read("/a"))


def test_commands_know_the_root(root: Path) -> None:
    """A command starts in the root and finds its name in ENSUE_ROOT; without a root that is empty."""
    target = MinionConnection(SRN, root=str(root))
    done = asyncio.run(target.run(Command(shell_line='pwd; echo "$ENSUE_ROOT"')))
    assert done.stdout.decode().splitlines() == [str(root), str(root)]
    done = asyncio.run(MinionConnection(SRN).run(Command(shell_line='echo "<$ENSUE_ROOT>"')))
    assert done.stdout == b"<>\n"


def test_messages_name_the_path_of_the_target(root: Path) -> None:
    """An error shows the path as it was given, not the one below the root."""
    with pytest.raises(RemoteFileError) as caught:
        asyncio.run(MinionConnection(SRN, root=str(root)).read("/etc/absent"))
    assert str(root) not in str(caught.value)


@given(st.lists(st.sampled_from(["..", ".", "a", "b", "", "link", "up", "abs"]), max_size=8))
def test_no_path_leads_out(parts: list[str]) -> None:
    """Every path of folders, links and `..` is below the root."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as text:
        top = Path(text).resolve() / "root"
        (top / "a" / "b").mkdir(parents=True)
        (top / "a" / "link").symlink_to("../../..")
        (top / "up").symlink_to("..")
        (top / "abs").symlink_to("/")
        for follow in (True, False):
            shown = Path(Confinement(str(top)).real("/" + "/".join(parts), follow=follow))
            assert shown.parent.resolve().is_relative_to(top.parent)
            assert shown.is_relative_to(top)
