"""Finds the texts of nested data, keys included, that may contain a reference, each with its path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ensue.engine.binding.slots import PREFIX, SlotSyntaxError, read_slot
from ensue.language.references.detection import holds_sign

if TYPE_CHECKING:
    from collections.abc import Iterable

Keys: TypeAlias = tuple[str | int, ...]

_CONTAINERS: Final = (dict, list)


def signed_texts(value: Any, keys: Keys = ()) -> list[tuple[str, Keys]]:
    """Return every text that contains a reference's sign; for a slot, the arguments of its call.

    Args:
        value: data; a value in several places (a YAML alias) is visited once.
        keys: the path to it.
    """
    if isinstance(value, str):
        return _of_text(value, keys) if holds_sign(value) else []
    texts: list[tuple[str, Keys]] = []
    if isinstance(value, _CONTAINERS):
        _look(value, keys, texts, set())  # pyright: ignore[reportUnknownArgumentType] # of anything
    return texts


def _look(
    data: dict[Any, Any] | list[Any], keys: Keys, texts: list[tuple[str, Keys]], seen: set[int]
) -> None:
    if id(data) in seen:
        return
    seen.add(id(data))
    items: Iterable[tuple[Any, Any]] = data.items() if isinstance(data, dict) else enumerate(data)
    for key, item in items:
        if isinstance(key, str) and "$" in key and holds_sign(key):
            texts.append((key, (*keys, key)))
        # Every argument of every state comes through here: texts first, and no call for empty values.
        kind = item.__class__
        if kind is str:
            if "$" in item and holds_sign(item):
                texts += _of_text(item, (*keys, key))
        elif item and (kind is dict or kind is list or isinstance(item, _CONTAINERS)):
            _look(item, (*keys, key), texts, seen)  # pyright: ignore[reportUnknownArgumentType] # of anything


def _of_text(text: str, keys: Keys) -> list[tuple[str, Keys]]:
    if not text.startswith(PREFIX):
        return [(text, keys)]
    try:
        slot = read_slot(text)
    except SlotSyntaxError:
        # It fails when the state runs; it has no arguments to search.
        return []
    arguments = (*slot.args, *slot.kwargs.values(), slot.appended)
    return [(argument, keys) for argument in arguments if holds_sign(argument)]
