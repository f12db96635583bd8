"""The whole comparison of one tree: both sides, what ensue lacks, and the causes of what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.salt.compare.differences import Cause, DifferenceKind, TreeDifference, grouped
from ensue.salt.compare.intended import OF_REFUSALS, meant_in_top_file
from ensue.salt.compare.low import low_differences
from ensue.salt.compare.plans import plan_differences

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ensue.salt.compare.sides import SaltSide, Side


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """What ensue lacks of what a tree uses.

    Args:
        state_functions: `module.function` of states.
        execution_functions: functions that templates call.
        renderers: renderers of SLS and pillar.
    """

    state_functions: frozenset[str] = frozenset()
    execution_functions: frozenset[str] = frozenset()
    renderers: frozenset[str] = frozenset()


class TreeComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One tree, compared.

    Args:
        minion_id: the minion that the tree is compiled for.
        salt: Salt's side.
        ours: ensue's side.
        causes: what differs, by cause; empty if nothing does.
    """

    minion_id: str
    salt: SaltSide
    ours: Side
    causes: tuple[Cause, ...]

    @property
    def compiles_nowhere(self) -> bool:
        """Whether both programs refuse the tree, so that there is nothing to compare."""
        return bool(self.salt.refusals and self.ours.refusals)

    @property
    def planned(self) -> bool:
        """Whether plans were compared."""
        return self.salt.plan is not None and self.ours.plan is not None


def compared(minion_id: str, salt: SaltSide, ours: Side, missing: Missing) -> TreeComparison:
    """Compare the two sides of a tree.

    Args:
        minion_id: the minion that the tree is compiled for.
        salt: Salt's side.
        ours: ensue's side.
        missing: what ensue lacks of what Salt's side uses.
    """
    differences = [*_missing(salt, missing), *_refusals(salt, ours)]
    if not salt.refusals and not ours.refusals:
        differences += low_differences(salt.states, ours.states)
        differences += _failed_plans(salt, ours)
        if salt.plan is not None and ours.plan is not None:
            common = {state.tag for state in ours.states}
            states = [state for state in salt.states if state.tag in common]
            differences += plan_differences(states, salt.plan, ours.plan, missing.state_functions)
    return TreeComparison(minion_id=minion_id, salt=salt, ours=ours, causes=grouped(differences))


def _missing(salt: SaltSide, missing: Missing) -> Iterator[TreeDifference]:
    for state in salt.states:
        if state.function in missing.state_functions:
            yield TreeDifference(
                kind=DifferenceKind.MISSING_STATE_FUNCTION,
                what=state.function,
                where=state.id,
                sls=state.sls,
                tag=state.tag,
            )
    yield from _counted(
        DifferenceKind.MISSING_EXECUTION_FUNCTION, salt.functions, missing.execution_functions
    )
    yield from _counted(DifferenceKind.MISSING_RENDERER, salt.renderers, missing.renderers)


def _counted(
    kind: DifferenceKind, used: Mapping[str, int], missing: Collection[str]
) -> Iterator[TreeDifference]:
    for name in sorted(missing):
        yield TreeDifference(kind=kind, what=name, count=max(1, used.get(name, 0)))


def _refusals(salt: SaltSide, ours: Side) -> Iterator[TreeDifference]:
    if not salt.refusals:
        of_top_file = meant_in_top_file(salt.log)
        for refusal in ours.refusals:
            yield TreeDifference(
                kind=DifferenceKind.REFUSED_HERE,
                what=refusal.code,
                where=refusal.place,
                ensue=refusal.message,
                meant=OF_REFUSALS.get(refusal.code) or of_top_file,
            )
    elif not ours.refusals:
        for refusal in salt.refusals:
            yield TreeDifference(
                kind=DifferenceKind.REFUSED_BY_SALT, what=refusal.summary, salt=refusal.message
            )


def _failed_plans(salt: SaltSide, ours: Side) -> Iterator[TreeDifference]:
    if salt.plan_failed:
        yield TreeDifference(
            kind=DifferenceKind.PLAN_FAILED, what="Salt's test=True ends with an error", salt=salt.plan_failed
        )
    if ours.plan_failed:
        yield TreeDifference(
            kind=DifferenceKind.PLAN_FAILED, what="ensue's plan is refused", ensue=ours.plan_failed
        )
