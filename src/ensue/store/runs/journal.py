"""The journal of a run: an append-only file of events that survives kill -9.

`<cachedir>/runs/<run id>.jsonl`, mode 0600. Writes are not buffered: what has been written survives the
process, so at most the events being written are lost, and readers skip a truncated last line. The file is not
synced to the disk: a power failure may lose the last seconds.

`journal_writer` writes it in a thread; `run_history` reads journals; `journal_form` defines the lines.
"""

from __future__ import annotations

import datetime as dt
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

import msgspec

from ensue.core.errors import StoreError, not_written
from ensue.core.files import private_files
from ensue.core.model.events import BEGINNINGS, NodeFinished, RunFinished, ScopeClosed
from ensue.store.runs import journal_form
from ensue.store.runs.journal_form import JournalHeader, JournalSummary
from ensue.store.runs.output_bound import OutputBound
from ensue.store.runs.process_marks import process_mark
from ensue.store.runs.reserve import make_reserve, spend_reserve
from ensue.store.runs.run_chain import has_ended, needed_to_resume, settled_mark, still_owing
from ensue.store.runs.run_counts import RunCounts, sum_of
from ensue.store.runs.run_history import (
    find_run,
    fleet_path,
    journal_path,
    list_runs,
    newest_first,
    read_run,
    writer_lives,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ensue.core.masking import Masker
    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import Return, ScopeReturn

__all__ = ["Journal", "JournalLine", "find_run", "list_runs", "new_run_id", "prune_runs", "read_run"]

KEEP_RUNS: Final = 100
"""How many journals are kept when the option `keep_runs` is not set."""

KEEP_RUNS_BYTES: Final = 1 << 30
"""How much space journals may take when the option `keep_runs_bytes` is not set."""


def new_run_id(now: dt.datetime) -> str:
    """Return an id for a run that begins now: `20261120T235959-0f424a`, in UTC.

    Ids sort by time: the seconds are followed by the microseconds and one random digit.

    Args:
        now: the moment, with its offset.
    """
    utc = now.astimezone(dt.UTC)
    return f"{utc:%Y%m%dT%H%M%S}-{utc.microsecond:05x}{os.urandom(1)[0] % 16:x}"


class JournalLine(msgspec.Struct, frozen=True, gc=False):
    """An event as it is written.

    Args:
        content: whole lines.
        is_beginning: whether it announces something, which must not happen unless this is written.
        is_end: whether it is the end of the run.
    """

    content: bytes
    is_beginning: bool = False
    is_end: bool = False


class Journal:
    """The journal of one run, being written. Made by `create`, closed when the run ends.

    Args:
        path: its file.
        descriptor: its open file descriptor.
        masker: the secrets of this process.
        bound: how much of a command's output is kept; None: the default.
    """

    def __init__(self, path: Path, descriptor: int, masker: Masker, bound: OutputBound | None = None) -> None:
        self.path = path
        self._bound = bound or OutputBound()
        self._descriptor = descriptor
        self._masker = masker
        self._waiting: list[JournalLine] = []
        self._line_is_cut = False
        self._counts: dict[str, RunCounts] = {}

    @classmethod
    def create(
        cls,
        cachedir: Path,
        run_id: str,
        *,
        masker: Masker,
        keep_runs: int = KEEP_RUNS,
        keep_runs_bytes: int = KEEP_RUNS_BYTES,
        resumes: Sequence[str] = (),
        bound: OutputBound | None = None,
    ) -> Journal:
        """Begin the journal of a run; the oldest journals are removed to make room for it.

        Args:
            cachedir: the project's cachedir.
            run_id: from `new_run_id`.
            masker: the secrets of this process, consulted for every event.
            keep_runs: how many journals are kept, this one included.
            keep_runs_bytes: how much space the kept ones may take together.
            resumes: the runs that this one resumes, whose journals are also kept.
            bound: how much of a command's output is kept; None: the default.

        Raises:
            StoreError: the file cannot be made, or there is one of this id.
        """
        path = journal_path(cachedir, run_id)
        try:
            private_files.make_private_directory(cachedir)
            private_files.make_private_directory(path.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            journal = cls(path, private_files.open_private_file(path, flags), masker, bound)
        except OSError as error:
            raise not_written(f"{path}: the journal cannot be made", error) from error
        header = JournalHeader(run_id=run_id, pid=os.getpid(), process=process_mark(os.getpid()))
        journal.append(JournalLine(journal_form.encode_frame(header)))
        prune_runs(cachedir, keep_runs, keep_runs_bytes, needed=resumes)
        make_reserve(cachedir)
        return journal

    def write(self, event: RunEvent) -> None:
        """Write an event; it is in the file when this returns.

        Raises:
            StoreError: it cannot be written; see `append`.
        """
        self.append(self.line(event))

    def line(self, event: RunEvent) -> JournalLine:
        """Return an event as it is written, and count it for the summary of the run; it masks secrets."""
        content = journal_form.encode(event, self._masker, self._bound)
        if isinstance(event, NodeFinished):
            self._count(event.returned)
            return JournalLine(content)
        if isinstance(event, ScopeClosed):
            self._set_aside(event.returned)
        elif isinstance(event, RunFinished):
            return JournalLine(content + journal_form.encode_frame(self._summary(event)), is_end=True)
        return JournalLine(content, is_beginning=isinstance(event, BEGINNINGS))

    def append(self, *lines: JournalLine) -> None:
        """Write lines after those that are waiting, in one write.

        If there is no room, what announces something is dropped, and the caller must not let it happen. All
        else has happened: it takes the room of the reserve, or waits for the next write. The error is raised
        even if the reserve has sufficed, except for the end of the run.

        Raises:
            StoreError: they cannot be written (the disk is full).
        """
        self._waiting.extend(lines)
        try:
            self.flush()
        except StoreError:
            self._waiting = [line for line in self._waiting if not line.is_beginning]
            spend_reserve(self.path.parent.parent)
            with suppress(StoreError):
                self.flush()
            if self._waiting or not all(line.is_end for line in lines):
                raise

    def flush(self) -> None:
        """Write the lines that are waiting.

        Raises:
            StoreError: they cannot be written (the disk is full); those that are not whole go on waiting.
        """
        if not self._waiting:
            return
        start = b"\n" if self._line_is_cut else b""
        content = b"".join((start, *(line.content for line in self._waiting)))
        written = 0
        try:
            while written < len(content):
                written += os.write(self._descriptor, content[written:])
        except OSError as error:
            self._keep_waiting(written - len(start))
            raise not_written(f"{self.path}: the journal cannot be written", error) from error
        self._line_is_cut = False
        self._waiting.clear()

    def _keep_waiting(self, written: int) -> None:
        """Drop the lines that were written whole, and remove the beginning of another one from the file.

        Args:
            written: how many bytes of them were written, less than 0 if not even one was.
        """
        while self._waiting and written >= len(self._waiting[0].content):
            written -= len(self._waiting.pop(0).content)
            self._line_is_cut = False
        if written > 0:
            try:
                os.ftruncate(self._descriptor, os.lseek(self._descriptor, 0, os.SEEK_END) - written)
            except OSError:
                self._line_is_cut = True

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
        if self._descriptor < 0:
            return
        try:
            self.flush()
        finally:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)

    def __enter__(self) -> Self:
        """Enter."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def _count(self, returned: Return) -> None:
        counts = self._counts.get(returned.scope)
        if counts is None:
            counts = self._counts[returned.scope] = RunCounts()
        counts.count(returned)

    def _set_aside(self, scope: ScopeReturn) -> None:
        """Do not count what belongs to an attempt that is followed by another one."""
        if not scope.counts:
            for path in [count for count in self._counts if f"{count}/".startswith(f"{scope.scope}/")]:
                del self._counts[path]

    def _summary(self, finished: RunFinished) -> JournalSummary:
        return JournalSummary(
            status=finished.status,
            exit_code=finished.exit_code,
            ended_at=finished.ended_at,
            stopped=finished.stopped,
            **(RunCounts.of(finished.counts) if finished.counts else sum_of(self._counts.values())).fields(),
        )


def prune_runs(
    cachedir: Path,
    keep_runs: int,
    keep_runs_bytes: int = KEEP_RUNS_BYTES,
    *,
    needed: Sequence[str] = (),
) -> None:
    """Remove the oldest journals, but those being written, still owing, or required to resume a kept run.

    Args:
        cachedir: the project's cachedir.
        keep_runs: how many are kept, at least one.
        keep_runs_bytes: how much space they may take together; the newest is always kept.
        needed: ids of further runs that are kept.
    """
    paths = newest_first(cachedir)
    count = _count_that_fits(paths[: max(keep_runs, 1)], keep_runs_bytes)
    kept: set[Path] | None = None
    removed: list[Path] = []
    for path in paths[count:]:
        if path.stem in needed or writer_lives(path):
            continue
        with suppress(OSError, StoreError):
            if not has_ended(path):
                if kept is None:
                    kept = {*needed_to_resume(cachedir, paths[:count]), *still_owing(cachedir)}
                if path in kept:
                    continue
            removed.append(path)
    # The oldest first: what a killed run owed is settled as long as a complete run follows it.
    for path in reversed(removed):
        with suppress(OSError):
            path.unlink()
            fleet_path(cachedir, path.stem).unlink(missing_ok=True)
            settled_mark(path).unlink(missing_ok=True)


def _count_that_fits(paths: Sequence[Path], most_bytes: int) -> int:
    """Return how many journals, counted from the first, fit into this space; the first always counts."""
    room = most_bytes
    for count, path in enumerate(paths):
        with suppress(OSError):
            room -= path.stat().st_size
        if room < 0 and count:
            return count
    return len(paths)
