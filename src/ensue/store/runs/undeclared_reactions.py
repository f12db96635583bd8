"""The reactions to changes that earlier applies owe and that no state of a run makes up for.

Their states are declared no more, react to nothing any more, or their targets are gone. Like what a state
made that is no longer declared, such a reaction is judged by a run that has compiled every SLS that could
declare it. Plans and applies report it until it is declared again, or forgotten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.masking import MASK
from ensue.core.model.fan_out import every_part
from ensue.core.model.srn import Srn
from ensue.core.model.state_identity import StateIdentity
from ensue.core.model.state_tag import listener_tag, words_of_state
from ensue.store.registry.named_states import NamedStates
from ensue.store.runs.declarations import fanned_from
from ensue.store.runs.unsettled_states import UnsettledStates

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.engine.outcome import EngineOutcome
    from ensue.store.registry.enforced_form import EnforcedRow
    from ensue.store.runs.declarations import RunDeclarations
    from ensue.store.runs.undeclared_states import KnownTargets

_MOST_NAMED: Final = 5


def undeclared_reactions(
    unclaimed: Sequence[EnforcedRow],
    known: Callable[[], Sequence[EnforcedRow]],
    declarations: RunDeclarations,
    outcome: EngineOutcome,
    targets: KnownTargets,
) -> Diagnostic | None:
    """Return a warning that names the reactions; None if there are none; this blocks.

    Args:
        unclaimed: the rows of the states that owe a reaction that no state of the run makes up for.
        known: returns every row.
        declarations: those of this run.
        outcome: how it ended; one that was cut short says nothing.
        targets: the targets that there are.

    Raises:
        StoreError: the enforced states or the resources cannot be read.
    """
    if not unclaimed or outcome.status == "interrupted" or outcome.stopped or outcome.hosts_not_run:
        return None
    unsettled = UnsettledStates(outcome, targets.opens_scopes)
    returns = list(every_part(outcome.returns.values()))
    called = {
        declarations.key_of(StateIdentity(returned.target, returned.scope_identity, tag))
        for returned in returns
        if returned.result is not False
        for tag in (returned.tag, listener_tag(returned.tag))
    }
    failed = {
        *((state.scope, listener_tag(state.tag)) for state in outcome.not_run),
        *((state.scope, listener_tag(state.tag)) for state in returns if state.result is False),
    }

    def is_settled(row: EnforcedRow) -> bool:
        by, path = row.entry.owed_by, row.entry.path
        if by is None or MASK in row.scope:
            return False
        if by.on == row.target and not targets.is_kept(Srn.parse(by.on)):
            return declarations.is_of_environment(by)  # No run has the SLS of a host that is gone.
        declared_as = fanned_from(row, by)
        if (
            not declarations.judges_state(by)
            or unsettled.may_be_in_unrendered(row.scope)
            or unsettled.may_still_declare(path, declared_as)
            or (path, declared_as) in failed
        ):
            return False
        return row.key in called or not declarations.has_reaction(path, row.tag, masked=str)

    rows = [row for row in unclaimed if is_settled(row)]
    if not rows:
        return None
    import shlex  # Only a run with such a warning needs it.

    words = {word for returned in returns for word in (returned.id, returned.name, returned.tag)}
    names, among = NamedStates(known(), words), {row.key for row in rows}
    forgotten = list(dict.fromkeys(names.exact(row, among) for row in rows))
    named = list(dict.fromkeys(_named(row, targets.own) for row in rows))
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    these = " for these" if len(forgotten) > _MOST_NAMED else ""
    subject = "a reaction to a change is" if len(named) == 1 else f"{len(named)} reactions to a change are"
    return Diagnostic(
        code="E0894",
        summary=f"{subject} owed, and no state makes up for that: {', '.join(named[:_MOST_NAMED])}{more}",
        help="if it is still due, declare the state again under its ID, or do by hand what it would have "
        f"done; `ensue enforced forget {shlex.join(forgotten[:_MOST_NAMED])}` ends this warning{these}",
        severity=Severity.WARNING,
    )


def _named(row: EnforcedRow, own: Srn) -> str:
    words, entry = words_of_state(row.tag), row.entry
    name = "" if words.name == words.id else f" {words.name}"
    where = "" if row.target == str(own) else f", {row.target}"
    state = f"{words.id} ({words.module}.{words.function}{name} in {entry.sls}{where})"
    return f"{state}, since run {entry.owed_since}"
