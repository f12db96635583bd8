"""Values that are marked to be joined: what `!aggregate` of the `yamlex` renderer means.

Of two values under one key the later one counts, as everywhere, unless both are marked. Marked mappings
are merged; the new items of a later marked list are appended to the earlier list.

Source: Salt's `aggregate` merging strategy, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ensue.core.model.data import copied, is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping


class AggregatedMap(dict[Any, Any]):
    """A mapping that is merged with another one of its kind."""


class AggregatedList(list[Any]):
    """A list that is joined with another one of its kind."""


Aggregated: TypeAlias = AggregatedMap | AggregatedList


def aggregated(value: Any) -> Aggregated:
    """Return a value with the mark; anything but a mapping or a list becomes a list of one item."""
    if isinstance(value, (AggregatedMap, AggregatedList)):
        return value
    if is_mapping(value):
        return AggregatedMap(value)
    return AggregatedList(value if is_list(value) else () if value is None else (value,))


def aggregate(first: Any, second: Any) -> Any:
    """Return the result of two values under one key; neither is changed."""
    if is_mapping(first) and is_mapping(second):
        both = isinstance(first, AggregatedMap) and isinstance(second, AggregatedMap)
        # Without a mark on both, the later mapping replaces the earlier; marked values inside it are joined.
        base = first if both else {}
        joined = {key: aggregate(first[key], value) for key, value in second.items() if key in first}
        return type(second)({**base, **second, **joined})
    if isinstance(first, AggregatedList) and isinstance(second, AggregatedList):
        return AggregatedList([*first, *(item for item in second if item not in first)])
    return second


def aggregate_mappings(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return two mappings merged as if both were marked."""
    return dict(aggregate(AggregatedMap(first), AggregatedMap(second)))


def unmarked(value: Any) -> Any:
    """Return a value without any marks."""
    return copied(value)
