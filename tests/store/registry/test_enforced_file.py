"""The file of enforced states: what is appended, what is read again, and when it is written together."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import msgspec
import pytest

from ensue.core.errors import StoreError
from ensue.core.model.enforced import EnforcedBy
from ensue.store.registry.enforced_file import FILE, MANY, MOST_SEGMENTS, EnforcedFile
from ensue.store.registry.enforced_form import EnforcedEntry, EnforcedRow, encode_entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TARGET = "minion:m1"


@pytest.fixture
def file(cachedir: Path) -> Iterator[EnforcedFile]:
    """The file as one process has it."""
    file = EnforcedFile(cachedir)
    yield file
    file.close()


@pytest.fixture
def other(cachedir: Path) -> Iterator[EnforcedFile]:
    """The same file as another process has it."""
    file = EnforcedFile(cachedir)
    yield file
    file.close()


def row(id_: str, content: bytes = b"1", run_id: str = "run-1") -> EnforcedRow:
    """Return a row of the top scope."""
    return EnforcedRow(
        TARGET, "", f"test_|-{id_}", run_id, EnforcedEntry("test", "present", id_, id_, "sls", content)
    )


def segments(cachedir: Path) -> int:
    """Count what was appended since everything was written together."""
    with sqlite3.connect(cachedir / FILE) as database:
        (count,) = database.execute("SELECT count(*) FROM segment").fetchone()
    database.close()
    return count


def test_what_another_process_appends_is_seen(file: EnforcedFile, other: EnforcedFile) -> None:
    """A process that has read the file reads what was appended since; the later entry counts."""
    file.write([row("a"), row("b")])
    assert [kept.entry.id for kept in other.all()] == ["a", "b"]
    file.write([row("b", b"2", "run-2"), row("c")])
    assert [(kept.entry.id, kept.entry.shown) for kept in other.all()] == [
        ("a", b"1"),
        ("b", b"2"),
        ("c", b"1"),
    ]
    assert [kept.run_id for kept in other.named((TARGET, ""), "", "b")] == ["run-2"]


def test_a_large_run_appends_only_what_differs(file: EnforcedFile, cachedir: Path) -> None:
    """A second apply of a large tree leaves the file; entries that it did not change keep their run."""
    file.write([row(str(number)) for number in range(MANY)])
    assert segments(cachedir) == 1
    again = [row(str(number), run_id="run-2") for number in range(MANY)]
    file.write(again)
    assert segments(cachedir) == 1
    file.write([row("0", b"2", "run-2"), *again[1:]])
    assert segments(cachedir) == 2
    assert {kept.run_id for kept in file.all()} == {"run-1", "run-2"}
    assert [kept.entry.id for kept in file.all() if kept.run_id == "run-2"] == ["0"]


def test_many_small_runs_are_written_together(cachedir: Path) -> None:
    """Runs that append a little each do not make the file longer for ever; nothing is lost."""
    for number in range(MOST_SEGMENTS + 1):
        file = EnforcedFile(cachedir)
        file.write([row(str(number % 3), str(number).encode())])
        file.close()
    assert segments(cachedir) == 1
    again = EnforcedFile(cachedir)
    last = MOST_SEGMENTS
    assert {kept.entry.shown for kept in again.all()} == {str(last - back).encode() for back in range(3)}
    again.close()


def test_who_has_read_sees_what_was_written_together(
    file: EnforcedFile, other: EnforcedFile, cachedir: Path
) -> None:
    """The number of an appended blob is never used again, so that no reader misses one."""
    file.write([row("a")])
    file.write([row("b")])
    assert len(other.all()) == 2
    file.replace([row("a", b"new")])
    assert segments(cachedir) == 1
    assert [kept.entry.shown for kept in other.all()] == [b"new", b"1"]


def test_what_is_replaced_is_gone(file: EnforcedFile, cachedir: Path) -> None:
    """After `replace` the former entry is in neither the file nor the files beside it."""
    for number in range(20):
        file.write([row(str(number), b"the-former-content" * 99)])
    file.replace([row(str(number), b"new") for number in range(20)])
    written = b"".join(path.read_bytes() for path in cachedir.glob(f"{FILE}*"))
    assert b"the-former-content" not in written


def test_a_row_is_found_by_what_it_is_called(file: EnforcedFile) -> None:
    """By target, scope and tag; by ID or name in the top scope alone."""
    named = msgspec.structs.replace(
        row("a"), entry=EnforcedEntry("test", "present", "a", "called", "sls", b"1")
    )
    inner = msgspec.structs.replace(row("a"), scope="caller/block")
    file.write([named, inner])
    assert file.one(named.key) == named
    assert file.one(inner.key) == inner
    assert file.one(row("b").key) is None
    assert file.named((TARGET, ""), "", "called") == file.named((TARGET, ""), "", "a") == [named]
    assert file.named(("minion:m2", ""), "", "a") == []


def test_a_file_of_the_first_version_is_taken_over(file: EnforcedFile, cachedir: Path) -> None:
    """What an earlier ensue kept, one row per state, is there as before."""
    cachedir.mkdir(mode=0o700)
    with sqlite3.connect(cachedir / FILE) as database:
        database.execute(
            "CREATE TABLE enforced"
            " (target, scope, tag, module, function, id, name, sls, sensitive, shown, sealed, run_id)"
        )
        values = (
            TARGET,
            "",
            "t",
            "test",
            "present",
            "a",
            "a",
            "sls",
            b"\x91\xa1p",
            b"\x01",
            b"sealed",
            "run-1",
        )
        database.execute("INSERT INTO enforced VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        database.execute("PRAGMA user_version = 1")
    database.close()
    entry = EnforcedEntry("test", "present", "a", "a", "sls", b"\x01", ("p",), b"sealed")
    assert file.all() == [EnforcedRow(TARGET, "", "t", "run-1", entry)]
    file.write([row("b")])
    assert len(file.all()) == 2


def test_a_file_without_environments_is_taken_over(file: EnforcedFile, cachedir: Path) -> None:
    """An entry of version 2 belongs to the environment of its declaration.

    What was encrypted for the state in any environment is dropped, unless nothing selected one.
    """
    entries = {
        "old": EnforcedEntry("test", "present", "old", "old", "sls", b"1", (), b"sealed"),
        "plain": EnforcedEntry("test", "present", "a", "a", "sls", b"1", by=declared_in("--pillarenv prod")),
        "base": EnforcedEntry("test", "present", "b", "b", "sls", b"1", by=declared_in("--saltenv base")),
        "sealed": EnforcedEntry(
            "test", "present", "c", "c", "sls", b"1", (), b"sealed", by=declared_in("--pillarenv prod")
        ),
    }
    states = {TARGET: {"": {tag: ("run-1", encode_entry(entry)) for tag, entry in entries.items()}}}
    cachedir.mkdir(mode=0o700)
    with sqlite3.connect(cachedir / FILE) as database:
        database.execute(
            "CREATE TABLE segment (number INTEGER PRIMARY KEY AUTOINCREMENT, states BLOB NOT NULL)"
        )
        database.execute("INSERT INTO segment (states) VALUES (?)", (msgspec.msgpack.encode(states),))
        database.execute("PRAGMA user_version = 2")
    database.close()
    rows = {row.tag: row for row in file.all()}
    assert {tag: row.environment for tag, row in rows.items()} == {
        "base": "",
        "old": "",
        "plain": "--pillarenv prod",
        "sealed": "--pillarenv prod",
    }
    assert [tag for tag, row in rows.items() if row.is_readable] == ["base", "old", "plain"]
    assert (rows["old"].entry.sealed, rows["sealed"].entry.sealed) == (b"sealed", None)
    file.write([row("b")])
    assert len(file.all()) == len(entries) + 1


def declared_in(environment: str) -> EnforcedBy:
    """Return a declaration of an environment."""
    return EnforcedBy("sls", environment=environment)


def test_the_later_of_two_in_one_write_counts(file: EnforcedFile) -> None:
    """A state that is written twice has its last entry, also if that equals the entry before the write."""
    file.write([row("a")])
    file.write([row("a", b"2"), row("a")])
    assert [kept.entry.shown for kept in file.all()] == [b"1"]


def test_what_turns_out_to_be_secret_stands_nowhere_in_the_clear(cachedir: Path) -> None:
    """An entry that was open, and is encrypted by a later run, leaves nothing of its open form behind."""
    for entry in (
        EnforcedEntry("test", "present", "a", "a", "sls", b"a password"),
        EnforcedEntry("test", "present", "a", "a", "sls", b"(sensitive)", ("",), b"encrypted"),
    ):
        file = EnforcedFile(cachedir)
        file.write([EnforcedRow(TARGET, "", "test_|-a", "run", entry), row("b")])
        file.close()
    assert [kept.entry.shown for kept in file.all()] == [b"(sensitive)", b"1"]
    assert not [path.name for path in cachedir.iterdir() if b"a password" in path.read_bytes()]
    file.close()


def test_a_fault_that_undid_everything_itself_is_named(file: EnforcedFile, cachedir: Path) -> None:
    """SQLite rolls back by itself for some errors, a full disk among them; that error is the one reported."""
    file.write([row("a")])
    with sqlite3.connect(cachedir / FILE) as database:
        database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON segment BEGIN SELECT RAISE(ROLLBACK, 'no room'); END"
        )
    with pytest.raises(StoreError, match="no room"):
        file.write([row("b")])
    with sqlite3.connect(cachedir / FILE) as database:
        database.execute("DROP TRIGGER full")
    database.close()
    file.write([row("c")])
    assert [kept.entry.id for kept in file.all()] == ["a", "c"]


def test_threads_read_while_another_writes(file: EnforcedFile) -> None:
    """A run that compiles in one thread and enforces in another finds whole entries, and loses none."""
    file.write([row("first")])

    def read(_: int) -> list[int]:
        return [len(file.named((TARGET, ""), "", "first")) for _ in range(200)]

    def write(start: int) -> list[int]:
        for number in range(start, start + 200):
            file.write([row(str(number))])
        return []

    with ThreadPoolExecutor() as pool:
        results = [*pool.map(read, range(2)), *pool.map(write, [0, 1000])]
    assert {count for counts in results for count in counts} == {1}
    assert len(file.all()) == 401


def test_a_blob_that_is_none_is_said(file: EnforcedFile, other: EnforcedFile, cachedir: Path) -> None:
    """Damage within the database names the file and a way out."""
    file.write([row("a")])
    with sqlite3.connect(cachedir / FILE) as database:
        database.execute("UPDATE segment SET states = x'ff00'")
    database.close()
    with pytest.raises(StoreError, match="move it away"):
        other.all()


@pytest.mark.parametrize("cut", [0, 1, 16, 99, 100, 4096, -4096, -1])
def test_a_file_that_was_cut_off_says_so_and_stays(file: EnforcedFile, cachedir: Path, cut: int) -> None:
    """An empty file is reported as truncated too, because none is ever created empty."""
    file.write([row("a")])
    file.close()
    path = cachedir / FILE
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    for use in (file.all, lambda: file.write([row("b")])):
        with pytest.raises(StoreError, match=r"(damaged|overwritten).*the next apply records it again"):
            use()
        assert path.read_bytes() == whole[:cut]
    path.write_bytes(whole)
    assert [kept.entry.id for kept in file.all()] == ["a"]


def test_what_is_removed_stays_removed(file: EnforcedFile, other: EnforcedFile, cachedir: Path) -> None:
    """Another process that has read an entry does not write it again with what it writes together."""
    file.write([row("a", b"secret-a"), row("b"), row("c")])
    assert len(other.all()) == 3
    file.remove([row("a"), row("no such")])
    assert [kept.entry.id for kept in file.all()] == ["b", "c"]
    other.replace([row("c", b"2")])
    assert [(kept.entry.id, kept.entry.shown) for kept in other.all()] == [("b", b"1"), ("c", b"2")]
    assert [kept.entry.id for kept in EnforcedFile(cachedir).all()] == ["b", "c"]
    assert b"secret-a" not in (cachedir / FILE).read_bytes()
