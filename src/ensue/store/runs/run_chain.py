"""Chains of runs that resume one another, and commands that killed runs have left running.

Read-only. A run's journal names the run that it resumes (`RunStarted.resumes`); following these names back
gives the chain of a run.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import StoreError, UnknownRunError
from ensue.core.model.enforced import FormerState
from ensue.core.model.events import NodeFinished, NodeStarted
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
    from ensue.store.runs.journal_form import JournalSummary

_COMMAND: Final = b'"type":"CommandStarted"'


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


def killed_before(cachedir: Path, *, test: bool) -> list[Diagnostic]:
    """Return a warning if the last apply was killed: what it had still to do is not a part of the next one.

    Args:
        cachedir: the project's cachedir.
        test: whether a plan warns, after which the killed run can still be resumed.

    Raises:
        StoreError: a journal cannot be read.
    """
    for path in newest_first(cachedir):
        with suppress(FileNotFoundError):
            started, ended = ends_of(path)
            if started is None or started.test or started.deployment or started.fleet or writer_lives(path):
                continue
            return [] if ended is not None else [_killed(started, test=test)]
    return []


def _killed(started: RunStarted, *, test: bool) -> Diagnostic:
    which = "an apply" if test else "this apply"
    instead = ", and not `ensue apply`," if test else ""
    return Diagnostic(
        code="E0107",
        summary=f"the last apply, {started.run_id}, was killed before it ended",
        detail=f"{which} does not react to what that one changed: "
        "a handler (`listen`, `watch`, `onchanges`) of such a state does not run",
        help=f"`{started.resume_command}`{instead} ends that run, with its handlers",
        severity=Severity.WARNING,
    )


def begun_and_killed(cachedir: Path) -> dict[StateIdentity, FormerState]:
    """Return the states that applies since the last complete one had begun when they were killed.

    Raises:
        StoreError: a journal cannot be read.
    """
    begun: dict[StateIdentity, FormerState] = {}
    for path in newest_first(cachedir):
        with suppress(FileNotFoundError):
            started, ended = ends_of(path)
            if started is None or started.test or writer_lives(path):
                continue
            if ended is not None:
                if was_cut_short(ended):
                    continue
                break
            killed = FormerState(word="killed", value="", run_id=started.run_id)
            for identity in _unfinished(read_events(path)):
                begun.setdefault(identity, killed)
    return begun


def _unfinished(events: Iterable[RunEvent]) -> set[StateIdentity]:
    """Return the states that a run has begun and not finished."""
    unfinished: set[StateIdentity] = set()
    for event in events:
        if isinstance(event, NodeStarted):
            unfinished.add(event.identity)
        elif isinstance(event, NodeFinished):
            unfinished.discard(event.returned.identity)
    return unfinished


def left_running(cachedir: Path) -> list[Diagnostic]:
    """Return a warning for each command left running by an apply since the last complete one.

    Raises:
        StoreError: a journal cannot be read.
    """
    return [
        Diagnostic(
            code="E0109",
            summary=f"a command of a run that was killed still runs: {command_text(command)}",
            help="this apply does not wait for it",
            severity=Severity.WARNING,
        )
        for command in _commands_left_running(cachedir)
    ]


def command_text(command: CommandStarted) -> str:
    """Describe a running command and the state that started it, for a message."""
    where = f" in {command.scope}" if command.scope else ""
    return f"pid {command.pid}, {command.command!r}, of {command.tag_}{where}"


def _commands_left_running(cachedir: Path) -> list[CommandStarted]:
    commands: list[CommandStarted] = []
    for path in newest_first(cachedir):
        with suppress(FileNotFoundError):
            started, ended = ends_of(path)
            if (started is not None and started.test) or writer_lives(path):
                continue  # A plan, or a deployment of another environment, may run meanwhile.
            if ended is not None and not was_cut_short(ended):
                break
            if _COMMAND in path.read_bytes():  # far quicker than reading events
                commands += still_running(read_events(path))
    return commands


def _begun(path: Path) -> RunStarted | None:
    with suppress(FileNotFoundError):
        return ends_of(path)[0]
    return None
