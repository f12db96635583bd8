"""Find the returns of interrupted runs that a resuming run takes over.

A run may resume one that itself resumed another: states that any of them finished count. A return can be
taken over when the newest journal that names its state records success, holds the return completely (secrets
and data that JSON cannot represent are not written), and nothing in it was valid for its run only. `adoption`
decides whether it is taken over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.contracts.enforced import environment_phrase
from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import StillRunningError, UnknownRunError
from ensue.core.model.enforced import environment_of_values
from ensue.core.model.events import NodeFinished, NodeStarted, RunFinished, RunStarted
from ensue.store.runs.own_minion import own_minion
from ensue.store.runs.process_marks import still_running
from ensue.store.runs.run_chain import chain_to_resume, command_text, was_cut_short

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from ensue.core.model.events import CommandStarted, RunEvent
    from ensue.core.model.returns import Return
    from ensue.core.model.state_identity import StateIdentity


class ResumedRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a resuming run needs from the runs before it.

    Args:
        started: how it began.
        chain: its id and those of the runs that it resumed, newest first.
        done: the states that had finished, each with the return to take over; None for a state that has to
            be called again nevertheless.
        still_running: commands of unfinished states that still run.
    """

    started: RunStarted
    chain: tuple[str, ...]
    done: Mapping[StateIdentity, Return | None]
    still_running: Sequence[CommandStarted]

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self.started.run_id


def run_to_resume(cachedir: Path, prefix: str, minion_id: str, *, despite_running: bool) -> ResumedRun:
    """Return the run to resume, read from the journals of a project.

    Args:
        cachedir: the project's cachedir.
        prefix: see `run_chain.journal_to_resume`.
        minion_id: the id of this machine.
        despite_running: resume although commands of that run still run.

    Raises:
        UnknownRunError: there is no such run, it cannot be resumed, or another machine ran it.
        StillRunningError: commands of the run still run.
        StoreError: a journal cannot be read.
    """
    chain = chain_to_resume(cachedir, prefix)
    resumed = resumed_run(chain)
    if (was := own_minion(chain[0], minion_id)) != minion_id:
        msg = f"{resumed.run_id} was a run of {was!r}, and this is {minion_id!r} (resume it with --id {was})"
        raise UnknownRunError(msg)
    if resumed.still_running and not despite_running:
        raise StillRunningError(
            [
                Diagnostic(
                    code="E0108",
                    summary=f"a command of {resumed.run_id} still runs: {command_text(command)}",
                    help=f"wait until it ends, or end it (kill -- -{command.pid}); --despite-running calls"
                    " its state again while the command still runs",
                )
                for command in resumed.still_running
            ]
        )
    return resumed


def refuse_other_environment(started: RunStarted, environment: str) -> None:
    """Refuse to resume a run in another environment: what it finished has the values of its own.

    Args:
        started: the run to resume.
        environment: the environment of this command (`environment_of_values`).

    Raises:
        UnknownRunError: the run had another one.
    """
    was = environment_of_values(started.environment)
    if started.pillar is not None and was != environment:  # A journal of ensue 0.1.0 has no pillar.
        raise UnknownRunError(
            f"{started.run_id} ran {environment_phrase(was)}, and ensue.yaml has this command run"
            f" {environment_phrase(environment)}: select what it had, or start a new run"
        )


def resumed_run(chain: Sequence[Sequence[RunEvent]]) -> ResumedRun:
    """Return what the journals of a chain of runs provide for resuming.

    Args:
        chain: all events of the run and of those that it resumed, each in order, the newest run first.

    Raises:
        UnknownRunError: the run is a plan, it ended normally, or its journal has no first event.
    """
    started = run_started(chain[0])
    if started is None:
        raise UnknownRunError("the journal of this run has no beginning, so there is nothing to resume")
    if started.test:
        raise UnknownRunError(
            f"{started.run_id} is a plan: it has changed nothing, so there is nothing to resume"
        )
    if started.deployment:
        raise UnknownRunError(
            f"{started.run_id} deployed {started.deployment}: give its `ensue deploy` command again, which"
            " continues from what was provisioned"
        )
    if started.fleet:
        raise UnknownRunError(
            f"{started.run_id} ran on minions of {started.fleet}, and this project has no fleet: `fleet:"
            f" {started.fleet}` in ensue.yaml resumes it"
        )
    ended = next((event for event in chain[0] if isinstance(event, RunFinished)), None)
    if ended is not None and not was_cut_short(ended):
        raise UnknownRunError(
            f"{started.run_id} has ended ({ended.status}), so there is nothing to resume"
            f" (`{_again(started)}` starts a new run)"
        )
    events = [event for run in reversed(chain) for event in run]
    return ResumedRun(
        started=started,
        chain=tuple(start.run_id for run in chain if (start := run_started(run)) is not None),
        done=_done(events),
        still_running=still_running(events),
    )


def _again(started: RunStarted) -> str:
    """Return the command that applies the same SLS to the same target again."""
    import shlex

    return shlex.join(["ensue", "apply", *started.mods, *(["--tgt", started.tgt] if started.tgt else [])])


def run_started(events: Iterable[RunEvent]) -> RunStarted | None:
    """Return the event with which a run begins; None where its journal was cut before that."""
    return next((event for event in events if isinstance(event, RunStarted)), None)


def _done(events: Iterable[RunEvent]) -> dict[StateIdentity, Return | None]:
    done: dict[StateIdentity, Return | None] = {}
    for event in events:
        if isinstance(event, NodeFinished):
            returned = event.returned
            if returned.scope and not returned.scope_identity:
                continue  # Journals of ensue 0.1.0 have only the path, which may be that of another scope.
            done.pop(returned.identity, None)
            if returned.result is True:
                whole = event.exact and _outlives(returned)
                done[returned.identity] = returned if whole else None
        elif isinstance(event, NodeStarted):
            # A later run has called it again, and how far that call got is unknown.
            done.pop(event.identity, None)
    return done


def _outlives(returned: Return) -> bool:
    # SLS that a state applied elsewhere is processed again; the states of that scope are taken over.
    return not returned.sensitive and not returned.applied
