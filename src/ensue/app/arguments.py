"""Values that a state's arguments get only when the state runs: references and slots.

A bound value is data, whatever it looks like: neither references nor slots are looked for in it. What a
reference within a slot comes to is an argument of the slot's call.

Source: Idem's argument binding; Salt's slots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.app.bound_values import BoundValues, Call, filled, free_key, word
from ensue.errors import StateFailedError
from ensue.language.references.follow import as_text
from ensue.language.slots import PREFIX, is_escaped, read_slot
from ensue.model.data import copied, is_list, is_mapping
from ensue.model.paths import traverse
from ensue.model.unknown import unknowns_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.contracts.context import StateContext
    from ensue.contracts.enforced import EnforcedStates
    from ensue.engine.services import Results
    from ensue.masking import Masker
    from ensue.model.chunk import Chunk
    from ensue.model.data import DataMap
    from ensue.model.srn import Srn

_NOTHING_BOUND: Final[dict[str, Any]] = {}


class RunTimeArguments:
    """Implements the engine's `ArgumentResolver`.

    Args:
        enforced: what earlier applies enforced; None where the project keeps none.
        masker: the project's secrets.
    """

    def __init__(self, enforced: EnforcedStates | None, masker: Masker) -> None:
        self._values = BoundValues(enforced, masker)

    def resolve_now(self, chunk: Chunk, results: Results, target: Srn, *, test: bool) -> DataMap:
        """Return the arguments of a chunk without slots.

        Raises:
            StateFailedError: a value cannot be had.
        """
        values = self._values.of(chunk.bindings, Call(chunk, results, target, test)) if chunk.bindings else {}
        arguments: DataMap = filled(chunk.arguments, values)
        if chunk.name in values:
            arguments["name"] = word(values[chunk.name], "the name")
        return arguments

    async def resolve(self, chunk: Chunk, results: Results, context: StateContext) -> DataMap:
        """Return the arguments with every reference and slot replaced by what it comes to.

        Raises:
            StateFailedError: a value cannot be had; a slot is malformed, unknown, or its call failed.
        """
        if not chunk.has_slots:
            return self.resolve_now(chunk, results, context.srn, test=context.test)
        values = self._bound(chunk, Call(chunk, results, context.srn, context.test))
        if unknowns_in(values):
            # A slot may change something; while other arguments are not known, nothing is called.
            return values
        arguments: DataMap = await _filled(chunk.arguments, values, context)
        if chunk.name.startswith(PREFIX):
            arguments["name"] = str(await _called(chunk.name, values, context))
        elif is_escaped(chunk.name):
            arguments["name"] = chunk.name[1:]
        elif chunk.name in values:
            arguments["name"] = word(values[chunk.name], "the name")
        return arguments

    def _bound(self, chunk: Chunk, call: Call) -> dict[str, Any]:
        return self._values.of(chunk.bindings, call) if chunk.bindings else _NOTHING_BOUND


async def _filled(value: Any, values: Mapping[str, Any], context: StateContext) -> Any:
    if isinstance(value, str):
        if value.startswith(PREFIX):
            return await _called(value, values, context)
        if is_escaped(value):
            return value[1:]
        return copied(values[value]) if value in values else value
    if is_mapping(value):
        result: dict[Any, Any] = {}
        for key, item in value.items():
            result[free_key(key, values, result)] = await _filled(item, values, context)
        return result
    return [await _filled(item, values, context) for item in value] if is_list(value) else value


async def _called(text: str, values: Mapping[str, Any], context: StateContext) -> Any:
    slot = read_slot(text)
    args = [copied(values.get(argument, argument)) for argument in slot.args]
    kwargs = {name: copied(values.get(argument, argument)) for name, argument in slot.kwargs.items()}
    try:
        returned = await context.call(slot.function, *args, **kwargs)
    except TypeError as error:
        msg = f"the slot {text!r} cannot be called: {error}"
        raise StateFailedError(msg) from None
    for key in slot.path:
        returned = traverse(returned, key, delimiter="\0")
    if slot.appended and isinstance(returned, str):
        return returned + as_text(values.get(slot.appended, slot.appended))
    return returned
