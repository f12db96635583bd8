"""Arguments that are known only when their state runs, and how they are resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn

Results: TypeAlias = "Callable[[int], Return | None]"
"""The return of a chunk of the same plan by index, None when it never ran."""


class ArgumentResolver(Protocol):
    """Puts run-time values into a chunk's arguments: references to other states, slots."""

    def resolve_now(self, chunk: Chunk, results: Results, target: Srn, *, test: bool) -> DataMap:
        """Return the arguments to call the function with, for a chunk without slots.

        Raises:
            EnsueError: a value is not available; becomes the comment of a result False.
        """
        ...

    async def resolve(self, chunk: Chunk, results: Results, context: StateContext) -> DataMap:
        """Return the arguments to call the function with; in a plan they may contain `Unknown`.

        `name` among them replaces the chunk's name in this call.

        Raises:
            EnsueError: a value is not available; becomes the comment of a result False.
        """
        ...
