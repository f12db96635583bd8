"""What an apply would register, and which SLS it would apply to resources that do not exist yet.

A plan registers nothing, so the states of such resources are no part of it. Which SLS they would get is known
as far as the name of a resource decides it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.data import texts
from ensue.core.model.foreseen import ForeseenSls
from ensue.language.references.detection import holds_sign
from ensue.language.targets.registers_check import registered_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import DataMap
    from ensue.core.model.srn import Srn
    from ensue.engine.plans.first_plans import Derived
    from ensue.language.plans.block_registrations import BlockRegistrations
    from ensue.language.targets.foreseen_registrations import ForeseenRegistrations


class PlannedResources:
    """The resources that the states of one plan would register or configure.

    Args:
        foreseen: what chunks register, and which SLS they apply.
        derived: gives resources that appear during a run their highstate; None if they get none.
        configuration: returns the configuration of a registered resource; blocks.
        of_blocks: what delayed renderings have registered.
    """

    def __init__(
        self,
        foreseen: ForeseenRegistrations,
        derived: Derived | None,
        configuration: Callable[[Srn], DataMap | None],
        of_blocks: BlockRegistrations,
    ) -> None:
        self._of_blocks = of_blocks
        self._foreseen = foreseen
        self._derived = derived
        self._configuration = configuration
        self._highstates: dict[Srn, ForeseenSls | None] = {}
        self._registered: dict[Srn, DataMap | None] = {}

    async def note(self, plan: Plan) -> None:
        """Find out which resources that the states of a plan register are there, and which SLS others get."""
        for chunk in plan.chunks:
            for srn in self._foreseen.promises(chunk):
                await self._note_registered(srn)
                await self._note_highstate(srn)
            for applied in self._applied_by(chunk):
                await self._note_registered(applied.target)
            if chunk.options.delayed_render:
                for srn in self._of_blocks.registered_before(chunk, plan.scope):
                    await self._note_highstate(srn)

    async def _note_registered(self, srn: Srn) -> None:
        if srn not in self._registered:
            self._registered[srn] = await asyncio.to_thread(self._configuration, srn)

    async def _note_highstate(self, srn: Srn) -> None:
        if self._derived is not None and srn not in self._highstates:
            self._highstates[srn] = await self._derived.foreseen(srn)

    def of(self, chunk: Chunk, scope: str) -> DataMap:
        """Return what a chunk that a plan does not carry out would register, and what would be applied.

        Args:
            chunk: the chunk.
            scope: the path of its scope.

        Returns:
            `registers` (SRNs) and `applies` (mappings, as `ForeseenSls` has it), unless empty. A
            resource that is registered already is in `registers` only if its configuration is known to
            differ. What its delayed renderings registered before is in `undecided`, as in `applies`.
        """
        promised = self._foreseen.promises(chunk)
        applies = [*self._highstates_of(promised), *self._applied_by(chunk)]
        foreseen: DataMap = {}
        if registers := [str(srn) for srn in promised if self._would_register(chunk, srn)]:
            foreseen["registers"] = [*registers]
        if applies:
            foreseen["applies"] = [self._with_registered(apply).as_data() for apply in applies]
        if chunk.options.delayed_render:
            foreseen |= self._undecided(chunk, scope)
        return foreseen

    def _with_registered(self, applied: ForeseenSls) -> ForeseenSls:
        is_registered = self._registered.get(applied.target) is not None
        return msgspec.structs.replace(applied, registered=is_registered)

    def _undecided(self, chunk: Chunk, scope: str) -> DataMap:
        """Return what the delayed renderings of a chunk decide, which a plan cannot render."""
        before = self._of_blocks.registered_before(chunk, scope)
        highstates = [self._highstates.get(srn) or ForeseenSls(target=srn, names=()) for srn in before]
        return {"undecided": [each.as_data() for each in highstates]} if before else {}

    def _would_register(self, chunk: Chunk, srn: Srn) -> bool:
        registered = self._registered.get(srn)
        if registered is None:
            return True
        for name, config in chunk.options.registers:
            if registered_name(name) == srn and not any(map(holds_sign, texts(config))):
                return registered != (config or {})
        return False  # What the state is going to return decides it.

    def _highstates_of(self, srns: Sequence[Srn]) -> Iterable[ForeseenSls]:
        for srn in srns:
            highstate = self._highstates.get(srn)
            if highstate is not None and (highstate.names or not highstate.complete):
                yield highstate

    def _applied_by(self, chunk: Chunk) -> Iterable[ForeseenSls]:
        target, names = self._foreseen.awaits(chunk), self._foreseen.applies(chunk)
        if target is not None and names is not None:
            yield ForeseenSls(target=target, names=tuple(names))
