"""References and slots in arguments, loaded when the first state that has one is called; most have none."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.app.services import Services
    from ensue.binding.arguments import RunTimeArguments
    from ensue.contracts.arguments import Results
    from ensue.contracts.context import StateContext
    from ensue.model.chunk import Chunk
    from ensue.model.data import DataMap
    from ensue.model.srn import Srn


class LazyArguments:
    """Implements the engine's `ArgumentResolver`; see `arguments.RunTimeArguments`.

    Args:
        services: the project.
    """

    def __init__(self, services: Services) -> None:
        self._services = services

    @cached_property
    def _resolver(self) -> RunTimeArguments:
        from ensue.binding.arguments import RunTimeArguments
        from ensue.binding.bound_values import BoundValues

        services = self._services
        values = BoundValues(services.enforced, services.masker)
        return RunTimeArguments(services.states.find, services.insertions, values)

    def resolve_now(self, chunk: Chunk, results: Results, target: Srn, *, test: bool) -> DataMap:
        """Return the arguments of a chunk without slots."""
        return self._resolver.resolve_now(chunk, results, target, test=test)

    async def resolve(self, chunk: Chunk, results: Results, context: StateContext) -> DataMap:
        """Return the arguments with every reference and slot replaced by what it comes to."""
        return await self._resolver.resolve(chunk, results, context)
