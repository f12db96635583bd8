"""What an apply would register, and which SLS it would apply to resources that do not exist yet.

A plan registers nothing, so the states of such resources are no part of it. Which SLS they would get is known
as far as the name of a resource decides it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.foreseen import ForeseenSls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import DataMap
    from ensue.core.model.srn import Srn
    from ensue.engine.plans.first_plans import Derived
    from ensue.language.targets.foreseen_registrations import ForeseenRegistrations


class PlannedResources:
    """The resources that the states of one plan would register or configure.

    Args:
        foreseen: what chunks register, and which SLS they apply.
        derived: gives resources that appear during a run their highstate; None if they get none.
    """

    def __init__(self, foreseen: ForeseenRegistrations, derived: Derived | None) -> None:
        self._foreseen = foreseen
        self._derived = derived
        self._highstates: dict[Srn, ForeseenSls | None] = {}

    async def note(self, plan: Plan) -> None:
        """Find out which SLS the resources would get that the states of a plan register."""
        if self._derived is None:
            return
        for chunk in plan.chunks:
            for srn in self._foreseen.promises(chunk):
                if srn not in self._highstates:
                    self._highstates[srn] = await self._derived.foreseen(srn)

    def of(self, chunk: Chunk) -> DataMap:
        """Return what a chunk that a plan does not carry out would register, and what would be applied.

        Args:
            chunk: the chunk.

        Returns:
            `registers` (SRNs) and `applies` (a mapping `target sls complete` per resource), unless empty.
        """
        registers = self._foreseen.promises(chunk)
        applies = [*self._highstates_of(registers), *self._applied_by(chunk)]
        foreseen: DataMap = {}
        if registers:
            foreseen["registers"] = [str(srn) for srn in registers]
        if applies:
            foreseen["applies"] = [one.as_data() for one in applies]
        return foreseen

    def _highstates_of(self, srns: Sequence[Srn]) -> Iterable[ForeseenSls]:
        for srn in srns:
            highstate = self._highstates.get(srn)
            if highstate is not None and (highstate.names or not highstate.complete):
                yield highstate

    def _applied_by(self, chunk: Chunk) -> Iterable[ForeseenSls]:
        target, names = self._foreseen.awaits(chunk), self._foreseen.applies(chunk)
        if target is not None and names is not None:
            yield ForeseenSls(target=target, names=tuple(names))
