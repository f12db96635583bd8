"""The audit log over several files: bounded, and one chain even if writers are killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NoReturn

import pytest

from ensue.core.errors import StoreError
from ensue.store.registry.audit import AuditLog
from ensue.store.registry.audit_check import AuditFault, first_fault, read_entries
from ensue.store.registry.audit_files import AuditLimits, full_files, limits_of
from ensue.store.registry.audit_form import AuditedAction

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOST = "ssh_host:web-01"
SMALL = AuditLimits(max_bytes=1200, keep_files=3)
NOT_CONTINUED = "this file does not continue the one before: lines or files between them were removed"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".ensue" / "audit.jsonl"


def open_log(path: Path, limits: AuditLimits = SMALL) -> AuditLog:
    return AuditLog(path, run_id="run-1", clock=lambda: 1_800_000_000.0, limits=limits)


@pytest.fixture
def log(path: Path) -> Iterator[AuditLog]:
    log = open_log(path)
    yield log
    log.close()


def fill(log: AuditLog, count: int, start: int = 0) -> None:
    for number in range(start, start + count):
        log.append((AuditedAction("decrypt", HOST, f"reason {number}"),))


def reasons(path: Path) -> list[str]:
    return [entry["why"] for entry in read_entries(path) if entry["action"] == "decrypt"]


def test_a_full_log_goes_on_in_a_new_file(log: AuditLog, path: Path) -> None:
    """The full one gets a number, the new one begins with the chain of its last line, and all are one log."""
    fill(log, 8)
    first = path.with_name("audit.1.jsonl")
    assert list(full_files(path).values()) == [first]
    last = json.loads(first.read_bytes().splitlines()[-1])
    head = json.loads(path.read_bytes().splitlines()[0])
    assert (head["action"], head["why"]) == ("continue", "after audit.1.jsonl")
    assert (head["previous"], head["oldest"]) == (last["chain"], 1)
    assert reasons(path) == [f"reason {number}" for number in range(8)]
    assert first_fault(path) is None
    assert first.stat().st_mode & 0o777 == 0o600


def test_the_log_is_bounded(log: AuditLog, path: Path) -> None:
    """As many full files as are to be kept stay, the oldest go, and the rest is whole without them."""
    fill(log, 60)
    numbers = list(full_files(path))
    assert numbers == list(range(numbers[-1] - 2, numbers[-1] + 1))
    assert numbers[0] > 5
    assert sum(file.stat().st_size for file in path.parent.iterdir()) < 4 * 1700 + 256
    assert reasons(path)[-1] == "reason 59"
    assert first_fault(path) is None


def test_edits_in_any_file_show(log: AuditLog, path: Path) -> None:
    """A changed line is named with its file; so is a file that is missing, shortened or foreign."""
    fill(log, 20)
    first, second, third = full_files(path).values()
    whole = {file: file.read_bytes() for file in (first, second, third, path)}
    second.write_bytes(whole[second].replace(b"reason", b"season", 1))
    assert first_fault(path) == AuditFault(
        second.name, 2, "this line was changed, or one before it was changed, removed, added or moved"
    )
    second.unlink()
    assert first_fault(path) == AuditFault(second.name, 1, "this file is missing")
    second.write_bytes(whole[first])
    assert first_fault(path) == AuditFault(second.name, 1, NOT_CONTINUED)
    second.write_bytes(b"".join(whole[second].splitlines(keepends=True)[:-1]))
    assert first_fault(path) == AuditFault(third.name, 1, NOT_CONTINUED)
    second.write_bytes(whole[second])
    assert first_fault(path) is None
    first.unlink()
    assert first_fault(path) == AuditFault(first.name, 1, "this file is missing")
    first.write_bytes(whole[first])
    third.unlink()
    assert first_fault(path) == AuditFault(path.name, 1, NOT_CONTINUED)
    third.write_bytes(whole[third])
    path.write_bytes(b"".join(whole[path].splitlines(keepends=True)[1:]))
    assert first_fault(path) == AuditFault(path.name, 1, NOT_CONTINUED)
    path.unlink()
    assert first_fault(path) is not None


def test_a_writer_killed_at_any_byte_of_a_new_file_leaves_a_whole_log(path: Path, tmp_path: Path) -> None:
    """Wherever it was cut, from the renaming on, the log has no fault, and goes on without one."""
    log = open_log(path)
    fill(log, 6)
    assert (path.stat().st_size >= SMALL.max_bytes, full_files(path)) == (True, {})
    shutil.copytree(path.parent, tmp_path / "before")
    fill(log, 1, 6)
    log.close()
    assert list(full_files(path)) == [1]
    begun = path.read_bytes()
    for cut in range(-1, len(begun) + 1):
        again = tmp_path / f"cut{cut}" / path.name
        shutil.copytree(tmp_path / "before", again.parent)
        again.rename(again.with_name("audit.1.jsonl"))
        if cut >= 0:
            again.write_bytes(begun[:cut])
        assert first_fault(again) is None, cut
        next_log = open_log(again, AuditLimits())
        fill(next_log, 1, 7)
        next_log.close()
        assert first_fault(again) is None, cut
        assert reasons(again)[:6] == [f"reason {number}" for number in range(6)]
        assert reasons(again)[-1] == "reason 7"


def write_until_killed(path: Path, progress: int) -> NoReturn:
    log = open_log(path, AuditLimits(max_bytes=1200, keep_files=10_000))
    number = 0
    while True:
        log.append((AuditedAction("decrypt", HOST, f"{os.getpid()} {number}"),))
        number += 1
        os.write(progress, b".")


def test_processes_that_share_a_log_may_be_killed(path: Path) -> None:
    """Three writers at once, killed at random: no acknowledged line is lost, and the log has no fault."""
    chance = random.Random(20)  # noqa: S311 (chance, not secrecy)
    acknowledged: dict[str, int] = {}
    for _ in range(12):
        readers: dict[int, int] = {}
        for _ in range(3):
            reading, writing = os.pipe()
            pid = os.fork()
            if pid == 0:
                write_until_killed(path, writing)
            os.close(writing)
            readers[pid] = reading
        for pid, reading in readers.items():
            acknowledged[str(pid)] = len(os.read(reading, chance.randrange(1, 40)))
        for pid, reading in readers.items():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            while got := os.read(reading, 4096):
                acknowledged[str(pid)] += len(got)
            os.close(reading)
        assert first_fault(path) is None
    seen = reasons(path)
    assert len(full_files(path)) > 5
    for pid, count in acknowledged.items():
        assert [reason for reason in seen if reason.startswith(f"{pid} ")][:count] == [
            f"{pid} {number}" for number in range(count)
        ]


def test_threads_and_readers_share_a_log(log: AuditLog, path: Path) -> None:
    """While eight threads append and files are set aside, every check of the log finds no fault."""
    with ThreadPoolExecutor(9) as pool:
        looks = pool.submit(lambda: [first_fault(path) for _ in range(40)])
        list(pool.map(lambda n: fill(log, 1, n), range(300)))
        assert looks.result() == [None] * 40
    assert first_fault(path) is None


@pytest.mark.parametrize("opts", [{"audit_max_size": "much"}, {"audit_max_size": 0}, {"audit_keep_files": 0}])
def test_limits_that_make_no_sense_are_refused(opts: dict[str, object]) -> None:
    """The message names the option; without options the log has 10 MiB per file and ten full files."""
    with pytest.raises(StoreError, match=next(iter(opts))):
        limits_of(opts)
    assert limits_of({}) == AuditLimits(max_bytes=10 << 20, keep_files=10)
    assert limits_of({"audit_max_size": "1MiB", "audit_keep_files": 2}) == AuditLimits(
        max_bytes=1 << 20, keep_files=2
    )
