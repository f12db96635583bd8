"""Which commands of earlier runs an apply names, because they may still run."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import msgspec
import pytest

from ensue.core.masking import Masker
from ensue.core.model.events import CommandStarted, RunFinished, RunStarted
from ensue.store.runs import journal_form
from ensue.store.runs.journal import Journal
from ensue.store.runs.journal_form import JournalHeader
from ensue.store.runs.process_marks import process_mark
from ensue.store.runs.run_chain import killed_applies, warnings_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ensue.core.model.events import RunEvent

OLDER, NEWER = "20261120T235959-0f424a", "20261121T000000-0f424b"


@pytest.fixture
def running() -> Iterator[subprocess.Popen[bytes]]:
    """A command that runs until the end of the test."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process


def write(cachedir: Path, run_id: str, status: str, *events: RunEvent, test: bool = False) -> None:
    """Write the journal of a run; of one that was killed if there is no status."""
    with Journal.create(cachedir, run_id, masker=Masker()) as journal:
        journal.write(RunStarted(run_id=run_id, test=test, total=1, started_at="2026-11-20T23:59:59+00:00"))
        for event in events:
            journal.write(event)
        if status:
            ended = RunFinished(
                run_id=run_id, status=status, exit_code=0, ended_at="2026-11-21T00:00:01+00:00"
            )
            journal.write(ended)
    # Its writer has ended: another process, which had the id of this one.
    header = journal_form.encode_frame(JournalHeader(run_id=run_id, pid=os.getpid(), process="boot/1"))
    _, newline, events_written = journal.path.read_bytes().partition(b"\n")
    journal.path.write_bytes(header.rstrip(b"\n") + newline + events_written)


def started(process: subprocess.Popen[bytes]) -> CommandStarted:
    mark = process_mark(process.pid)
    return CommandStarted(scope="a/b", tag_="cmd_|-x_|-x_|-run", pid=process.pid, process=mark, command="cat")


@pytest.mark.parametrize(
    ("status", "reported"), [("", True), ("interrupted", True), ("succeeded", False), ("failed", False)]
)
def test_commands_of_runs_that_did_not_end_are_named(
    tmp_path: Path, running: subprocess.Popen[bytes], status: str, *, reported: bool
) -> None:
    """A command of a run that was killed or interrupted is named while it runs, with its state and scope."""
    write(tmp_path, OLDER, status, started(running))
    warnings = warnings_of(killed_applies(tmp_path), test=False)
    summaries = [warning.summary for warning in warnings if warning.code == "E0109"]
    expected = (
        f"a command of a run that was killed still runs: pid {running.pid}, 'cat', of cmd_|-x_|-x_|-run"
    )
    assert summaries == ([f"{expected} in a/b"] if reported else [])


@pytest.mark.parametrize(
    ("status", "test", "reported"),
    [("interrupted", False, True), ("", False, True), ("succeeded", True, True), ("succeeded", False, False)],
)
def test_runs_since_the_last_complete_apply_count(
    tmp_path: Path, running: subprocess.Popen[bytes], status: str, *, test: bool, reported: bool
) -> None:
    """An interrupted run, a killed one and a plan hide no earlier command; a complete apply does."""
    write(tmp_path, OLDER, "interrupted", started(running))
    write(tmp_path, NEWER, status, test=test)
    assert bool(killed_applies(tmp_path).running) is reported


def test_commands_of_a_run_that_goes_on_are_not_named(
    tmp_path: Path, running: subprocess.Popen[bytes]
) -> None:
    """Another environment may be deployed meanwhile, and that run was not killed."""
    with Journal.create(tmp_path, OLDER, masker=Masker()) as journal:
        journal.write(RunStarted(run_id=OLDER, test=False, total=1, started_at="2026-11-20T23:59:59+00:00"))
        journal.write(started(running))
    assert not any(msgspec.structs.astuple(killed_applies(tmp_path)))
