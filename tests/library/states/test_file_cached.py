"""`file.cached`: what its copies are good for, and who may read them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tests.library.states.system_states import context, state

from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.testing.context import FakeStateContext

URL = "https://user:hunter2x@example.org/a.txt"
SUM = hashlib.sha256(b"text\n").hexdigest()


def here(folder: Path, content: bytes | None = b"text\n") -> FakeStateContext:
    ctx = context(FakeConnection())
    ctx.cache_dir = folder
    ctx.sources = {} if content is None else {URL: content}
    return ctx


def test_a_copy_with_the_right_checksum_is_not_fetched_again(tmp_path: Path) -> None:
    """`file.managed` takes it where the source is gone; with another checksum it asks the source."""
    assert state("file.cached", here(tmp_path), URL, source_hash=SUM).result
    gone = here(tmp_path, None)
    done = state("file.managed", gone, "/root/f", source=URL, source_hash=SUM)
    assert (done.result, done.comment) == (True, "File /root/f updated")
    other = hashlib.sha256(b"other").hexdigest()
    assert state("file.managed", gone, "/root/f", source=URL, source_hash=other).result is False


def test_a_source_that_has_changed_is_kept_anew(tmp_path: Path) -> None:
    """Without a checksum the source is asked each time, and changes tell both checksums."""
    first = state("file.cached", here(tmp_path), URL, skip_verify=True)
    second = state("file.cached", here(tmp_path, b"new\n"), URL, skip_verify=True)
    new = hashlib.sha256(b"new\n").hexdigest()
    assert first.changes == {"hash": {"old": None, "new": SUM}}
    assert second.changes == {"hash": {"old": SUM, "new": new}}


def test_a_copy_is_removed(tmp_path: Path) -> None:
    """A plan leaves it, the first run removes it, the second has nothing to do."""
    state("file.cached", here(tmp_path), URL, source_hash=SUM)
    planned = here(tmp_path)
    planned.test = True
    results = [state("file.not_cached", ctx, URL) for ctx in (planned, here(tmp_path), here(tmp_path))]
    assert [(result.result, result.changes) for result in results] == [
        (None, {"deleted": True}),
        (True, {"deleted": True}),
        (True, {}),
    ]
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_only_its_owner_may_read_a_copy(tmp_path: Path) -> None:
    """Files and folders of the cache are closed to others; a password in a URL is masked."""
    ctx = here(tmp_path / "cache")
    done = state("file.cached", ctx, URL, source_hash=SUM)
    modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "cache").rglob("*")}
    assert modes == {0}
    assert "hunter2x" not in str(done.new_state["path"] if isinstance(done.new_state, dict) else "")
    assert "hunter2x" not in ctx.masker.text(done.name)
