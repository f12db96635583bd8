"""The outcome of a run in one line: `3 changed, 21 unchanged, 2 failed, 4.2 s`.

Salt's figures, which count differently, are in `summary`; they are printed with `--out highstate` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.output.change_lines import destroys
from ensue.output.colours import on_one_line
from ensue.output.failures import every_return, says_no_states
from ensue.output.foreseen import JoiningCounts, joining_of, only_applies
from ensue.output.own_part import is_nested_only
from ensue.store.runs.run_counts import OutcomeName, RunCounts, counted_as

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return

_MINUTE_S: Final = 60
_OF_SCOPES: Final[Mapping[str, OutcomeName]] = {"deferred": "unknown", "failed": "failed"}


class OutcomeCounts(msgspec.Struct, kw_only=True):
    """The states of a run, counted by their outcome.

    Args:
        changed: changed something; in a plan, would change something.
        unchanged: were already in the desired state.
        failed: were called, and failed; failed delayed renderings count, too.
        handled: failed, and an `onfail` state with `onfail_stop: false` handled that.
        unreachable: failed because their host cannot be reached.
        not_run: were not called, because something they require failed or the run was interrupted.
        unknown: in a plan, can be known only after an apply: states and delayed renderings.
        destroying: of those that changed, those that destroyed something of a configuration or deployment.
        excluded: were left out by the chosen part of the run.
        joining: in a plan, the resources that an apply would add.
    """

    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    handled: int = 0
    unreachable: int = 0
    not_run: int = 0
    unknown: int = 0
    destroying: int = 0
    excluded: int = 0
    joining: JoiningCounts = JoiningCounts()


def outcome_of(report: RunReport) -> OutcomeCounts:
    """Count the states of a run, including those that were added while it ran."""
    outcome = OutcomeCounts(
        not_run=len(report.not_run),
        excluded=len(report.excluded),
        joining=joining_of(report.returns.values()),
    )
    for _, returned, name in outcomes(report):
        setattr(outcome, name, getattr(outcome, name) + 1)
        outcome.destroying += name == "changed" and returned is not None and destroys(returned)
    return outcome


def outcomes(report: RunReport) -> Iterator[tuple[str, Return | None, OutcomeName]]:
    """Yield what is counted of a run: the target, the return, and the field of `RunCounts` that counts it.

    A delayed rendering that failed or is deferred has no return, and counts on the target of its state.
    """
    for returned in every_return(report.returns.values()):
        is_counted = not is_nested_only(returned) and not says_no_states(returned)
        name = counted_as(returned) if is_counted else None
        if name in {"unknown", "changed", "unchanged"} and only_applies(returned):
            name = None  # Its states count, once they are known.
        if name is not None:
            yield returned.target, returned, name
        for scope in returned.delayed:
            if (of_scope := _OF_SCOPES.get(scope.status)) is not None:
                yield returned.target, None, of_scope


def counts_of(report: RunReport) -> dict[str, int]:
    """Count the states of a run as its journal has them, by the fields of `RunCounts`."""
    outcome = outcome_of(report)
    return {name: getattr(outcome, name) for name in RunCounts.__struct_fields__}


def outcome_line(report: RunReport) -> str:
    """Return the line; counts of 0 are left out, except those of changed and unchanged states."""
    outcome = outcome_of(report)
    words = ("to change", "would fail") if report.test else ("changed", "failed")
    parts = [f"{outcome.changed} {words[0]}", f"{outcome.unchanged} unchanged"]
    if outcome.destroying:
        verb = "destroyed" if not report.test else "destroys" if outcome.destroying == 1 else "destroy"
        parts[0] += f" ({outcome.destroying} {verb} something)"
    for count, what in (
        (outcome.unknown, "known after apply"),
        (outcome.failed, words[1]),
        (outcome.handled, "failed and handled" if not report.test else "would fail and be handled"),
        (outcome.unreachable, "unreachable"),
        (outcome.not_run, "not run"),
        (outcome.excluded, f"excluded ({on_one_line(report.part)})"),
    ):
        if count:
            parts.append(f"{count} {what}")
    parts.extend(outcome.joining.parts())
    if not report.test:
        parts.append(seconds_text(report.duration_s))
    return ", ".join(parts)


def seconds_text(seconds: float) -> str:
    """Return a duration for a person: `4.2 s`, `3 min 20 s`."""
    if seconds < _MINUTE_S:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), _MINUTE_S)
    return f"{minutes} min {rest} s"
