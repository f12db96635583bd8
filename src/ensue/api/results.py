"""The results of a run and of a call, as a program reads them: plain data, secrets masked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ensue.core.diagnostics import without_silenced
from ensue.output.presentable import return_data

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from ensue.core.diagnostics import Diagnostic
    from ensue.core.masking import Masker
    from ensue.core.model.events import StateExcluded
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return
    from ensue.language.targets.calls import CallOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class StateResult:
    """The result of one state.

    Args:
        id: the ID of its declaration.
        name: its `name`.
        function: its function, `file.managed`.
        sls: the SLS that declares it.
        scope: the path of the delayed block or SLS that it runs in; empty in the SLS of the run itself.
        target: the SRN of what it ran on, `minion:web-01`.
        result: True: the desired state holds; False: it does not; None: a plan says that it would change.
        changes: what changed, or would change.
        comment: the function's message.
        new_state: the managed thing as it is now; None if nothing is known about it.
        drift: in a plan, what differs from the enforced state: colon path to
            `{"old": …, "new": …}`.
        drift_by: the state of the project that left the thing as it is now, and its run; empty if none did.
        foreseen: in a plan, the resources that the state `registers`, and the SLS that would be applied to
            such a resource (`applies`, a list of mappings `target sls complete`). Of its blocks that the plan
            cannot render: the resources that they registered before (`undecided`, mappings of the same
            form).
        warnings: remarks that do not change the result.
        duration_s: how long its function took, in seconds.
        owed: whether it failed, or did not run, as a reaction to a change, which later runs make up for.
    """

    id: str
    name: str
    function: str
    sls: str
    scope: str
    target: str
    result: bool | None
    changes: Mapping[str, Any]
    comment: str
    new_state: Any = None
    drift: Mapping[str, Any] = field(default_factory=dict[str, Any])
    drift_by: str = ""
    foreseen: Mapping[str, Any] = field(default_factory=dict[str, Any])
    warnings: tuple[str, ...] = ()
    duration_s: float = 0.0
    owed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcludedState:
    """A state that the chosen part of a run leaves out.

    Args:
        id: the ID of its declaration.
        name: its `name`.
        function: its function, `file.managed`.
        sls: the SLS that declares it.
        scope: the path of the delayed block or SLS that it is in; empty in the SLS of the run itself.
        target: the SRN of what it would run on, `minion:web-01`.
        comment: why it is left out.
    """

    id: str
    name: str
    function: str
    sls: str
    scope: str
    target: str
    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The result of one apply or plan.

    Args:
        run_id: its id, as `ensue runs list` shows it.
        test: whether it was a plan.
        status: how it ended.
        states: every state that ran, in the order in which they started, those of delayed blocks included.
        not_run: what never started, as `ID (module.function)` with its scope.
        warnings: warnings of the compiler and of the run.
        duration_s: how long it took, in seconds.
        stopped: why the run stopped early, because it could not be recorded or too many hosts had failed;
            empty for any other run.
        excluded: the states that the chosen part of the run leaves out.
    """

    run_id: str
    test: bool
    status: Literal["succeeded", "failed", "interrupted"]
    states: tuple[StateResult, ...]
    not_run: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    duration_s: float = 0.0
    stopped: str = ""
    excluded: tuple[ExcludedState, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the run was completed and no state failed, or would fail in an apply."""
        return self.status == "succeeded"

    @property
    def changed(self) -> tuple[StateResult, ...]:
        """The states that changed something, or would in an apply."""
        return tuple(state for state in self.states if state.changes or state.result is None)

    @property
    def failed(self) -> tuple[StateResult, ...]:
        """The states that failed."""
        return tuple(state for state in self.states if state.result is False)

    def of(self, state_id: str) -> tuple[StateResult, ...]:
        """Return the results of the states with an ID, in the order in which they started."""
        return tuple(state for state in self.states if state.id == state_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """The answer of one target to the call of an execution function.

    Args:
        target: its SRN, `ssh_host:web-01`.
        ok: whether the function returned.
        value: what the function returned; if it failed, the message.
        exit_code: of the command that the function ran; 0 if it ran none, or returned no code.
    """

    target: str
    ok: bool
    value: Any
    exit_code: int = 0


def run_result(report: RunReport, masker: Masker, silenced: Container[str]) -> RunResult:
    """Return the public form of a run's report, without warnings that have one of the silenced codes."""
    returns = sorted(_every(report.returns.values()), key=lambda state_return: state_return.run_num)
    return RunResult(
        run_id=report.run_id,
        test=report.test,
        status=report.status,
        states=tuple(state_result(state_return, masker) for state_return in returns),
        not_run=tuple(map(masker.name, report.not_run)),
        warnings=tuple(
            masked(diagnostic, masker) for diagnostic in without_silenced(report.warnings, silenced)
        ),
        duration_s=report.duration_s,
        stopped=masker.text(report.stopped),
        excluded=tuple(_excluded_state(excluded, masker) for excluded in report.excluded),
    )


def _excluded_state(excluded: StateExcluded, masker: Masker) -> ExcludedState:
    return ExcludedState(
        id=masker.text(excluded.id),
        name=masker.text(excluded.name),
        function=excluded.function,
        sls=excluded.sls,
        scope=masker.text(excluded.scope),
        target=excluded.target,
        comment=masker.text(excluded.comment),
    )


def state_result(returned: Return, masker: Masker) -> StateResult:
    """Return the public form of a state's return, without what grew from it."""
    shown = return_data(msgspec.structs.replace(returned, delayed=(), applied=()), masker)
    return StateResult(
        id=shown["__id__"],
        name=shown["name"],
        function=f"{returned.module}.{returned.function}",
        sls=returned.sls,
        scope=shown["__scope__"],
        target=returned.target,
        result=returned.result,
        changes=shown["changes"],
        comment=shown["comment"],
        new_state=shown["new_state"],
        owed=returned.owed,
        drift=shown.get("drift", {}),
        drift_by=shown.get("drift_by", ""),
        foreseen=shown.get("foreseen", {}),
        warnings=tuple(shown.get("warnings", ())),
        duration_s=returned.duration_ms / 1000,
    )


def call_result(outcome: CallOutcome) -> CallResult:
    """Return the public form of a target's answer."""
    return CallResult(
        target=str(outcome.target), ok=outcome.ok, value=outcome.value, exit_code=outcome.exit_code
    )


def masked(diagnostic: Diagnostic, masker: Masker) -> Diagnostic:
    """Return a diagnostic with its secrets masked."""
    return msgspec.structs.replace(
        diagnostic,
        summary=masker.text(diagnostic.summary),
        detail=masker.text(diagnostic.detail),
        help=masker.text(diagnostic.help),
    )


def _every(returns: Iterable[Return]) -> Iterator[Return]:
    """Yield returns with those of everything that grew from them, if they count."""
    waiting = list(returns)
    while waiting:
        state_return = waiting.pop()
        yield state_return
        for scope in (*state_return.delayed, *state_return.applied):
            waiting += scope.returns.values() if scope.counts else ()
