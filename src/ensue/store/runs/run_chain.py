"""Chains of runs that resume one another, and commands that killed runs have left running.

Read-only. A run's journal names the run that it resumes (`RunStarted.resumes`); following these names back
gives the chain of a run.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import StoreError, UnknownRunError
from ensue.core.model.enforced import FormerState, environment_of_values
from ensue.core.model.events import NodeFinished, NodeStarted
from ensue.store.registry.enforced_form import key_of
from ensue.store.registry.killed_applies import KilledApplies
from ensue.store.runs.process_marks import still_running
from ensue.store.runs.run_history import (
    ends_of,
    find_run,
    journal_path,
    newest_first,
    read_events,
    writer_lives,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ensue.core.model.events import CommandStarted, RunEvent, RunFinished, RunStarted
    from ensue.core.model.state_identity import StateIdentity
    from ensue.store.registry.enforced import EnforcedStore
    from ensue.store.registry.enforced_form import EntryKey
    from ensue.store.runs.journal_form import JournalSummary


def chain_to_resume(cachedir: Path, prefix: str) -> list[list[RunEvent]]:
    """Return the events of the run to resume, and of those that it resumed in turn; the newest run first.

    If the run was already resumed, the run that resumed it last is used: it has done more.

    Args:
        cachedir: the project's cachedir.
        prefix: see `journal_to_resume`.

    Raises:
        UnknownRunError: there is no such run, there are several, or the journal of a resumed one is gone.
        StoreError: a journal cannot be read.
    """
    journal = journal_to_resume(cachedir, prefix)
    resumed_by: dict[str, Path] = {}
    for path in newest_first(cachedir):
        if (started := _begun(path)) is not None and started.resumes:
            resumed_by.setdefault(started.resumes, path)
    while journal.stem in resumed_by:
        journal = resumed_by.pop(journal.stem)
    return [list(read_events(path)) for path in _with_resumed(cachedir, journal)]


def journal_to_resume(cachedir: Path, prefix: str) -> Path:
    """Return the journal of the run that a user means.

    Args:
        cachedir: the project's cachedir.
        prefix: an id, the beginning of one, or `last`: the newest apply. It passes over plans, and over
            journals that were cut before their first event.

    Raises:
        UnknownRunError: there is no such run, or there are several.
        StoreError: a journal cannot be read.
    """
    journal = journal_path(cachedir, find_run(cachedir, prefix))
    if prefix != "last":
        return journal
    return next((path for path in newest_first(cachedir) if _is_apply(_begun(path))), journal)


def _is_apply(started: RunStarted | None) -> bool:
    return started is not None and not started.test


def _with_resumed(cachedir: Path, path: Path) -> Iterator[Path]:
    yield path
    seen = {path.stem}
    while (started := _begun(path)) is not None and started.resumes and started.resumes not in seen:
        seen.add(started.resumes)
        resumed = journal_path(cachedir, started.resumes)
        if not resumed.is_file():
            raise UnknownRunError(
                f"{path.stem} resumes {started.resumes}, whose journal is gone, so it is not known"
                " what that run finished (ensue apply starts a new run)"
            )
        yield (path := resumed)


def needed_to_resume(cachedir: Path, kept: Iterable[Path]) -> set[Path]:
    """Return the journals that are required to resume the unfinished runs among those that are kept.

    Args:
        cachedir: the project's cachedir.
        kept: journals.
    """
    needed: set[Path] = set()
    for path in kept:
        with suppress(OSError, StoreError, UnknownRunError):
            if not has_ended(path):
                needed.update(_with_resumed(cachedir, path))
    return needed


def has_ended(path: Path) -> bool:
    """Return whether a run ended normally: it was neither killed nor cut short, and is not still running.

    Raises:
        OSError: the journal is gone.
        StoreError: it cannot be read.
    """
    ended = ends_of(path)[1]
    return ended is not None and not was_cut_short(ended)


def was_cut_short(ended: RunFinished | JournalSummary) -> bool:
    """Return whether a run that has an end did not get to the end of its states, and can be resumed."""
    return ended.status == "interrupted" or bool(ended.stopped)


def killed_applies(cachedir: Path) -> KilledApplies:
    """Return what the applies since the last complete one have left behind; their journals are read once.

    Raises:
        StoreError: a journal cannot be read.
    """
    last: list[RunStarted | None] = []
    begun: dict[EntryKey, FormerState] = {}
    owing: list[list[RunEvent]] = []
    running: list[CommandStarted] = []
    for path, started, ended in _incomplete(cachedir):
        try:
            events = list(read_events(path))
        except FileNotFoundError:  # Another run removes old journals meanwhile.
            continue
        running += still_running(events)
        if not started.deployment:
            last.append(None if ended else started)
        if ended is None:
            killed = FormerState(word="killed", value="", run_id=started.run_id)
            for identity in _unfinished(events):
                begun.setdefault(key_of(identity, environment_of_values(started.environment)), killed)
        if not settled_mark(path).exists():
            owing.append(events)
    return KilledApplies(last=next(iter(last), None), begun=begun, owing=owing[::-1], running=running)


def still_owing(cachedir: Path) -> list[Path]:
    """Return the journals that tell what killed applies owe, the newest first.

    Raises:
        StoreError: a journal cannot be read.
    """
    return [path for path, _, _ in _incomplete(cachedir) if not settled_mark(path).exists()]


def _incomplete(cachedir: Path) -> Iterator[tuple[Path, RunStarted, JournalSummary | None]]:
    """Yield the journals of killed and interrupted runs since the last complete apply, the newest first.

    What an interrupted run owed is kept, and read again nevertheless: the disk may have been full.
    """
    for path in newest_first(cachedir):
        with suppress(FileNotFoundError):
            started, ended = ends_of(path)
            if started is None or started.test or started.fleet or writer_lives(path):
                continue  # A deployment of another environment may run meanwhile.
            if ended is None or was_cut_short(ended):
                yield path, started, ended
            elif not started.deployment:
                return


def settled_mark(path: Path) -> Path:
    """Return the file beside a journal that says: what its run owed when it was killed is kept elsewhere."""
    return path.with_suffix(".settled")


def settle_killed(cachedir: Path, store: EnforcedStore) -> None:
    """Record what killed applies owe, so that it can be forgotten before another apply; this blocks.

    Raises:
        StoreError: a journal cannot be read, or the store cannot be written.
    """
    if not (paths := still_owing(cachedir)):
        return
    store.begin_run(paths[0].stem, earlier=killed_applies(cachedir))
    try:
        store.flush()
    finally:
        store.end_run()
    for path in paths:
        settled_mark(path).touch(mode=0o600)


def warnings_of(killed: KilledApplies, *, test: bool) -> Iterator[Diagnostic]:
    """Yield what a run says of the killed applies before it.

    Args:
        killed: the killed applies.
        test: whether the run is a plan, which starts nothing beside a command.
    """
    if killed.last is not None:
        yield Diagnostic(
            code="E0107",
            summary=f"the last apply, {killed.last.run_id}, was killed before it ended",
            detail=f"{'an' if test else 'this'} apply looks at each state again and runs the owed handlers",
            help=f"`{killed.last.resume_command}` instead calls only what that run had not finished",
            severity=Severity.WARNING,
        )
    for command in () if test else killed.running:
        yield Diagnostic(
            code="E0109",
            summary=f"a command of a run that was killed still runs: {command_text(command)}",
            help="this apply does not wait for it",
            severity=Severity.WARNING,
        )


def _unfinished(events: Iterable[RunEvent]) -> set[StateIdentity]:
    """Return the states that a run has begun and not finished."""
    unfinished: set[StateIdentity] = set()
    for event in events:
        if isinstance(event, NodeStarted):
            unfinished.add(event.identity)
        elif isinstance(event, NodeFinished):
            unfinished.discard(event.returned.identity)
    return unfinished


def command_text(command: CommandStarted) -> str:
    """Describe a running command and the state that started it, for a message."""
    where = f" in {command.scope}" if command.scope else ""
    return f"pid {command.pid}, {command.command!r}, of {command.tag_}{where}"


def _begun(path: Path) -> RunStarted | None:
    with suppress(FileNotFoundError):
        return ends_of(path)[0]
    return None
