"""Filters over lists: without duplicates, as sets, flat, sorted, counted, averaged.

Source: Salt's `jinja` and `data` utilities, 3008; results measured there, code our own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list
from ensue.language.jinja.filters.kinds import is_hashable, is_iterable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


def unique(values: Any) -> Any:
    """Return a list without duplicates, in its order; for text or a tuple, a set of its items."""
    if is_hashable(values):
        return set(_items(values))
    try:
        return list(dict.fromkeys(values))
    except TypeError:  # Lists of lists and of mappings allow only a linear search.
        values_: list[Any] = []
        for value in values:
            if value not in values_:
                values_.append(value)
        return values_


def union(left: Any, right: Any) -> Any:
    """Return the items of either list without duplicates; for two tuples, a set."""
    if _both_hashable(left, right):
        return set(left) | set(right)
    return unique(left + right)


def intersect(left: Any, right: Any) -> Any:
    """Return the items in both lists without duplicates; for two tuples, a set."""
    if _both_hashable(left, right):
        return set(left) & set(right)
    within = _membership(right)
    return unique([value for value in left if within(value)])


def difference(left: Any, right: Any) -> Any:
    """Return the items only in the first list, without duplicates; for two tuples, a set."""
    if _both_hashable(left, right):
        return set(left) - set(right)
    within = _membership(right)
    return unique([value for value in left if not within(value)])


def symmetric_difference(left: Any, right: Any) -> Any:
    """Return the items in exactly one of the lists, without duplicates; for two tuples, a set."""
    if _both_hashable(left, right):
        return set(left) ^ set(right)
    in_left, in_right = _membership(left), _membership(right)
    return unique([value for value in left + right if in_left(value) != in_right(value)])


def flatten(values: Any, levels: int | None = None, preserve_nulls: bool = False) -> list[Any]:
    """Return a list with nested lists replaced by their items.

    Args:
        values: the list; a mapping in it is replaced by its keys.
        levels: the depth; None flattens all levels.
        preserve_nulls: whether to keep `None`, and the texts `None` and `null`.

    Raises:
        ValueError: a list contains itself.
    """
    return list(_flat(values, levels, keep_nulls=preserve_nulls, above=()))


def average(values: Any) -> float:
    """Return the mean of a list of numbers; for a single number, that number."""
    if is_hashable(values):
        return float(_items(values))
    return float(sum(values) / len(values))


def exactly_n_true(values: Iterable[Any], amount: int = 1) -> bool:
    """Return whether exactly `amount` items are true."""
    return sum(1 for value in values if value) == amount


def exactly_one_true(values: Iterable[Any]) -> bool:
    """Return whether exactly one item is true."""
    return exactly_n_true(values)


def largest(values: Iterable[Any]) -> Any:
    """Return the largest item; unlike Jinja's `max`, with regard to case and an error for an empty list."""
    return max(values)


def smallest(values: Iterable[Any]) -> Any:
    """Return the smallest item; unlike Jinja's `min`, with regard to case and an error for an empty list."""
    return min(values)


def sorted_ignorecase(values: Iterable[str]) -> list[str]:
    """Return texts sorted without regard to case."""
    return sorted(values, key=str.lower)


def substring_in_list(text: str, values: Iterable[str]) -> bool:
    """Return whether one of the texts in a list contains a text."""
    return any(text in value for value in values)


def sequence(value: Any) -> Any:
    """Return a list, tuple, set or mapping unchanged, and anything else as a list of one item."""
    return _items(value) if isinstance(value, (list, tuple, set, dict)) else [value]


def is_iter(value: Any, ignore: Any = (str,)) -> bool:
    """Return whether a value can be iterated over and is not text."""
    return not (ignore and isinstance(value, ignore)) and is_iterable(value)


def _flat(
    values: Iterable[Any], levels: int | None, *, keep_nulls: bool, above: tuple[int, ...]
) -> Iterator[Any]:
    if id(values) in above:
        raise ValueError("flatten: a list contains itself")
    for value in values:
        if not keep_nulls and value in (None, "None", "null"):
            continue
        if is_iter(value) and (levels is None or levels >= 1):
            deeper = None if levels is None else levels - 1
            yield from _flat(value, deeper, keep_nulls=keep_nulls, above=(*above, id(values)))
        else:
            yield value


def _membership(values: Iterable[Any]) -> Callable[[Any], bool]:
    """Return a function that tests for membership; quick if all values are hashable."""
    listed = list(values)
    try:
        quick = frozenset(listed)
    except TypeError:
        return lambda value: value in listed
    return lambda value: value in (quick if is_hashable(value) else listed)


def _both_hashable(left: Any, right: Any) -> bool:
    return is_hashable(left) and is_hashable(right)


def _items(value: Any) -> Any:
    """Return a value with its type widened for type checkers."""
    return value


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "avg": average,
    "difference": difference,
    "exactly_n_true": exactly_n_true,
    "exactly_one_true": exactly_one_true,
    "flatten": flatten,
    "intersect": intersect,
    "is_iter": is_iter,
    "is_list": is_list,
    "max": largest,
    "min": smallest,
    "sequence": sequence,
    "sorted_ignorecase": sorted_ignorecase,
    "substring_in_list": substring_in_list,
    "symmetric_difference": symmetric_difference,
    "union": union,
    "unique": unique,
}
"""Filters by the name that templates use."""
