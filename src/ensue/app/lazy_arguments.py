"""References and slots in arguments, loaded when the first state that has one is called; most have none."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.app.arguments import RunTimeArguments
    from ensue.contracts.context import StateContext
    from ensue.contracts.enforced import EnforcedStates
    from ensue.engine.services import Results
    from ensue.masking import Masker
    from ensue.model.chunk import Chunk
    from ensue.model.data import DataMap
    from ensue.model.srn import Srn


class LazyArguments:
    """Implements the engine's `ArgumentResolver`; see `arguments.RunTimeArguments`.

    Args:
        enforced: what earlier applies enforced; None where the project keeps none.
        masker: the project's secrets.
    """

    def __init__(self, enforced: EnforcedStates | None, masker: Masker) -> None:
        self._enforced = enforced
        self._masker = masker

    @cached_property
    def _resolver(self) -> RunTimeArguments:
        from ensue.app.arguments import RunTimeArguments

        return RunTimeArguments(self._enforced, self._masker)

    def resolve_now(self, chunk: Chunk, results: Results, target: Srn, *, test: bool) -> DataMap:
        """Return the arguments of a chunk without slots."""
        return self._resolver.resolve_now(chunk, results, target, test=test)

    async def resolve(self, chunk: Chunk, results: Results, context: StateContext) -> DataMap:
        """Return the arguments with every reference and slot replaced by what it comes to."""
        return await self._resolver.resolve(chunk, results, context)
