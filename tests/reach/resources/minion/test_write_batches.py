"""Writes that begin together share a thread, and nothing else."""

from __future__ import annotations

import asyncio
import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.errors import RemoteFileError
from ensue.core.model.srn import Srn
from ensue.reach.resources.leftovers import Leftovers
from ensue.reach.resources.minion import write_batches
from ensue.reach.resources.minion.atomic_write import WriteRequest
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.reach.resources.minion.write_batches import MOST_IN_BATCH, WriteBatches

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

MANY = 3 * MOST_IN_BATCH + 1


def request(path: Path) -> WriteRequest:
    return WriteRequest(path=str(path), mode=None, uid=-1, gid=-1)


def test_each_file_gets_its_content(tmp_path: Path) -> None:
    """Many writes at once leave every file with its own content, no temporary file and no note."""
    notes = tmp_path / "notes"
    leftovers = Leftovers(notes)
    target = MinionConnection(Srn("minion", "m"), leftovers=leftovers)
    folder = tmp_path / "folder"
    folder.mkdir()

    async def write() -> None:
        await asyncio.gather(*(target.write(f"{folder}/{number}", b"%d" % number) for number in range(MANY)))

    asyncio.run(write())
    leftovers.close()
    contents = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert contents == {str(number): b"%d" % number for number in range(MANY)}
    assert list(notes.iterdir()) == []


def test_a_failure_is_its_own(tmp_path: Path) -> None:
    """A file that cannot be written fails alone; the others of its batch are written."""
    target = MinionConnection(Srn("minion", "m"))
    paths = [tmp_path / "before", tmp_path / "missing/file", tmp_path / "after"]

    async def write() -> list[Any]:
        writes = (target.write(str(path), b"content") for path in paths)
        return await asyncio.gather(*writes, return_exceptions=True)

    before, failed, after = asyncio.run(write())
    assert before is after is None
    assert isinstance(failed, RemoteFileError)
    assert failed.path == str(paths[1])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["after", "before"]


def test_writes_of_one_turn_share_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one hop to a thread for each batch, and the temporary files of a batch are noted together."""
    batches: list[int] = []

    def carry_out(writes: Sequence[tuple[WriteRequest, bytes]], _noted: object) -> list[None]:
        batches.append(len(writes))
        return [None] * len(writes)

    monkeypatch.setattr(write_batches, "write_each_atomically", carry_out)

    async def write() -> None:
        writes = WriteBatches(lambda *_: nullcontext())
        await asyncio.gather(*(writes.write(request(tmp_path / str(at)), b"") for at in range(MANY)))

    asyncio.run(write())
    assert sorted(batches) == [1, MOST_IN_BATCH, MOST_IN_BATCH, MOST_IN_BATCH]


def test_a_cancelled_write_ends_before_it_is_reported(tmp_path: Path) -> None:
    """Whoever cancels a write learns of its end only when the file is written."""
    begun, may_end = threading.Event(), threading.Event()

    def noted(*_paths: str) -> AbstractContextManager[None]:
        begun.set()
        assert may_end.wait(10)
        return nullcontext()

    async def write() -> bool:
        writing = asyncio.create_task(WriteBatches(noted).write(request(tmp_path / "file"), b"content"))
        await asyncio.to_thread(begun.wait, 10)
        writing.cancel()
        done, _ = await asyncio.wait([writing], timeout=0)
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await writing
        return bool(done)

    assert not asyncio.run(write())
    assert (tmp_path / "file").read_bytes() == b"content"
