"""Limits for every text that is read as data: its nesting depth, and its size with aliases expanded.

A YAML text of one kilobyte can expand to more values than fit in memory, because each alias repeats the
content of its anchor (a "YAML bomb"). Parsers share aliased values, so it is the first copy, dump or
comparison that never ends. Data from a program may have the same problem. These checks visit each value once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

MOST_LEVELS: Final = 310
"""The deepest nesting of lists and mappings that are not empty, with aliases expanded.

Functions on data need up to three nested calls per level, and Python allows a thousand nested calls.
"""

MOST_ADDED_VALUES: Final = 1_000_000
"""The most values that aliases may add to those written in a text."""

MOST_DIGITS: Final = 4300
"""The longest integer, in decimal digits: Python refuses to turn a longer one into text."""

_BEYOND: Final = 10**MOST_DIGITS
"""The first integer that is too long."""

_VALUE_CHARS: Final = 100
"""A text counts as one more value per so many characters."""

_SMALL: Final = 1000
_SMALL_LEVELS: Final = 20
_SCALARS: Final[frozenset[type]] = frozenset({int, float, bool, type(None)})


class DataBoundError(ValueError):
    """Data that exceeds a limit.

    Args:
        message: the limit, in words for a user.
        node: the list or mapping that exceeds it.
    """

    def __init__(self, message: str, node: Any) -> None:
        self.node = node
        super().__init__(message)


class TooDeepError(DataBoundError):
    """Lists and mappings are nested in more than `MOST_LEVELS` levels."""

    def __init__(self, node: Any = None) -> None:
        super().__init__(f"lists and mappings are nested more than {MOST_LEVELS} levels deep", node)


class CircularError(DataBoundError):
    """A list or mapping contains itself."""

    def __init__(self, node: Any = None) -> None:
        super().__init__("a list or mapping holds itself", node)


class TooLargeError(DataBoundError):
    """Shared values count as more than `MOST_ADDED_VALUES` further ones."""

    def __init__(self, node: Any = None) -> None:
        message = f"values that are used several times add more than {MOST_ADDED_VALUES:,} to what is written"
        super().__init__(message, node)


class TooLongNumberError(DataBoundError):
    """An integer has more digits than Python turns into text."""

    def __init__(self) -> None:
        super().__init__(f"an integer has more than {MOST_DIGITS:,} digits", None)


class WalkKind(msgspec.Struct, frozen=True):
    """How values of one kind are walked: the data itself, or the nodes of a text that is not yet data.

    Args:
        holders: the classes of lists and mappings.
        members: returns the members of one of them.
        weight: returns how many values any other value counts as.
    """

    holders: tuple[type, ...]
    members: Callable[[Any], Collection[Any]]
    weight: Callable[[Any], int]


def check_bounds(root: Any, kind: WalkKind) -> int:
    """Refuse values that are too deep, contain themselves, or are too large (shared values count per use).

    Args:
        root: a value.
        kind: how values of its kind are walked.

    Returns:
        The number of values.

    Raises:
        DataBoundError: it exceeds a limit.
    """
    if not isinstance(root, kind.holders):
        return kind.weight(root)
    return _BoundsWalk(kind).measure(root, 1)[0]


def check_data(value: Any) -> int:
    """Refuse data of lists, mappings and scalars that exceeds a limit.

    Returns:
        The number of values; a long text counts as several.

    Raises:
        DataBoundError: it exceeds a limit.
    """
    # Nearly everything that states return is small, and small data exceeds no limit.
    small = _small_size(value, _SMALL_LEVELS)
    return small if small <= _SMALL else check_bounds(value, _DATA)


def check_levels(value: Any) -> None:
    """Refuse data that is nested too deep; nothing in it occurs twice, as in the data of a JSON text.

    Raises:
        TooDeepError: it is nested too deep.
    """
    holders: list[Any] = [value] if isinstance(value, (dict, list)) else []
    level = 0
    while holders:
        level += 1
        inside = [inner for holder in holders if (inner := _members(holder))]
        if inside and level > MOST_LEVELS:
            raise TooDeepError(value)
        holders = [member for members in inside for member in members if isinstance(member, (dict, list))]


def weight(text: str) -> int:
    """Return how many values a text counts as."""
    return 1 + len(text) // _VALUE_CHARS


class _BoundsWalk:
    """One walk; it keeps size and levels of finished lists and mappings by id, None for unfinished ones."""

    def __init__(self, kind: WalkKind) -> None:
        self._kind = kind
        self._known: dict[int, tuple[int, int] | None] = {}
        self._written = 0

    def measure(self, node: Any, level: int) -> tuple[int, int]:
        """Return the number of values in a list or mapping, and its number of levels.

        Args:
            node: the list or mapping.
            level: the level that it is on, from 1.
        """
        kind, known = self._kind, self._known
        inside = kind.members(node)
        if inside and level > MOST_LEVELS:
            raise TooDeepError(node)
        known[id(node)] = None
        self._written += 1
        size, deepest = 1, 0
        for member in inside:
            if not isinstance(member, kind.holders):
                weight = kind.weight(member)
                size += weight
                if weight == 1:
                    self._written += 1
                elif id(member) not in known:
                    self._written += weight
                    known[id(member)] = (weight, 0)
                continue
            more, levels = (
                self._again(node, member, level) if id(member) in known else self.measure(member, level + 1)
            )
            size += more
            deepest = max(deepest, levels)
        if size - self._written > MOST_ADDED_VALUES:
            raise TooLargeError(node)
        known[id(node)] = measured = (size, deepest + 1 if inside else 0)
        return measured

    def _again(self, holder: Any, node: Any, level: int) -> tuple[int, int]:
        measured = self._known[id(node)]
        if measured is None:
            raise CircularError(node)
        if level + measured[1] > MOST_LEVELS:
            raise TooDeepError(holder)
        return measured


def _small_size(value: Any, levels: int) -> int:
    """Return the number of values of small data; for other data a number above `_SMALL`, found quickly."""
    if value.__class__ is dict:
        value = value.values()
    elif value.__class__ is not list:
        return _scalar_size(value)
    size = 1
    for item in value:
        if item.__class__ is str:
            size += 1 + len(item) // _VALUE_CHARS
        elif item.__class__ in _SCALARS:
            size += _scalar_size(item)
        elif levels:
            size += _small_size(item, levels - 1)
        else:
            return _SMALL + 1
        if size > _SMALL:
            return size
    return size


def _scalar_size(value: Any) -> int:
    if value.__class__ is int and not -_BEYOND < value < _BEYOND:
        return _SMALL + 1
    return 1 if value.__class__ in _SCALARS else _SMALL + 1


def _members(value: Any) -> Collection[Any]:
    return value.values() if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] # of anything


def _weight(value: Any) -> int:
    if isinstance(value, int) and not -_BEYOND < value < _BEYOND:
        raise TooLongNumberError
    return weight(value) if isinstance(value, str) else 1


_DATA: Final = WalkKind((dict, list, tuple), _members, _weight)
