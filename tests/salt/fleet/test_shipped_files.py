"""Which of the files that minions fetch are removed: those that no run claims."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ensue.core.errors import StoreError
from ensue.salt.fleet.shipped_files import ShippedFiles
from ensue.store.registry.lock_waits import LockWaits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_MANY = 12
"""More files of a kind than are kept without a claim."""

OTHER = """\
import sys
from pathlib import Path
from ensue.salt.fleet.shipped_files import ShippedFiles
folder, claims = map(Path, sys.argv[1:3])
files = ShippedFiles(folder, claims, "killed")
(folder / ".tree.killed").write_text("half")
print(files.claim("tree-a.zip"), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., ShippedFiles]:
    """Begins a run."""
    (tmp_path / "served").mkdir()

    def begin(run_id: str, kept: Path | None = None) -> ShippedFiles:
        return ShippedFiles(tmp_path / "served", tmp_path / "claims", run_id, kept)

    return begin


def _put(files: ShippedFiles, name: str) -> None:
    scratch = files.folder / f".tree{files.scratch}"
    scratch.write_text(name)
    files.put(scratch, name, "tree")


def _put_many(files: ShippedFiles) -> None:
    """Ship more files than are kept without a claim, each in a run of its own that has ended."""
    for number in range(_MANY):
        with ShippedFiles(files.folder, files.folder.parent / "claims", f"other-{number}") as other:
            _put(other, f"tree-{number:02}.zip")


def _names(files: ShippedFiles) -> set[str]:
    return {path.name for path in files.folder.iterdir()}


def test_what_a_run_claims_stays(run: Callable[..., ShippedFiles]) -> None:
    """It stays while the run goes on, whatever else is shipped; afterwards the files used last stay."""
    with run("first") as first:
        _put(first, "tree-a.zip")
        _put_many(first)
        assert "tree-a.zip" in _names(first)
        assert len(_names(first)) == 6 + 1  # the claimed one, five others, and the one that was put last
    _put_many(first)
    assert "tree-a.zip" not in _names(first)


def test_what_a_run_needs_to_be_resumed_stays(run: Callable[..., ShippedFiles], tmp_path: Path) -> None:
    """It stays as long as the run can be resumed; a resumed run takes over the claim."""
    kept = tmp_path / "run.fleet"
    kept.touch()
    with run("first", kept) as first:
        _put(first, "tree-a.zip")
    _put_many(first)
    assert "tree-a.zip" in _names(first)
    with run("first", kept) as resumed:
        kept.unlink()
        _put_many(resumed)
        assert "tree-a.zip" in _names(resumed)
    _put_many(resumed)
    assert "tree-a.zip" not in _names(resumed)


def test_the_claim_of_a_killed_process_ends(run: Callable[..., ShippedFiles], tmp_path: Path) -> None:
    """The kernel releases its lock; the file that it was writing is removed, and so is its claim."""
    with run("first") as first:
        _put(first, "tree-a.zip")
    command = [sys.executable, "-c", OTHER, first.folder, tmp_path / "claims"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        _put_many(first)
        assert {"tree-a.zip", ".tree.killed"} <= _names(first)
        other.kill()
    _put_many(first)
    assert not {"tree-a.zip", ".tree.killed"} & _names(first)
    assert not (tmp_path / "claims" / "killed").exists()


def test_files_of_another_kind_are_left_alone(run: Callable[..., ShippedFiles]) -> None:
    """A new archive of the states removes no archive of ensue."""
    with run("first") as first:
        for number in range(_MANY):
            (first.folder / f"ensue-cpython-{number}.zip").touch()
        _put_many(first)
        assert len([name for name in _names(first) if name.startswith("ensue")]) == _MANY


def test_a_name_that_was_cut_removes_nothing_else(run: Callable[..., ShippedFiles], tmp_path: Path) -> None:
    """A process that was killed while it wrote its claim leaves the names before it."""
    kept = tmp_path / "run.fleet"
    kept.touch()
    with run("first", kept) as first:
        _put(first, "tree-a.zip")
    claim = tmp_path / "claims" / "first"
    claim.write_text(claim.read_text() + "tre")
    (tmp_path / "claims" / "empty").touch()
    _put_many(first)
    assert "tree-a.zip" in _names(first)
    assert not (tmp_path / "claims" / "empty").exists()


def test_nothing_is_shipped_that_cannot_be_claimed(
    run: Callable[..., ShippedFiles], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk the file is not put in place."""
    with run("first") as first:

        def full(*_: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        scratch = first.folder / ".tree.first"
        scratch.touch()
        monkeypatch.setattr("ensue.salt.fleet.shipped_files.os.write", full)
        with pytest.raises(OSError, match=r"No space left on device: .*claims"):
            first.put(scratch, "tree-a.zip", "tree")
        assert "tree-a.zip" not in _names(first)


def test_a_process_that_hangs_does_not_hold_the_command(
    run: Callable[..., ShippedFiles], tmp_path: Path
) -> None:
    """A command that is interrupted stops waiting for the lock of another process."""
    waits = LockWaits()
    with run("first") as first:
        descriptor = os.open(tmp_path / "claims", os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        waits.end()
        with pytest.raises(StoreError, match="interrupted; another process has it locked"):
            ShippedFiles(first.folder, tmp_path / "claims", "second", waits=waits)
        os.close(descriptor)


_STEPS = st.lists(
    st.tuples(st.sampled_from(["begin", "put", "end", "settle"]), st.integers(0, 3), st.integers(0, 9)),
    max_size=40,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
def test_drawn_runs_never_lose_a_file(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    """In any order of beginnings and ends, the files that a run, or its resumption, needs are there."""
    base = tmp_path_factory.mktemp("s")
    (base / "served").mkdir()
    going: dict[int, ShippedFiles] = {}
    claimed: dict[int, set[str]] = {}
    try:
        for what, run_number, file_number in steps:
            kept = base / f"kept-{run_number}"
            if what == "begin" and run_number not in going:
                kept.touch()
                going[run_number] = ShippedFiles(base / "served", base / "claims", f"run-{run_number}", kept)
                claimed.setdefault(run_number, set())
            elif what == "put" and run_number in going:
                name = f"tree-{run_number}-{file_number}.zip"
                if not going[run_number].claim(name):
                    _put(going[run_number], name)
                claimed[run_number].add(name)
            elif what in {"end", "settle"} and run_number in going:
                if what == "settle":
                    kept.unlink()
                    del claimed[run_number]
                going.pop(run_number).__exit__()
            there = {path.name for path in (base / "served").iterdir()}
            assert set().union(*claimed.values()) <= there
    finally:
        for files in going.values():
            files.__exit__()
