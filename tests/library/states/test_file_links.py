"""`file.recurse` and `cp` with links in the file roots."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.call_state import execution_functions

from ensue.core.model.srn import Srn
from ensue.library.states.file.recurse import recurse
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.returns import StateReturn


@pytest.fixture
def ctx(tmp_path: Path) -> FakeStateContext:
    """A context whose file roots have a folder `app` with links inside, out of the root and in a loop."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/e").write_text("e")
    app = tmp_path / "roots/app"
    (app / "real").mkdir(parents=True)
    (app / "real/f").write_text("f")
    (app / "folder").symlink_to("real")
    (app / "file").symlink_to("real/f")
    (app / "out").symlink_to(tmp_path / "elsewhere")
    (app / "real/loop").symlink_to(app)
    return FakeStateContext(
        connection=MinionConnection(Srn("minion", "m")),
        file_root=tmp_path / "roots",
        functions=execution_functions(),
    )


def recursed(ctx: FakeStateContext, tmp_path: Path, **arguments: Any) -> StateReturn:
    return asyncio.run(recurse(ctx, str(tmp_path / "there"), "salt://app", **arguments))


def there(tmp_path: Path) -> dict[str, str]:
    """The files below the destination by path: the content, or `->` and what a link says."""
    contents: dict[str, str] = {}
    for folder, folders, files in os.walk(tmp_path / "there"):
        for name in [*folders, *files]:
            path = tmp_path / folder / name
            relative = path.relative_to(tmp_path / "there").as_posix()
            if path.is_symlink():
                contents[relative] = f"-> {path.readlink()}"
            elif path.is_file():
                contents[relative] = path.read_text()
    return contents


def test_links_are_copied_as_what_they_lead_to(ctx: FakeStateContext, tmp_path: Path) -> None:
    """Without `keep_symlinks` the target has files and folders only, and `clean` removes none of them."""
    copied = {"file": "f", "folder/f": "f", "out/e": "e", "real/f": "f"}
    assert recursed(ctx, tmp_path).result
    assert there(tmp_path) == copied
    again = recursed(ctx, tmp_path, clean=True)
    assert (again.result, again.changes) == (True, {})
    assert there(tmp_path) == copied


def test_links_are_kept(ctx: FakeStateContext, tmp_path: Path) -> None:
    """With `keep_symlinks` a link of the root stays one, except one that leads out of the root."""
    kept = {
        "file": "-> real/f",
        "folder": "-> real",
        "out/e": "e",
        "real/f": "f",
        "real/loop": f"-> {tmp_path}/roots/app",
    }
    ctx.test = True
    planned = recursed(ctx, tmp_path, keep_symlinks=True)
    assert planned.result is None
    assert planned.changes[f"{tmp_path}/there/folder"] == {"new": f"{tmp_path}/there/folder"}
    ctx.test = False
    done = recursed(ctx, tmp_path, keep_symlinks=True)
    assert done.result, done.comment
    assert not done.warnings
    assert there(tmp_path) == kept
    assert done.new_state is not None
    assert done.new_state["files"] == sorted(kept)
    again = recursed(ctx, tmp_path, keep_symlinks=True, clean=True)
    assert (again.result, again.changes) == (True, {})
    assert there(tmp_path) == kept


def test_a_link_that_is_not_wanted(ctx: FakeStateContext, tmp_path: Path) -> None:
    """A link that `exclude_pat` matches is left out with all that it leads to."""
    assert recursed(ctx, tmp_path, keep_symlinks=True, exclude_pat=["folder", "*loop", "out*"]).result
    assert there(tmp_path) == {"file": "-> real/f", "real/f": "f"}


def test_a_folder_where_a_link_belongs(ctx: FakeStateContext, tmp_path: Path) -> None:
    """An earlier copy is in the way of a link, unless `force_symlinks` replaces it."""
    recursed(ctx, tmp_path)
    refused = recursed(ctx, tmp_path, keep_symlinks=True)
    assert refused.result is False
    assert f"exists where the symlink {tmp_path}/there/folder should be" in refused.comment
    assert recursed(ctx, tmp_path, keep_symlinks=True, force_symlinks=True).result
    assert there(tmp_path)["folder"] == "-> real"


def test_the_first_source_wins_over_links(ctx: FakeStateContext, tmp_path: Path) -> None:
    """When sources are merged, a path of the first is neither replaced by a link nor below one."""
    first = tmp_path / "roots/first"
    (first / "folder").mkdir(parents=True)
    (first / "folder/own").write_text("own")
    (first / "real").write_text("a file")
    done = asyncio.run(
        recurse(
            ctx,
            str(tmp_path / "there"),
            ["salt://first", "salt://app"],
            merge=True,
            keep_symlinks=True,
            exclude_pat="out*",
        )
    )
    assert done.result, done.comment
    assert there(tmp_path) == {"folder/own": "own", "real": "a file", "file": "-> real/f"}


def test_a_link_to_nothing_is_not_left_out(ctx: FakeStateContext, tmp_path: Path) -> None:
    """A broken link in the roots fails by name, as in Salt: `clean` would remove its copy."""
    (tmp_path / "roots/app/broken").symlink_to("gone")
    failed = recursed(ctx, tmp_path)
    assert failed.result is False
    assert "broken" in failed.comment


def test_execution_functions_list_them(ctx: FakeStateContext, tmp_path: Path) -> None:
    """`cp` lists and copies what is behind links."""
    files = ["app/file", "app/folder/f", "app/out/e", "app/real/f"]
    assert asyncio.run(ctx.call("cp.list_master")) == files
    assert asyncio.run(ctx.call("cp.list_master_dirs")) == ["app", "app/folder", "app/out", "app/real"]
    copied = asyncio.run(ctx.call("cp.get_dir", "salt://app/out", str(tmp_path)))
    assert copied == [f"{tmp_path}/out/e"]
