"""Bounds on every text that is read as data: how deep it is nested, and how much larger aliases make it.

A YAML text of one kilobyte can stand for more values than memory holds, because each alias counts as all that
its anchor holds (a "YAML bomb"). Readers share what is aliased, so it is the first copy, dump or comparison
that never ends. The same is true of data that a program made. What is here walks values once each,
without recursion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MOST_LEVELS: Final = 310
"""The deepest nesting of lists and mappings that hold something, aliases expanded.

What is done with data takes up to three calls per level, and Python allows a thousand within each other.
"""

MOST_ADDED_VALUES: Final = 1_000_000
"""How many values a text may stand for beyond those that are written in it."""

_VALUE_CHARS: Final = 100
"""A text counts as one value more per so many characters."""

_SCALARS: Final[frozenset[type]] = frozenset({int, float, bool, type(None)})


class DataBoundError(ValueError):
    """Data that is beyond a bound.

    Args:
        message: which bound, in words for a user.
        node: the list or mapping that is beyond it.
    """

    def __init__(self, message: str, node: Any) -> None:
        self.node = node
        super().__init__(message)


class TooDeepError(DataBoundError):
    """Lists and mappings are nested in more than `MOST_LEVELS` levels."""

    def __init__(self, node: Any = None) -> None:
        super().__init__(f"lists and mappings are nested more than {MOST_LEVELS} levels deep", node)


class CircularError(DataBoundError):
    """A list or mapping holds itself."""

    def __init__(self, node: Any = None) -> None:
        super().__init__("a list or mapping holds itself", node)


class TooLargeError(DataBoundError):
    """Values that are shared count as more than `MOST_ADDED_VALUES` further ones."""

    def __init__(self, node: Any = None) -> None:
        message = f"values that are used several times add more than {MOST_ADDED_VALUES:,} to what is written"
        super().__init__(message, node)


def check_bounds(root: Any, look: Callable[[Any], Iterable[Any] | int]) -> int:
    """Refuse data that is too deep, holds itself, or is too large once shared values are counted per use.

    Args:
        root: a value.
        look: returns what a list or mapping holds, and of any other value its `weight`.

    Returns:
        How many values it is.

    Raises:
        DataBoundError: it is beyond a bound.
    """
    below = look(root)
    if isinstance(below, int):
        return below
    walk = _Walk()
    walk.enter(root, below)
    while walk.way:
        here = walk.way[-1]
        child = next(here.children, walk)
        if child is walk:
            walk.leave()
        elif id(child) in walk.known:
            walk.meet_again(child)
        elif isinstance(below := look(child), int):
            walk.written += below
            here.size += below
            if below > 1:
                walk.known[id(child)] = (below, 0)
        else:
            walk.enter(child, below)
    return walk.size


def check_data(value: Any) -> int:
    """Refuse data of lists, mappings and scalars that is beyond a bound.

    Returns:
        How many values it is; a long text counts as several.

    Raises:
        DataBoundError: it is beyond a bound.
    """
    # Most of what states return is one flat mapping: a walk would take ten times as long as this.
    return _flat_size(value) or check_bounds(value, _look)


def _flat_size(value: Any) -> int:
    """Return how many values a mapping of short texts and numbers is; 0 for anything else."""
    if value.__class__ is not dict:
        return 0
    for one in value.values():
        if one.__class__ is str:
            if len(one) >= _VALUE_CHARS:
                return 0
        elif one.__class__ not in _SCALARS:
            return 0
    return 1 + len(value)


def weight(text: str) -> int:
    """Return how many values a text counts as."""
    return 1 + len(text) // _VALUE_CHARS


class _Open:
    """A list or mapping that is being walked, and what is known of it so far."""

    __slots__ = ("children", "levels", "node", "size")

    def __init__(self, node: Any, children: Iterable[Any]) -> None:
        self.node = node
        self.children: Iterator[Any] = iter(children)
        self.size = 1
        self.levels = 1


class _Walk:
    """A walk over data: the way to where it is, and by id the size and levels of what it has seen whole."""

    def __init__(self) -> None:
        self.way: list[_Open] = []
        self.known: dict[int, tuple[int, int] | None] = {}
        self.written = 0
        self.size = 0

    def enter(self, node: Any, children: Iterable[Any]) -> None:
        if len(self.way) == MOST_LEVELS:
            raise TooDeepError(node)
        # What is on the way is known by id, and nothing more.
        self.known[id(node)] = None
        self.written += 1
        self.way.append(_Open(node, children))

    def leave(self) -> None:
        left = self.way.pop()
        if left.size - self.written > MOST_ADDED_VALUES:
            raise TooLargeError(left.node)
        self.known[id(left.node)] = (left.size, left.levels)
        self._take(left.size, left.levels)

    def meet_again(self, node: Any) -> None:
        known = self.known[id(node)]
        if known is None:
            raise CircularError(node)
        size, levels = known
        if len(self.way) + levels > MOST_LEVELS:
            raise TooDeepError(self.way[-1].node)
        self._take(size, levels)

    def _take(self, size: int, levels: int) -> None:
        if not self.way:
            self.size = size
        else:
            holder = self.way[-1]
            holder.size += size
            holder.levels = max(holder.levels, levels + 1)


def _look(value: Any) -> Iterable[Any] | int:
    if isinstance(value, dict):
        return value.values() or 1  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] # of anything
    if isinstance(value, (list, tuple)):
        return value or 1  # pyright: ignore[reportUnknownVariableType] # of anything
    return weight(value) if isinstance(value, str) else 1
