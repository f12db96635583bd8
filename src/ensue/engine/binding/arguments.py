"""Resolve references and slots in a state's arguments when the state runs.

A bound value is data, whatever it looks like: it is never searched for references or slots. The value of a
reference within a slot is an argument of the slot's call.

Source: Idem's argument binding; Salt's slots.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import RENDERS
from ensue.core.model.data import is_list, leaves
from ensue.core.model.property_values import as_text
from ensue.core.model.unknown import unknowns_in
from ensue.engine.binding.bound_values import BoundCall, filled, word
from ensue.engine.binding.slot_values import slot_values, with_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ensue.core.contracts.arguments import Results
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import DataMap
    from ensue.core.model.srn import Srn
    from ensue.engine.binding.bound_values import BoundValues
    from ensue.engine.binding.insertions import Insertions
    from ensue.engine.binding.slot_values import SlotValue

_NOTHING_BOUND: Final[dict[str, Any]] = {}
_RENDERS_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class RunTimeArguments:
    """Implements the engine's `ArgumentResolver`.

    Args:
        find: returns a state function by module and name, None when there is none.
        insertions: hold values that the renderer of a template must not see.
        values: finds the values of references.
    """

    def __init__(
        self,
        find: Callable[[str, str], Callable[..., Any] | None],
        insertions: Insertions,
        values: BoundValues,
    ) -> None:
        self._find = find
        self._insertions = insertions
        self._values = values

    def resolve_now(self, chunk: Chunk, results: Results, target: Srn, *, test: bool) -> DataMap:
        """Return the arguments of a chunk without slots.

        Raises:
            StateFailedError: a value is not available.
        """
        call = BoundCall(chunk, results, target, test)
        return self._filled(call, self._bound(call), {})

    async def resolve(self, chunk: Chunk, results: Results, context: StateContext) -> DataMap:
        """Return the arguments with every reference and slot replaced by its value.

        A slot that an argument repeats is called once.

        Raises:
            StateFailedError: a value is not available; a slot is malformed, unknown, or its call failed.
        """
        call = BoundCall(chunk, results, context.srn, context.test)
        bound = self._bound(call)
        if not chunk.has_slots:
            return self._filled(call, bound, {})
        if unknowns_in(bound):
            # A slot may change something, so it is not called while other arguments are unknown.
            return bound
        texts = (text for text in (*leaves(chunk.arguments), chunk.name) if isinstance(text, str))
        return self._filled(call, bound, await slot_values(texts, bound, context))

    def _filled(self, call: BoundCall, bound: dict[str, Any], slots: Mapping[str, SlotValue]) -> DataMap:
        """Return the arguments of a call with the values of its references and slots."""
        chunk = call.chunk
        values = with_slots(bound, slots) if slots else bound
        arguments: DataMap = filled(chunk.arguments, values)
        for name in self._templates(chunk, arguments):
            arguments[name] = filled(chunk.arguments[name], self._for_template(call, bound, slots))
        if chunk.name in slots:
            arguments["name"] = str(values[chunk.name])
        elif chunk.name in values:
            arguments["name"] = word(values[chunk.name], "the name")
        return _with_words(arguments)

    def _bound(self, call: BoundCall) -> dict[str, Any]:
        bindings = call.chunk.bindings
        return self._values.of(bindings, call) if bindings else _NOTHING_BOUND

    def _templates(self, chunk: Chunk, arguments: DataMap) -> Iterator[str]:
        """Yield the names of the arguments that the function renders in this call."""
        function = self._find(chunk.module, chunk.function)
        for name, renderer in getattr(function, RENDERS, _RENDERS_NOTHING).items():
            if name in chunk.arguments and arguments.get(renderer):
                yield name

    def _for_template(
        self, call: BoundCall, bound: Mapping[str, Any], slots: Mapping[str, SlotValue]
    ) -> dict[str, Any]:
        """Return values with placeholders for everything that the renderer must not see."""
        held = self._insertions.held
        placed = self._values.for_template(call.chunk.bindings or {}, bound, call, held)
        return with_slots(placed, slots, held) if slots else placed


def _with_words(arguments: DataMap) -> DataMap:
    """Return arguments in which every known item of a list-valued name is text."""
    name: Any = arguments.get("name")
    if is_list(name) and not unknowns_in(name):
        arguments["name"] = [as_text(word) for word in name]
    return arguments
