"""Follows a property path into a `new_state`, and writes values into text.

A key applied to a list is applied to each item, as after `[*]`. An index after a map in the same segment
applies to each item, too: `nics[*]:tags[0]` is the first tag of every nic, `rows[*][1]` a column. An index in
a separate segment applies to the result of the segments before it: `nics[*]:tags:[0]` are the tags of the
first nic.

Source: Idem's argument binding: indexes and wildcards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import msgspec

from ensue.core.errors import EnsueError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.near_names import near as near_text
from ensue.core.model.numbers import whole_number
from ensue.core.model.property_path import Every, Indexed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.model.property_path import Index, Step

    _Path = tuple[Step | Index, ...]
    """The path to a value, for messages."""

Place: TypeAlias = tuple[Any, ...]
"""The keys and indexes that lead to one value."""

BEFORE_AND_AFTER: Final = ("new", "old")
"""Keys between a mapping of changes and what changed, on any level."""

_OWN_SEGMENT: Final = Indexed(None, ())
"""In a path to a value, the mark before indexes that are a separate segment."""
_MOST_KEYS_SHOWN: Final = 20


class PathError(EnsueError, LookupError):
    """A property path that does not exist; the message says what is there instead."""


def follow(data: Any, steps: Sequence[Step]) -> Any:
    """Return the value at a property path: the object in the data, not a copy, unless items are mapped.

    Raises:
        PathError: a key is missing, an index is out of range, or a scalar is on the path.
    """
    for number, step in enumerate(steps):
        if data.__class__ is not dict or step not in data:
            return _value(_PathWalk().along(data, steps, number))
        data = data[step]
    return data


def places(data: Any, steps: Sequence[Step], *, in_changes: bool = False) -> list[Place]:
    """Return the place of every value that a property path leads to, for hiding these values.

    Of the items of a list, those count that have the rest of the path. A number that is a key of its own and
    is applied to a list is an index too (`list:0`).

    Args:
        data: the data.
        steps: the property path.
        in_changes: whether the data is a mapping of changes. Its levels `new` and `old` are passed through,
            and an index means every item, because changes may list only the items that differ.

    Raises:
        PathError: it leads nowhere. An index `[*]` of an empty list leads to all of its no items.
    """
    places_: list[Place] = []
    lost: list[PathError] = []
    _collect(_PathWalk(all_readings=True, in_changes=in_changes).along(data, steps, 0), places_, lost)
    if lost and not places_:
        raise lost[0]
    return places_


def as_text(value: Any) -> str:
    """Return a value as part of a longer text: text as it is, everything else as compact JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    import json

    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    return as_text(value) if isinstance(value, bytes) else str(value)


class _Spot(msgspec.Struct, frozen=True):
    """A value, and where it is."""

    value: Any
    place: Place


class _Mapped(msgspec.Struct, frozen=True):
    """What a path leads to in each item of a list: a list itself."""

    spots: list[_Found]


class _Either(msgspec.Struct, frozen=True):
    """What each reading of a path leads to."""

    spots: list[_Found]


class _Nowhere(msgspec.Struct, frozen=True):
    """An item, or a reading, in which a path leads nowhere."""

    error: PathError


_Found: TypeAlias = "_Spot | _Mapped | _Either | _Nowhere"


def _value(parsed: _Found) -> Any:
    if isinstance(parsed, _Mapped):
        return [_value(spot) for spot in parsed.spots]
    return cast("_Spot", parsed).value


def _collect(parsed: _Found, into: list[Place], lost: list[PathError]) -> None:
    match parsed:
        case _Spot():
            into.append(parsed.place)
        case _Nowhere():
            lost.append(parsed.error)
        case _:
            for spot in parsed.spots:
                _collect(spot, into, lost)


class _PathWalk:
    """Follows a path.

    Args:
        all_readings: whether to follow every reading of the path, in every item that has it, and to note the
            places; otherwise there is one reading, and every item must have it.
        in_changes: see `places`.
    """

    def __init__(self, *, all_readings: bool = False, in_changes: bool = False) -> None:
        self._all_readings = all_readings
        self._in_changes = in_changes

    def along(self, data: Any, steps: Sequence[Step], number: int) -> _Found:
        """Return what the steps from a number on lead to.

        Raises:
            PathError: they lead nowhere.
        """
        spot: _Found = _Spot(data, ())
        for place in range(number, len(steps)):
            step, before = steps[place], tuple(steps[:place])
            if isinstance(step, str):
                spot = self._by_key(spot, step, (), before)
            elif step.key is None:
                spot = self._indexed(spot, step.indexes, (*before, _OWN_SEGMENT))
            else:
                spot = self._by_key(spot, step.key, step.indexes, before)
        return spot

    def _by_key(
        self, spot: _Found, key: str, indexes: tuple[Index, ...], before: _Path, *, is_in_item: bool = False
    ) -> _Found:
        """Return what is at a key and the indexes after it; for a list, in each item.

        Args:
            spot: what the path leads to so far.
            key: the key.
            indexes: the indexes after it.
            before: the path so far.
            is_in_item: whether `found` is an item of a list that the key is applied to.
        """
        if isinstance(spot, _Nowhere):
            raise spot.error
        if isinstance(spot, _Either):
            return self._either(spot.spots, lambda nearer: self._by_key(nearer, key, indexes, before))
        if isinstance(spot, _Spot) and is_mapping(spot.value):
            return self._in_mapping(spot, key, indexes, before)
        if isinstance(spot, _Spot) and not is_list(spot.value):
            raise PathError(
                f"{_shown(before)} is {kind_in_words(spot.value)}, so it has no key {key!r}"
                + _as_index(before, key)
            )
        inside = before if before and _maps(before[-1]) else (*before, Every.ITEM)
        items = spot.spots if isinstance(spot, _Mapped) else self._spots(spot)
        is_list_itself = isinstance(spot, _Spot)
        mapped = _Mapped(
            self._each(
                items, lambda item: self._by_key(item, key, indexes, inside, is_in_item=is_list_itself)
            )
        )
        index = whole_number(key) if self._all_readings and is_list_itself and not is_in_item else None
        if index is None:
            return mapped
        # The older form of an index: `list:0`.
        return self._either(
            [spot], lambda alternative: self._indexed(alternative, (index, *indexes), before), mapped
        )

    def _in_mapping(self, spot: _Spot, key: str, indexes: tuple[Index, ...], before: _Path) -> _Found:
        data: dict[Any, Any] = spot.value
        spots = [
            self._indexed(self._below(spot, own), indexes, (*before, key))
            if indexes
            else self._below(spot, own)
            for own in self._keys(data, key)
        ]
        levels = self._levels(spot)
        if not levels and not spots:
            # Where all readings of a path are tried, errors are frequent and nobody reads them.
            near = "" if self._all_readings else near_text(key, map(str, data))
            raise PathError(f"{_shown(before)} has no key {key!r}; it {contents_in_words(data)}{near}")
        if len(spots) == 1 and not levels:
            return spots[0]
        return self._either(levels, lambda nearer: self._by_key(nearer, key, indexes, before), *spots)

    def _keys(self, data: dict[Any, Any], key: str) -> list[Any]:
        """Return the keys that a word means: a state function may return keys that are not text."""
        if not self._all_readings and key in data:
            return [key]
        keys = [own for own in data if str(own) == key]
        return keys if self._all_readings else keys[:1]

    def _indexed(self, spot: _Found, indexes: tuple[Index, ...], before: _Path) -> _Found:
        """Return what is at some indexes; after `[*]` they apply to each item."""
        if isinstance(spot, _Nowhere):
            raise spot.error
        if not indexes:
            return spot
        levels = self._levels(spot)
        if isinstance(spot, _Either) or levels:
            spots = spot.spots if isinstance(spot, _Either) else levels
            return self._either(spots, lambda alternative: self._indexed(alternative, indexes, before))
        index, *rest = indexes
        if self._in_changes:
            index = Every.ITEM
        items = self._items(spot, _in_brackets(index), before)
        inside = (*before, index)
        if index is Every.ITEM:
            return _Mapped(
                self._each(items, lambda item: self._indexed(item, (*rest,), inside)) if rest else items
            )
        if not -len(items) <= index < len(items):
            raise PathError(f"{_shown(before)} has no [{index}]; it {contents_in_words(items)}")
        return self._indexed(items[index], (*rest,), inside)

    def _items(self, spot: _Spot | _Mapped, index: str, before: _Path) -> list[_Found]:
        if isinstance(spot, _Mapped):
            return spot.spots
        data = spot.value
        if is_list(data) or isinstance(data, tuple):
            return self._spots(spot)
        there = f"; it {contents_in_words(data)}" if is_mapping(data) else ""
        raise PathError(f"{_shown(before)} is {kind_in_words(data)}, so it has no {index}{there}")

    def _levels(self, spot: _Found) -> list[_Found]:
        """Return the values before and after, where a mapping of changes has them."""
        if not self._in_changes or not isinstance(spot, _Spot) or not is_mapping(spot.value):
            return []
        return [self._below(spot, key) for key in BEFORE_AND_AFTER if key in spot.value]

    def _spots(self, spot: _Spot) -> list[_Found]:
        if not self._all_readings:
            return [_Spot(item, ()) for item in spot.value]
        return [_Spot(item, (*spot.place, number)) for number, item in enumerate(spot.value)]

    def _below(self, spot: _Spot, key: Any) -> _Spot:
        return _Spot(spot.value[key], (*spot.place, key) if self._all_readings else ())

    def _each(self, spots: Sequence[_Found], take: Callable[[_Found], _Found]) -> list[_Found]:
        """Return what a step leads to in each item, or `_Nowhere` if not every item needs to have it."""
        if not self._all_readings:
            return [take(spot) for spot in spots]
        taken: list[_Found] = []
        for spot in spots:
            try:
                taken.append(take(spot))
            except PathError as error:
                taken.append(_Nowhere(error))
        return taken

    def _either(self, spots: Sequence[_Found], take: Callable[[_Found], _Found], *more: _Found) -> _Found:
        return _Either([*more, *self._each(spots, take)])


def _maps(step: Step | Index) -> bool:
    return step is Every.ITEM or (isinstance(step, Indexed) and step.indexes[-1:] == (Every.ITEM,))


def contents_in_words(data: Any) -> str:
    """Return what a value has or is, as the end of a sentence, without showing it: it may be a secret."""
    if not (is_mapping(data) or is_list(data)):
        return f"is {kind_in_words(data)}"
    if not data:
        return "is empty"
    if is_list(data):
        return "has 1 item" if len(data) == 1 else f"has {len(data)} items"
    keys = [str(key) for key in data]
    more = f" and {len(keys) - _MOST_KEYS_SHOWN} more" if len(keys) > _MOST_KEYS_SHOWN else ""
    return f"has {', '.join(keys[:_MOST_KEYS_SHOWN])}{more}"


def kind_in_words(data: Any) -> str:
    """Name what a value is without showing it: it may be a secret."""
    match data:
        case dict():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case _:
            return "a text"


def _shown(place: _Path) -> str:
    shown = ""
    for step in place[:-1] if place[-1:] == (_OWN_SEGMENT,) else place:
        match step:
            case str():
                shown += f":{step}" if shown else step
            case Indexed(key, indexes):
                shown += ":" if shown else ""
                shown += (key or "") + "".join(map(_in_brackets, indexes))
            case _:
                shown += _in_brackets(step)
    return f"{shown!r}" if shown else "new_state"


def _as_index(place: _Path, key: str) -> str:
    """Return how to write a number that was meant as the index of a list, as the end of a sentence."""
    if place[-1:] != (Every.ITEM,) or not key.isdecimal():
        return ""
    return f" (for one item, write `{_shown(place[:-1]).strip(chr(39))}[{key}]`)"


def _in_brackets(index: Index) -> str:
    return "[*]" if index is Every.ITEM else f"[{index}]"
