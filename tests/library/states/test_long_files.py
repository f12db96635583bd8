"""States that carry long files from a target, or to one, have a few chunks of them in memory at a time."""

from __future__ import annotations

import asyncio
import hashlib
import io
import tarfile
import tracemalloc
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.library.states.call_state import execution_functions

from ensue.core.errors import StateFailedError
from ensue.core.model.srn import Srn
from ensue.library.modules import cp, file, hashutil
from ensue.library.states import archive, ssh_host
from ensue.library.states.file import FUNCTIONS
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeFunctionContext, FakeStateContext

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.core.model.returns import StateReturn

LONG_BYTES: Final = 24 << 20
MOST_BYTES: Final = LONG_BYTES // 2
"""So much memory a state may take for a file of twice that size."""


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    """A file that no state may have in memory as a whole."""
    (tmp_path / "roots").mkdir()
    path = tmp_path / "roots/long"
    path.write_bytes(bytes(range(256)) * (LONG_BYTES // 256))
    return path


def context(tmp_path: Path, *, test: bool = False) -> FakeStateContext:
    """Return the context of a state on this machine."""
    return FakeStateContext(
        connection=MinionConnection(Srn("minion", "m")),
        file_root=tmp_path / "roots",
        cache_dir=tmp_path / "cache",
        functions=execution_functions(),
        test=test,
    )


def frugally(work: Callable[[], Any]) -> Any:
    """Run a coroutine that may take only so much memory, and return its result."""
    tracemalloc.start()
    try:
        result = asyncio.run(work())
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < MOST_BYTES
    return result


def twice(tmp_path: Path, function: Callable[..., Any], *args: Any, **kwargs: Any) -> StateReturn:
    """Plan a state, make it so, and find that there is nothing left to do; return what made it so."""
    assert asyncio.run(function(context(tmp_path, test=True), *args, **kwargs)).result is None
    done: StateReturn = frugally(lambda: function(context(tmp_path), *args, **kwargs))
    again = asyncio.run(function(context(tmp_path), *args, **kwargs))
    assert (done.result, again.result, again.changes) == (True, True, {})
    return done


def test_a_long_file_is_copied(tmp_path: Path, long_file: Path) -> None:
    """`file.copy` writes what it reads, chunk by chunk, of a folder too."""
    twice(tmp_path, FUNCTIONS["copy"], str(tmp_path / "copy"), source=str(long_file))
    assert (tmp_path / "copy").read_bytes() == long_file.read_bytes()
    twice(tmp_path, FUNCTIONS["copy"], str(tmp_path / "tree"), source=str(long_file.parent))
    assert (tmp_path / "tree/long").read_bytes() == long_file.read_bytes()


def test_a_long_file_is_backed_up_before_it_is_replaced(tmp_path: Path, long_file: Path) -> None:
    """`backup` keeps the old content, which is for its owner alone."""
    target = tmp_path / "target"
    content = long_file.read_bytes()
    target.write_bytes(content[::-1])
    given = {"source": "salt://long", "backup": "minion"}
    done = twice(tmp_path, FUNCTIONS["managed"], str(target), **given)
    (backup,) = [path for path in (tmp_path / "cache/file_backup").rglob("target_*") if path.is_file()]
    assert (target.read_bytes(), backup.read_bytes()) == (content, content[::-1])
    assert backup.stat().st_mode & 0o777 == 0o600
    assert isinstance(done.old_state, dict)
    assert done.old_state["sha256"] == hashlib.sha256(content[::-1]).hexdigest()


def test_a_folder_with_a_long_file_is_made(tmp_path: Path, long_file: Path) -> None:
    """`file.recurse` is as frugal as `file.managed`."""
    (long_file.parent / "tree").mkdir()
    long_file.rename(long_file.parent / "tree/long")
    twice(tmp_path, FUNCTIONS["recurse"], str(tmp_path / "tree"), source="salt://tree")
    assert (tmp_path / "tree/long").stat().st_size == LONG_BYTES


def test_a_long_source_is_cached(tmp_path: Path, long_file: Path) -> None:
    """`file.cached` keeps a copy, by a checksum of any kind, and `file.not_cached` removes it."""
    digest = hashlib.md5(long_file.read_bytes(), usedforsecurity=False).hexdigest()
    given = {"source_hash": f"md5={digest}"}
    twice(tmp_path, FUNCTIONS["cached"], "salt://long", **given)
    assert (tmp_path / "cache/files/base/long").stat().st_size == LONG_BYTES
    there = frugally(lambda: FUNCTIONS["cached"](context(tmp_path), str(long_file), **given))
    assert there.comment == f"File {long_file} is present on the minion and has hash {digest}"
    twice(tmp_path, FUNCTIONS["not_cached"], "salt://long")
    with pytest.raises(StateFailedError, match="does not match actual checksum"):
        asyncio.run(FUNCTIONS["cached"](context(tmp_path), "salt://long", source_hash=digest[::-1]))
    assert not (tmp_path / "cache/files/base/long").exists()


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_a_long_archive_is_unpacked(tmp_path: Path, long_file: Path, kind: str) -> None:
    """An archive is read and unpacked in pieces, whatever its kind; also from a long file."""
    packed = tmp_path / f"roots/long.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(packed, "w") as zipped:
            zipped.write(long_file, "app/long")
            zipped.writestr("app/short", b"short")
    else:
        with tarfile.open(packed, "w:gz" if kind == "tar.gz" else "w") as tar:
            tar.add(long_file, "app/long")
            short = tarfile.TarInfo("app/short")
            short.size = 5
            tar.addfile(short, io.BytesIO(b"short"))
    assert (packed.stat().st_size > 1 << 20) == (kind != "tar.gz")
    twice(
        tmp_path,
        archive.FUNCTIONS["extracted"],
        str(tmp_path / "out"),
        source=f"salt://long.{kind}",
        max_ratio=2000,
    )
    assert (tmp_path / "out/app/long").read_bytes() == long_file.read_bytes()
    assert (tmp_path / "out/app/short").read_bytes() == b"short"


def test_a_long_file_is_carried(tmp_path: Path, long_file: Path) -> None:
    """`ssh_host.send_file` reads here what it writes there."""
    here = MinionConnection(Srn("minion", "m"))
    ctx = FakeStateContext(here, others={"there": FakeFunctionContext(here)})
    given = {"local_path": str(long_file), "remote_path": str(tmp_path / "sent")}
    done = frugally(lambda: ssh_host.FUNCTIONS["send_file"](ctx, "there", **given))
    assert done.result is True
    assert (tmp_path / "sent").read_bytes() == long_file.read_bytes()


@pytest.mark.parametrize("kind", ["md5", "sha1", "sha512", "blake2b"])
def test_functions_digest_long_files(long_file: Path, kind: str) -> None:
    """The checksum of a file of the target is made without having it whole."""
    ctx = FakeFunctionContext(connection=MinionConnection(Srn("minion", "m")))
    expected = hashlib.new(kind, long_file.read_bytes(), usedforsecurity=False).hexdigest()
    for function in (file.FUNCTIONS["get_hash"], hashutil.FUNCTIONS["digest_file"]):
        assert frugally(partial(function, ctx, str(long_file), kind)) == expected


def test_functions_copy_long_sources(tmp_path: Path, long_file: Path) -> None:
    """`cp.get_file` and `cp.cache_file` write a source chunk by chunk."""
    ctx = context(tmp_path)
    frugally(lambda: cp.FUNCTIONS["get_file"](ctx, "salt://long", str(tmp_path / "got")))
    assert (tmp_path / "got").read_bytes() == long_file.read_bytes()
    digest = hashlib.sha512(long_file.read_bytes()).hexdigest()
    cached = frugally(lambda: cp.FUNCTIONS["cache_file"](ctx, "salt://long", source_hash=digest))
    assert cached == str(long_file)
