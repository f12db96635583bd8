"""Execution module `file` on a real folder: what its readers return."""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.errors import StateFailedError
from ensue.core.model.srn import Srn
from ensue.library.modules.file import FUNCTIONS
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeFunctionContext

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def call(tmp_path: Path) -> Callable[..., Any]:
    (tmp_path / "d" / "sub").mkdir(parents=True)
    (tmp_path / "d" / "f.txt").write_text("one\ntwo words\n")
    (tmp_path / "d" / "f.txt").chmod(0o640)
    (tmp_path / "d" / "sub" / "bin").write_bytes(b"\xff\xfe")
    (tmp_path / "d" / "link").symlink_to("f.txt")
    (tmp_path / "d" / "broken").symlink_to("nowhere")
    ctx = FakeFunctionContext(MinionConnection(Srn("minion", "here")))

    def called(function: str, path: str, *args: Any, **kwargs: Any) -> Any:
        async def run() -> Any:
            returned = FUNCTIONS[function](ctx, str(tmp_path / path), *args, **kwargs)
            return await returned

        return asyncio.run(run())

    return called


def test_what_is_there(call: Callable[..., Any]) -> None:
    """Files, folders and symlinks are distinguished; symlinks are followed where Salt follows them."""
    assert [call("file_exists", path) for path in ("d/f.txt", "d/link", "d", "d/broken", "no")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    assert [call("directory_exists", path) for path in ("d", "d/f.txt", "no")] == [True, False, False]
    assert [call("path_exists", path) for path in ("d", "d/broken")] == [True, False]
    assert [call("is_link", path) for path in ("d/link", "d/broken", "d")] == [True, True, False]
    assert call("readlink", "d/link") == "f.txt"
    assert call("readlink", "d/link", canonicalize=True).endswith("/d/f.txt")
    with pytest.raises(StateFailedError, match="valid link"):
        call("readlink", "d/f.txt")
    assert call("access", "d/f.txt", "r") is True
    assert call("access", "no", "f") is False
    with pytest.raises(StateFailedError, match="Invalid mode"):
        call("access", "d", "q")


def test_statistics(call: Callable[..., Any]) -> None:
    """Mode, size, kind and checksum have Salt's names and forms."""
    stats = call("stats", "d/f.txt", "sha256")
    digest = hashlib.sha256(b"one\ntwo words\n").hexdigest()
    assert (stats["mode"], stats["size"], stats["type"], stats["sum"]) == ("0640", 14, "file", digest)
    assert call("stats", "d")["type"] == "dir"
    assert call("stats", "d/broken", follow_symlinks=False)["type"] == "link"
    assert call("get_mode", "d/f.txt") == "0640"
    assert call("get_hash", "d/f.txt", "md5") == hashlib.md5(b"one\ntwo words\n").hexdigest()  # noqa: S324
    assert call("check_hash", "d/f.txt", f"sha256={digest}") is True
    assert call("check_hash", "d/f.txt", digest.upper()) is True
    assert call("check_hash", "d/f.txt", "0" * 40) is False
    assert call("get_sum", "no") == "File not found"
    for function in ("stats", "get_mode", "get_hash"):
        with pytest.raises(StateFailedError, match="not found"):
            call(function, "no")
    with pytest.raises(StateFailedError, match="checksums of 3 characters"):
        call("check_hash", "d/f.txt", "abc")


def test_content(call: Callable[..., Any]) -> None:
    """Text is read, looked through by text and by pattern; bytes only where bytes are asked for."""
    assert call("read", "d/f.txt") == "one\ntwo words\n"
    assert call("read", "d/sub/bin", binary=True) == b"\xff\xfe"
    with pytest.raises(StateFailedError, match="not UTF-8"):
        call("read", "d/sub/bin")
    assert call("contains", "d/f.txt", " two words ") is True
    assert call("contains", "no", "x") is False
    assert call("contains_regex", "d/f.txt", "^two") is True
    assert call("search", "d/f.txt", "^two.words$") is True
    assert call("search", "no", "x", ignore_if_missing=True) is False
    assert call("seek_read", "d/f.txt", 3, 4) == b"two"
    assert call("grep", "d/f.txt", "one", "-v -n")["stdout"] == "2:two words"
    assert call("grep", "d/f.txt", "three")["retcode"] == 1
    with pytest.raises(StateFailedError, match="not a regular expression"):
        call("search", "d/f.txt", "(")


def test_finding(call: Callable[..., Any], tmp_path: Path) -> None:
    """`readdir` lists names, `find` paths that fit."""
    assert call("readdir", "d") == [".", "..", "broken", "f.txt", "link", "sub"]
    assert call("find", "d", name="*", type="f", maxdepth=1) == [
        str(tmp_path / "d/f.txt"),
        str(tmp_path / "d/link"),
    ]
    assert call("find", "d", name="*.txt") == [str(tmp_path / "d/f.txt")]
    assert call("find", "d", maxdepth=1, type="d") == [str(tmp_path / "d"), str(tmp_path / "d/sub")]
    assert call("find", "d", mindepth=1, iname="SUB") == [str(tmp_path / "d/sub")]
    with pytest.raises(StateFailedError, match="has no criterion size"):
        call("find", "d", size="1k")
    with pytest.raises(StateFailedError, match="valid directory"):
        call("readdir", "d/f.txt")


def test_links_that_are_found(call: Callable[..., Any], tmp_path: Path) -> None:
    """As in Salt, a link is what it leads to, and is not entered; the one that a search begins at is."""
    (tmp_path / "d/folder").symlink_to("sub")
    below = [str(tmp_path / "d" / name) for name in ("f.txt", "link", "sub/bin")]
    assert call("find", "d", type="f") == below
    assert call("find", "d", type="d", mindepth=1) == [str(tmp_path / "d/folder"), str(tmp_path / "d/sub")]
    assert call("find", "d", type="l") == [str(tmp_path / "d/broken")]
    assert call("find", "d", name="folder", print="type") == ["d"]
    assert call("find", "d/folder", type="f", print="name") == ["bin"]
    assert call("find", "d/link") == [str(tmp_path / "d/link")]


def test_single_changes(call: Callable[..., Any], tmp_path: Path) -> None:
    """The few functions that change something do."""
    assert call("write", "n", "a", "b") == f'Wrote 2 lines to "{tmp_path / "n"}"'
    assert (tmp_path / "n").read_text() == "a\nb\n"
    assert call("set_mode", "n", "0600") == "0600"
    assert call("mkdir", "x/y", mode=700) is True
    assert call("touch", "x/y/t") is True
    assert call("remove", "x") is True
    assert call("remove", "x") is False
    assert not (tmp_path / "x").exists()
