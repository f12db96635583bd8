"""The texts of nested data in which a reference might stand, each with the way to it; keys are texts too."""

from __future__ import annotations

from typing import Any, TypeAlias

from ensue.language.references.signs import holds_sign
from ensue.language.slots import PREFIX, SlotSyntaxError, read_slot
from ensue.model.data import is_list, is_mapping

Keys: TypeAlias = tuple[str | int, ...]


def signed_texts(value: Any, keys: Keys = ()) -> list[tuple[str, Keys]]:
    """Return every text with a reference's sign in it; within a slot the arguments of its call.

    Args:
        value: data; what stands in several places of it (a YAML alias) is looked at once.
        keys: the way to it.
    """
    found: list[tuple[str, Keys]] = []
    _look(value, keys, found, set())
    return found


def _look(value: Any, keys: Keys, found: list[tuple[str, Keys]], seen: set[int]) -> None:
    if value.__class__ is str:
        if "$" in value and holds_sign(value):
            found += _of_text(value, keys)
    elif is_mapping(value):
        if id(value) in seen:
            return
        seen.add(id(value))
        _look_in_mapping(value, keys, found, seen)
    elif is_list(value) and id(value) not in seen:
        seen.add(id(value))
        for place, item in enumerate(value):
            _look(item, (*keys, place), found, seen)


def _look_in_mapping(data: dict[str, Any], keys: Keys, found: list[tuple[str, Keys]], seen: set[int]) -> None:
    for key, item in data.items():
        if key.__class__ is str and "$" in key and holds_sign(key):
            found.append((key, (*keys, key)))
        if item.__class__ is str:
            if "$" in item and holds_sign(item):
                found += _of_text(item, (*keys, key))
        elif item:
            _look(item, (*keys, key), found, seen)


def _of_text(text: str, keys: Keys) -> list[tuple[str, Keys]]:
    if not text.startswith(PREFIX):
        return [(text, keys)]
    try:
        slot = read_slot(text)
    except SlotSyntaxError:
        # It fails when it is called for; there is no argument to look into.
        return []
    arguments = (*slot.args, *slot.kwargs.values(), slot.appended)
    return [(argument, keys) for argument in arguments if holds_sign(argument)]
