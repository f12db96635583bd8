"""Values that a state's arguments get only when the state runs: slots.

Source: Salt's slots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.errors import StateFailedError
from ensue.language.slots import PREFIX, holds_slot, read_slot
from ensue.model.data import is_list, is_mapping
from ensue.model.paths import traverse

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext
    from ensue.engine.services import Results
    from ensue.model.chunk import Chunk
    from ensue.model.data import DataMap


class RunTimeArguments:
    """Implements the engine's `ArgumentResolver`."""

    def needed(self, chunk: Chunk) -> bool:
        """Say whether a chunk has arguments to be filled in."""
        if chunk.name.startswith(PREFIX):
            return True
        return bool(chunk.arguments) and holds_slot(chunk.arguments)

    async def resolve(self, chunk: Chunk, results: Results, context: StateContext) -> DataMap:
        """Return the arguments with every slot replaced by what its call returned.

        Raises:
            StateFailedError: a slot is malformed, names no function, or its function failed.
        """
        del results
        filled: DataMap = await _filled(chunk.arguments, context)
        if chunk.name.startswith(PREFIX):
            filled["name"] = str(await _called(chunk.name, context))
        return filled


async def _filled(value: Any, context: StateContext) -> Any:
    if is_mapping(value):
        return {key: await _filled(item, context) for key, item in value.items()}
    if is_list(value):
        return [await _filled(item, context) for item in value]
    if isinstance(value, str) and value.startswith(PREFIX):
        return await _called(value, context)
    return value


async def _called(text: str, context: StateContext) -> Any:
    slot = read_slot(text)
    try:
        returned = await context.call(slot.function, *slot.args, **slot.kwargs)
    except TypeError as error:
        msg = f"the slot {text!r} cannot be called: {error}"
        raise StateFailedError(msg) from None
    for key in slot.path:
        returned = traverse(returned, key, delimiter="\0")
    if slot.appended and isinstance(returned, str):
        return returned + slot.appended
    return returned
