"""Call the slots of a state's arguments, so that their results can replace them.

Source: Salt's slots.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.data import copied
from ensue.core.model.paths import traverse
from ensue.core.model.property_values import as_text
from ensue.engine.binding.slots import PREFIX, is_escaped, read_slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ensue.core.contracts.context import StateContext


class SlotValue(msgspec.Struct, frozen=True):
    """The result of a slot, or the literal text of an escaped one.

    Args:
        returned: what the slot's call returned; of an escaped slot the text.
        appended: the text to append to a text, which may be a bound one; empty: none.
        is_literal: whether an author wrote it.
    """

    returned: Any
    appended: str = ""
    is_literal: bool = False


async def slot_values(
    texts: Iterable[str], bound: Mapping[str, Any], context: StateContext
) -> dict[str, SlotValue]:
    """Call the slots among some texts; return the value of each by its text.

    Args:
        texts: the texts of a state's arguments.
        bound: the values of bound texts, which may be arguments of a slot.
        context: calls the functions.

    Raises:
        StateFailedError: a slot is malformed, unknown, or its call failed.
    """
    values: dict[str, SlotValue] = {}
    for text in texts:
        if text in values:
            continue
        if text.startswith(PREFIX):
            values[text] = await _called(text, bound, context)
        elif is_escaped(text):
            values[text] = SlotValue(text[1:], is_literal=True)
    return values


def with_slots(
    values: Mapping[str, Any],
    slots: Mapping[str, SlotValue],
    held: Callable[[Any], Any] = lambda value: value,
) -> dict[str, Any]:
    """Return values of bound texts together with those of slots, by their texts.

    Args:
        values: the values of bound texts.
        slots: the slots.
        held: converts the result of a slot to the form that is put into the argument.
    """
    return {**values, **{text: _placed(slot, values, held) for text, slot in slots.items()}}


def _placed(slot: SlotValue, values: Mapping[str, Any], held: Callable[[Any], Any]) -> Any:
    if slot.is_literal:
        return slot.returned
    if slot.appended and isinstance(slot.returned, str):
        return held(slot.returned) + as_text(values.get(slot.appended, slot.appended))
    return held(slot.returned)


async def _called(text: str, bound: Mapping[str, Any], context: StateContext) -> SlotValue:
    slot = read_slot(text)
    args = [copied(bound.get(argument, argument)) for argument in slot.args]
    kwargs = {name: copied(bound.get(argument, argument)) for name, argument in slot.kwargs.items()}
    try:
        returned = await context.call(slot.function, *args, **kwargs)
    except TypeError as error:
        raise StateFailedError(f"the slot {text!r} cannot be called: {error}") from None
    for key in slot.path:
        returned = traverse(returned, key, delimiter="\0")
    return SlotValue(returned, slot.appended)
