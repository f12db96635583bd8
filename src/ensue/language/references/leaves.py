"""The texts of nested data in which a reference might stand, each with the way to it; keys are texts too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ensue.language.references.signs import holds_sign
from ensue.language.slots import PREFIX, SlotSyntaxError, read_slot
from ensue.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

Keys: TypeAlias = tuple[str | int, ...]


def signed_texts(value: Any, keys: Keys = ()) -> Iterator[tuple[str, Keys]]:
    """Yield every text with a reference's sign in it; within a slot the arguments of its call.

    Args:
        value: data; what stands in several places of it (a YAML alias) is looked at once.
        keys: the way to it.
    """
    if value.__class__ is str:
        if holds_sign(value):
            yield from _of_text(value, keys)
    elif value:
        yield from _below(value, keys, set())


def _below(value: Any, keys: Keys, seen: set[int]) -> Iterator[tuple[str, Keys]]:
    if isinstance(value, str):
        if holds_sign(value):
            yield from _of_text(value, keys)
    elif id(value) in seen:
        return
    elif is_mapping(value):
        seen.add(id(value))
        for key, item in value.items():
            below = (*keys, key)
            if key.__class__ is str and holds_sign(key):
                yield key, below
            yield from _below(item, below, seen)
    elif is_list(value):
        seen.add(id(value))
        for place, item in enumerate(value):
            yield from _below(item, (*keys, place), seen)


def _of_text(text: str, keys: Keys) -> Iterator[tuple[str, Keys]]:
    if not text.startswith(PREFIX):
        yield text, keys
        return
    try:
        slot = read_slot(text)
    except SlotSyntaxError:
        # It fails when it is called for; there is no argument to look into.
        return
    for argument in (*slot.args, *slot.kwargs.values(), slot.appended):
        if holds_sign(argument):
            yield argument, keys
