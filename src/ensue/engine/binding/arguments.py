"""Resolve references and slots in a state's arguments when the state runs.

A bound value is data, whatever it looks like: it is never searched for references or slots. The value of a
reference within a slot is an argument of the slot's call.

Source: Idem's argument binding; Salt's slots.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import RENDERS
from ensue.core.errors import StateFailedError
from ensue.core.model.data import copied, is_list, is_mapping
from ensue.core.model.paths import traverse
from ensue.core.model.property_values import as_text
from ensue.core.model.unknown import unknowns_in
from ensue.engine.binding.bound_values import BoundCall, filled, free_key, word
from ensue.engine.binding.slots import PREFIX, is_escaped, read_slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ensue.core.contracts.arguments import Results
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import DataMap
    from ensue.core.model.srn import Srn
    from ensue.engine.binding.bound_values import BoundValues
    from ensue.engine.binding.insertions import Insertions

_NOTHING_BOUND: Final[dict[str, Any]] = {}
_RENDERS_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class _Values(msgspec.Struct, frozen=True):
    """The values that replace references and slots.

    Args:
        bound: the value of each bound text.
        placed: the value in the form that is put into the argument.
        held: converts a slot's result to the form that is put into the argument.
    """

    bound: Mapping[str, Any]
    placed: Mapping[str, Any]
    held: Callable[[Any], Any]


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
        values = self._bound(chunk, call)
        arguments: DataMap = filled(chunk.arguments, values)
        for name in self._templates(chunk, arguments):
            arguments[name] = filled(chunk.arguments[name], self._for_template(chunk, values, call).placed)
        if chunk.name in values:
            arguments["name"] = word(values[chunk.name], "the name")
        return _with_words(arguments)

    async def resolve(self, chunk: Chunk, results: Results, context: StateContext) -> DataMap:
        """Return the arguments with every reference and slot replaced by its value.

        Raises:
            StateFailedError: a value is not available; a slot is malformed, unknown, or its call failed.
        """
        if not chunk.has_slots:
            return self.resolve_now(chunk, results, context.srn, test=context.test)
        call = BoundCall(chunk, results, context.srn, context.test)
        bound = self._bound(chunk, call)
        if unknowns_in(bound):
            # A slot may change something, so it is not called while other arguments are unknown.
            return bound
        values = _Values(bound, bound, _as_it_is)
        # A slot is called once, so arguments that may be templates wait until it is known whether they are.
        marked = self._marked(chunk)
        others = {name: value for name, value in chunk.arguments.items() if name not in marked}
        arguments: DataMap = await _filled(others, values, context)
        templates = [*self._templates(chunk, arguments)]
        for name in marked.keys() & chunk.arguments.keys():
            own = self._for_template(chunk, bound, call) if name in templates else values
            arguments[name] = await _filled(chunk.arguments[name], own, context)
        if chunk.name.startswith(PREFIX):
            arguments["name"] = str(await _called(chunk.name, values, context))
        elif is_escaped(chunk.name):
            arguments["name"] = chunk.name[1:]
        elif chunk.name in bound:
            arguments["name"] = word(bound[chunk.name], "the name")
        return _with_words(arguments)

    def _bound(self, chunk: Chunk, call: BoundCall) -> dict[str, Any]:
        return self._values.of(chunk.bindings, call) if chunk.bindings else _NOTHING_BOUND

    def _marked(self, chunk: Chunk) -> Mapping[str, str]:
        """Return the arguments that the function renders, each with the one that names its renderer."""
        function = self._find(chunk.module, chunk.function)
        return getattr(function, RENDERS, _RENDERS_NOTHING)

    def _templates(self, chunk: Chunk, arguments: DataMap) -> Iterator[str]:
        """Yield the names of the arguments that are rendered in this call."""
        for name, renderer in self._marked(chunk).items():
            if name in chunk.arguments and arguments.get(renderer):
                yield name

    def _for_template(self, chunk: Chunk, bound: Mapping[str, Any], call: BoundCall) -> _Values:
        """Return values with placeholders for everything that the renderer must not see."""
        held = self._insertions.held
        return _Values(bound, self._values.for_template(chunk.bindings or {}, bound, call, held), held)


def _with_words(arguments: DataMap) -> DataMap:
    """Return arguments in which every known item of a list-valued name is text."""
    name: Any = arguments.get("name")
    if is_list(name) and not unknowns_in(name):
        arguments["name"] = [as_text(word) for word in name]
    return arguments


def _as_it_is(value: Any) -> Any:
    return value


async def _filled(value: Any, values: _Values, context: StateContext) -> Any:
    if isinstance(value, str):
        if value.startswith(PREFIX):
            return await _called(value, values, context)
        if is_escaped(value):
            return value[1:]
        return copied(values.placed[value]) if value in values.placed else value
    if is_mapping(value):
        result: dict[Any, Any] = {}
        for key, item in value.items():
            result[free_key(key, values.bound, result)] = await _filled(item, values, context)
        return result
    return [await _filled(item, values, context) for item in value] if is_list(value) else value


async def _called(text: str, values: _Values, context: StateContext) -> Any:
    slot = read_slot(text)
    bound = values.bound
    args = [copied(bound.get(argument, argument)) for argument in slot.args]
    kwargs = {name: copied(bound.get(argument, argument)) for name, argument in slot.kwargs.items()}
    try:
        returned = await context.call(slot.function, *args, **kwargs)
    except TypeError as error:
        msg = f"the slot {text!r} cannot be called: {error}"
        raise StateFailedError(msg) from None
    for key in slot.path:
        returned = traverse(returned, key, delimiter="\0")
    if slot.appended and isinstance(returned, str):
        return values.held(returned) + as_text(values.placed.get(slot.appended, slot.appended))
    return values.held(returned)
