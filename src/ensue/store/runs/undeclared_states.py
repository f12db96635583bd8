"""What a plan says of states that earlier applies ran and no SLS declares any more: what they made stays.

A state counts if its module has a function that declares absence, so that somebody can remove what it made.
The states of delayed blocks do not count: whether their block is rendered is known only during an apply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.masking import MASK
from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.srn import Srn

_ABSENT: Final = ("absent", "removed", "dead", "unmounted", "destroyed")
_MOST_NAMED: Final = 5


def undeclared_states(
    plans: Iterable[Plan],
    enforced: Callable[[Srn], Iterable[EnforcedState]],
    functions: Callable[[Srn, str], Iterable[str]],
) -> Diagnostic | None:
    """Return a warning about states that are no longer declared; None if there are none; this blocks.

    Args:
        plans: the plans that a run begins with.
        enforced: returns what earlier applies enforced for the top scope of a target.
        functions: returns the names of the functions of a state module that a target has.

    Raises:
        StoreError: the enforced states cannot be read.
    """
    kept: dict[str, str] = {}
    for plan in plans:
        for state in _undeclared(plan, enforced):
            offered = functions(plan.target, state.module)
            removal = next((name for name in _ABSENT if name in offered), "")
            if removal and state.function != removal:
                name = "" if state.name == state.id else f" {state.name}"
                kept[f"{state.id} ({state.module}.{state.function}{name})"] = f"{state.module}.{removal}"
    if not kept:
        return None
    named = list(kept)[:_MOST_NAMED]
    more = f" and {len(kept) - _MOST_NAMED} more" if len(kept) > _MOST_NAMED else ""
    removals = ", ".join(f"`{one}`" for one in sorted(set(kept.values()))[:_MOST_NAMED])
    states = "a state is" if len(kept) == 1 else f"{len(kept)} states are"
    return Diagnostic(
        code="E0894",
        summary=f"{states} no longer declared, and what earlier applies made stays: {', '.join(named)}{more}",
        help=f"if it has to go, declare that with {removals} and apply it",
        severity=Severity.WARNING,
    )


def _undeclared(plan: Plan, enforced: Callable[[Srn], Iterable[EnforcedState]]) -> Iterator[EnforcedState]:
    """Yield the states of the SLS of a plan that were enforced, exist, and are not in the plan."""
    slses = plan.tree.whole_slses() if plan.tree is not None and not plan.scope else frozenset[str]()
    if not slses:
        return
    chunks = [*plan.chunks, *(chunk for chunk, *_ in plan.excluded)]
    tags = {chunk.tag for chunk in chunks}
    names = {(chunk.module, chunk.name) for chunk in chunks}
    states = list(enforced(plan.target))
    gone = {(one.module, one.name) for one in states if _is_gone(one)}
    for one in states:
        thing = (one.module, one.name)
        is_told = one.tag in tags or thing in names or thing in gone or MASK in one.tag
        if one.sls in slses and not is_told:
            yield one


def _is_gone(state: EnforcedState) -> bool:
    new_state = state.new_state
    return is_mapping(new_state) and new_state.get("exists") is False
