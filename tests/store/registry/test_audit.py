"""The audit log and its chain."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import StoreError
from ensue.store.registry.audit import AuditLog
from ensue.store.registry.audit_check import first_fault, read_entries
from ensue.store.registry.audit_form import AuditedAction

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOST = "ssh_host:web-01"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".ensue" / "audit.jsonl"


@pytest.fixture
def log(path: Path) -> Iterator[AuditLog]:
    log = AuditLog(path, run_id="run-1", clock=lambda: 1_800_000_000.0)
    yield log
    log.close()


def _fill(log: AuditLog, count: int = 5) -> list[bytes]:
    for number in range(count):
        log.append((AuditedAction("decrypt", HOST, f"reason {number}"),))
    return log.path.read_bytes().splitlines(keepends=True)


def test_a_line_says_who_did_what_when_and_why(log: AuditLog, path: Path) -> None:
    """Every line has time, user, process, run, action, resource and reason, and the file is private."""
    log.append((AuditedAction("register", HOST, "new"),))
    (entry,) = read_entries(path)
    assert len(entry.pop("chain")) == 64
    assert entry.pop("who").startswith(f"{os.getuid()}")
    assert entry == {
        "at": "2027-01-15T08:00:00.000+00:00",
        "pid": os.getpid(),
        "run": "run-1",
        "action": "register",
        "srn": HOST,
        "why": "new",
    }
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_untouched_log_is_whole(log: AuditLog, path: Path) -> None:
    """No log, an empty one and a long one have no fault."""
    assert find_fault(path) is None
    log.append(())
    assert not path.exists()
    _fill(log, 50)
    assert find_fault(path) is None


def test_every_edited_line_shows(log: AuditLog, path: Path) -> None:
    """One changed byte in any line, at any place, is reported with that line's number or the next one's."""
    lines = _fill(log)
    for index, line in enumerate(lines):
        for offset in range(0, len(line) - 1, 7):
            edited = bytearray(line)
            edited[offset] ^= 0x01
            path.write_bytes(b"".join([*lines[:index], bytes(edited), *lines[index + 1 :]]))
            fault = find_fault(path)
            assert fault is not None
            assert fault[0] in (index + 1, index + 2)


def test_an_edited_word_is_reported_at_its_line(log: AuditLog, path: Path) -> None:
    """The number is that of the edited line."""
    lines = _fill(log)
    path.write_bytes(b"".join(lines).replace(b"reason 2", b"reason X"))
    assert find_fault(path) == (
        3,
        "this line was changed, or one before it was changed, removed, added or moved",
    )


@pytest.mark.parametrize("index", range(5))
def test_every_removed_line_shows(log: AuditLog, path: Path, index: int) -> None:
    """A removed line is reported at the place where it was, the last one too."""
    lines = _fill(log)
    path.write_bytes(b"".join(lines[:index] + lines[index + 1 :]))
    fault = find_fault(path)
    assert fault is not None
    assert fault[0] == index + 1


def test_moved_doubled_and_invented_lines_show(log: AuditLog, path: Path) -> None:
    """Lines in another order, repeated or invented lines are faults."""
    lines = _fill(log)
    invented = lines[1].replace(b"reason 1", b"reason 9")
    for changed in (
        [lines[1], lines[0], *lines[2:]],
        [lines[0], lines[0], *lines[1:]],
        [lines[0], invented, *lines[1:]],
        [lines[0], b"nonsense\n", *lines[1:]],
        [lines[0], b"\n", *lines[1:]],
    ):
        path.write_bytes(b"".join(changed))
        assert find_fault(path) is not None


def test_a_removed_log_shows(log: AuditLog, path: Path) -> None:
    """Removing the whole log, or the note of its end, is reported."""
    lines = _fill(log)
    path.unlink()
    assert find_fault(path) == (1, "lines were removed at the end of the log, or others put in their place")
    path.write_bytes(b"".join(lines))
    assert find_fault(path) is None
    path.with_name("audit.jsonl.head").unlink()
    assert find_fault(path) == (
        5,
        "audit.jsonl.head is missing, so lines may have been removed after this one",
    )


def test_appending_does_not_hide_what_was_removed(log: AuditLog, path: Path) -> None:
    """A log that was shortened and then goes on still shows that lines are gone."""
    lines = _fill(log)
    path.write_bytes(b"".join(lines[:3]))
    log.append((AuditedAction("decrypt", HOST, "later"),))
    assert find_fault(path) == (4, "lines were removed before this one")
    path.write_bytes(b"".join(lines))
    path.with_name("audit.jsonl.head").unlink()
    log.close()
    log.append((AuditedAction("decrypt", HOST, "later"),))
    assert find_fault(path) == (6, "lines were removed before this one")


def test_a_line_cut_by_a_kill_is_no_fault_and_is_repaired(log: AuditLog, path: Path) -> None:
    """A line that a kill -9 cut, at whatever byte, is no fault, and the next append says what happened."""
    lines = _fill(log, 2)
    whole = b"".join(lines)
    log.append((AuditedAction("decrypt", HOST, "last"),))
    last = path.read_bytes()[len(whole) :]
    head = path.with_name("audit.jsonl.head")
    noted_before = f"{len(whole):020d} {json.loads(lines[-1])['chain']}\n"
    for cut in range(len(last) + 1):
        path.write_bytes(whole + last[:cut])
        head.write_text(noted_before)
        assert find_fault(path) is None
        log.append((AuditedAction("decrypt", HOST, "after"),))
        assert find_fault(path) is None
        actions = [entry["action"] for entry in read_entries(path)]
        complete = cut >= len(last) - 1
        repaired = not complete and cut > 0
        assert actions == ["decrypt"] * (2 + complete) + ["repair"] * repaired + ["decrypt"]


def test_many_threads_share_one_log(log: AuditLog, path: Path) -> None:
    """Two hundred appends from eight threads are two hundred lines in one chain."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: log.append((AuditedAction("decrypt", HOST, str(n)),)), range(200)))
    assert find_fault(path) is None
    assert {entry["why"] for entry in read_entries(path)} == set(map(str, range(200)))


def test_a_log_moved_away_is_begun_anew(log: AuditLog, path: Path) -> None:
    """Once the log and its note are moved away, the next append begins a new log."""
    _fill(log)
    path.rename(path.with_name("old"))
    path.with_name("audit.jsonl.head").rename(path.with_name("old.head"))
    log.append((AuditedAction("decrypt", HOST),))
    assert find_fault(path) is None
    assert len(read_entries(path)) == 1
    assert find_fault(path.with_name("old")) is None


def test_a_log_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """Where the log cannot be written the access is refused."""
    (tmp_path / "file").write_text("")
    log = AuditLog(tmp_path / "file" / "audit.jsonl", run_id="", clock=lambda: 0.0)
    with pytest.raises(StoreError, match="audit log cannot be written"):
        log.append((AuditedAction("decrypt", HOST),))


def test_names_that_utf8_cannot_write_are_written(log: AuditLog, path: Path) -> None:
    """A lone surrogate in a name does not keep the line from being written."""
    log.append((AuditedAction("decrypt", "a:\udcff", '"quoted"'),))
    assert read_entries(path)[0]["srn"] == "a:\\udcff"
    assert find_fault(path) is None


def find_fault(path: Path) -> tuple[int, str] | None:
    """Return the line and the reason of a log's first fault, None if it is whole."""
    fault = first_fault(path)
    return (fault.line, fault.what) if fault else None
