"""The history of a project's runs, read from its journals: which runs there were and how they ended.

Read-only. A journal that was truncated by kill -9, at any byte, is read up to that point.
"""

from __future__ import annotations

import datetime as dt
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StoreError, UnknownRunError
from ensue.core.model.events import NodeFinished, RunFinished, RunStarted
from ensue.core.model.report import RunSummary
from ensue.store.runs import journal_form
from ensue.store.runs.journal_form import JournalHeader, JournalSummary
from ensue.store.runs.process_marks import process_mark
from ensue.store.runs.run_counts import RunCounts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ensue.core.model.events import RunEvent

RUNS_DIRECTORY: Final = "runs"
"""Folder of the journals below the cachedir."""

_SUFFIX: Final = ".jsonl"
_TAIL_BYTES: Final = 4096


def journal_path(cachedir: Path, run_id: str) -> Path:
    """Return the file of a run's journal."""
    return cachedir / RUNS_DIRECTORY / f"{run_id}{_SUFFIX}"


def fleet_path(cachedir: Path, run_id: str) -> Path:
    """Return the file that a run over minions keeps beside its journal, until it has ended."""
    return cachedir / RUNS_DIRECTORY / f"{run_id}.fleet"


def newest_first(cachedir: Path) -> list[Path]:
    """Return the files of all journals, the newest run first."""
    try:
        return sorted((cachedir / RUNS_DIRECTORY).glob(f"*{_SUFFIX}"), reverse=True)
    except OSError as error:
        raise _unreadable(cachedir / RUNS_DIRECTORY, error) from error


def find_run(cachedir: Path, prefix: str) -> str:
    """Return the id of the one run whose id has this prefix.

    Args:
        cachedir: the project's cachedir.
        prefix: an id, the beginning of one, or `last`.

    Raises:
        UnknownRunError: there is none, or several.
    """
    ids = [path.stem for path in newest_first(cachedir)]
    if prefix in ids:
        return prefix
    if prefix == "last" and ids:
        return ids[0]
    fitting = [id_ for id_ in ids if prefix and id_.startswith(prefix)]
    match fitting:
        case [only]:
            return only
        case []:
            newest = f"; the newest is {ids[0]}" if ids else "; there are no runs yet"
            msg = f"there is no run {prefix!r}{newest} (see: ensue runs list)"
        case _:
            msg = (
                f"{len(fitting)} runs begin with {prefix!r}: {', '.join(fitting[:3])}… (write more of the id)"
            )
    raise UnknownRunError(msg)


def read_run(cachedir: Path, run_id: str) -> list[RunEvent]:
    """Return the events of one run, in order.

    Args:
        cachedir: the project's cachedir.
        run_id: its id, or the beginning of it.

    Raises:
        UnknownRunError: there is none, or several.
        StoreError: the journal cannot be read.
    """
    return list(read_events(journal_path(cachedir, find_run(cachedir, run_id))))


def read_events(path: Path) -> Iterator[RunEvent]:
    """Yield the events of a journal; truncated lines, and lines unknown to this version, are left out.

    Raises:
        StoreError: it cannot be read.
    """
    for line in _lines(path):
        if line is not None and not isinstance(line, JournalHeader | JournalSummary):
            yield line


def list_runs(cachedir: Path) -> list[RunSummary]:
    """Return the summaries of all runs, newest first.

    Args:
        cachedir: the project's cachedir; one without journals has no runs.

    Raises:
        StoreError: a journal cannot be read.
    """
    # Another process may prune a journal between the listing and the reading.
    run_summaries: list[RunSummary] = []
    for path in newest_first(cachedir):
        with suppress(FileNotFoundError):
            run_summaries.append(summarize(path))
    return run_summaries


def summarize(path: Path) -> RunSummary:
    """Return the summary of a run; for a finished one, only both ends of its journal are read.

    Args:
        path: its journal.

    Raises:
        FileNotFoundError: it is not there.
        StoreError: it cannot be read.
    """
    started, ended = ends_of(path)
    if ended is None:
        return _counted(path)
    return _summary(path, started, ended)


def writer_lives(path: Path) -> bool:
    """Return whether the process that writes a journal still runs."""
    with suppress(OSError), path.open("rb") as file:
        header = journal_form.decode(file.readline())
        return (
            isinstance(header, JournalHeader)
            and bool(mark := process_mark(header.pid))
            and mark == header.process
        )
    return False


def ends_of(path: Path) -> tuple[RunStarted | None, JournalSummary | None]:
    """Return how a run began and ended, as far as its journal says, without reading all of it.

    Raises:
        FileNotFoundError: there is no such journal.
        StoreError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            first = [journal_form.decode(file.readline()) for _ in range(2)]
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            tail = file.read()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(path, error) from error
    started = next((line for line in first if isinstance(line, RunStarted)), None)
    last = journal_form.decode(tail.rstrip(b"\n").rpartition(b"\n")[2])
    return started, last if isinstance(last, JournalSummary) else None


def _counted(path: Path) -> RunSummary:
    """Summarize a journal that has no summary: its run is still running, or was killed."""
    started: RunStarted | None = None
    finished: RunFinished | None = None
    counts = RunCounts()
    for event in read_events(path):
        match event:
            case RunStarted():
                started = event
            case NodeFinished(returned=done):
                counts.count(done)
            case RunFinished():
                finished = event
            case _:
                pass
    if finished is None:
        # A run may end between these two reads; the next listing shows the summary.
        status, exit_code, ended_at = ("running" if writer_lives(path) else "killed"), None, ""
    else:
        status, exit_code, ended_at = finished.status, finished.exit_code, finished.ended_at
    return RunSummary(
        run_id=path.stem,
        started_at=_started_at(path, started),
        ended_at=ended_at,
        status=status,
        test=started is not None and started.test,
        mods=() if started is None else started.mods,
        tgt="" if started is None else started.tgt,
        part="" if started is None else str(started.part),
        pillar_keys=() if started is None else started.pillar_keys,
        deployment="" if started is None else started.deployment,
        exit_code=exit_code,
        resumes="" if started is None else started.resumes,
        **counts.fields(),
    )


def _summary(path: Path, started: RunStarted | None, ended: JournalSummary) -> RunSummary:
    return RunSummary(
        run_id=path.stem,
        started_at=_started_at(path, started),
        ended_at=ended.ended_at,
        status=ended.status,
        test=started is not None and started.test,
        mods=() if started is None else started.mods,
        tgt="" if started is None else started.tgt,
        part="" if started is None else str(started.part),
        pillar_keys=() if started is None else started.pillar_keys,
        deployment="" if started is None else started.deployment,
        succeeded=ended.succeeded,
        changed=ended.changed,
        failed=ended.failed,
        total=ended.total,
        unchanged=ended.unchanged,
        unreachable=ended.unreachable,
        not_run=ended.not_run,
        exit_code=ended.exit_code,
        resumes="" if started is None else started.resumes,
    )


def _started_at(path: Path, started: RunStarted | None) -> str:
    if started is not None:
        return started.started_at
    # The run was killed before its first event: take the start time from the id.
    with suppress(ValueError):
        begun = path.stem.partition("-")[0]
        return dt.datetime.strptime(f"{begun}+0000", "%Y%m%dT%H%M%S%z").isoformat()
    return ""


def _lines(path: Path) -> Iterator[RunEvent | JournalHeader | JournalSummary | None]:
    try:
        with path.open("rb") as file:
            yield from map(journal_form.decode, file)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"{path}: the journal cannot be read: {error.strerror}")
