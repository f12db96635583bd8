"""SQLite's locks on the files of stores last as long as their connections.

They belong to the process, and the kernel drops them when the process closes any descriptor of the file. Then
another process takes itself for the last one, and removes the log into which the first one still writes.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.core.model.srn import Srn
from ensue.store.registry.enforced_file import EnforcedFile
from ensue.store.registry.grains_file import GrainsFile, SealedGrains
from ensue.store.registry.lock_waits import LockWaits
from ensue.store.registry.store import CrossRunStore
from ensue.store.registry.waiting_connection import connect_existing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.store.registry.conftest import MakeRegistry

_READER = """
import sqlite3, sys
for line in sys.stdin:
    if line == "close\\n":
        database.close()
    else:
        database = sqlite3.connect(line.removesuffix("\\n"))
        database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    print(flush=True)
"""


class Reader:
    """Another process, which opens and closes a database."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._has_opened = False

    def open(self, path: Path) -> None:
        """Open a database, and close the one that it had open."""
        self.close()
        self._order(str(path))
        self._has_opened = True

    def close(self) -> None:
        """Close the database, if one is open."""
        if self._has_opened:
            self._order("close")
        self._has_opened = False

    def look_at(self, path: Path) -> None:
        """Open a database and close it again."""
        self.open(path)
        self.close()

    def _order(self, line: str) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "\n"


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    command = [sys.executable, "-c", _READER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Reader(process)
        process.communicate(timeout=60)
    assert process.returncode == 0


@given(steps=st.lists(st.sampled_from(["write", "check", "second store", "open", "close"]), max_size=12))
@settings(max_examples=40)
def test_what_is_written_is_kept_whoever_reads(reader: Reader, steps: list[str]) -> None:
    """A process checks its store, opens it twice and writes; another one comes and goes in between."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        store = CrossRunStore(path.parent)
        _write(store, "first")
        written = ["first"]
        for number, step in enumerate([*steps, "open"]):
            match step:
                case "write":
                    _write(store, f"{number}")
                    written.append(f"{number}")
                case "check":
                    CrossRunStore(path.parent).refuse_damaged()
                case "second store":
                    second = CrossRunStore(path.parent)
                    assert _kept(second, written) == written
                    second.close()
                case "open":
                    reader.open(path)
                case _:
                    reader.close()
        store.close()
        reader.close()
        again = CrossRunStore(path.parent)
        assert _kept(again, written) == written
        again.close()


def test_what_is_written_after_a_check_is_kept(
    make_registry: MakeRegistry, cachedir: Path, reader: Reader
) -> None:
    """A run checks the store that its command has open; readers come and go, and nothing gets lost."""
    registry = make_registry()
    registry.register(Srn("ssh_host", "before"), {"host": "127.0.0.1"})
    CrossRunStore(cachedir).refuse_damaged()
    path = cachedir / "store.db"
    reader.look_at(path)
    registry.register(Srn("ssh_host", "after"), {"host": "127.0.0.2"})
    reader.open(path)
    registry.close()
    reader.close()
    assert [record.srn.id for record in make_registry().records()] == ["after", "before"]


def test_a_second_store_of_a_process_leaves_the_first_one_locked(
    make_registry: MakeRegistry, cachedir: Path, reader: Reader
) -> None:
    """Both are open, one is closed: a reader that leaves does not remove the log of the other one."""
    first, second = make_registry(), make_registry()
    first.register(Srn("ssh_host", "a"), {})
    second.register(Srn("ssh_host", "b"), {})
    second.close()
    path = cachedir / "store.db"
    reader.look_at(path)
    assert _log(path).exists()


def test_enforced_files_of_one_process(tmp_path: Path, reader: Reader) -> None:
    """Opening the file once more leaves it locked."""
    first, second = EnforcedFile(tmp_path), EnforcedFile(tmp_path)
    first.remove([])
    second.all()
    second.close()
    reader.look_at(first.path)
    assert _log(first.path).exists()
    first.close()


def test_grains_files_of_one_process(tmp_path: Path, reader: Reader) -> None:
    """Opening the file once more leaves it locked."""
    first, second = GrainsFile(tmp_path), GrainsFile(tmp_path)
    first.write([SealedGrains("ssh_host:a", 1.0, b"")], older_than_s=0.0)
    assert len(second.read(["ssh_host:a"], younger_than_s=0.0)) == 1
    second.close()
    reader.look_at(first.path)
    assert _log(first.path).exists()
    first.close()


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _write(store: CrossRunStore, name: str) -> None:
    with store.transaction() as entries:
        entries.set_fact(name, "written")


def _kept(store: CrossRunStore, names: list[str]) -> list[str]:
    with store.reading() as entries:
        return [name for name in names if entries.fact(name) == "written"]


def test_a_store_that_was_removed_is_not_created_anew(tmp_path: Path) -> None:
    """Where a file has to exist, SQLite creates none; the name may have any characters."""
    path = tmp_path / "a?b#c%20 é" / "store.db"
    path.parent.mkdir()
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        connect_existing(path, LockWaits())
    assert not path.exists()
    CrossRunStore(path.parent).refuse_damaged()
    store = CrossRunStore(path.parent)
    _write(store, "a")
    store.close()
    connect_existing(path, LockWaits()).close()
