"""Text that an author wrote, marked as such: the provenance of a value decides what a template may print.

The mark is the class of the text, so the value itself carries it: a constant of a template, a text of pillar
or of `ensue.yaml`. It passes on with the object, through variables, mappings, filters such as `default`, and
functions that select or merge. What is made of authored texts alone is authored, too. Every operation that
mixes in another text returns ordinary text, as does every operation that this module does not know.

Numbers are neutral: their text cannot change the structure of a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.printed_text import MOST_LEVELS, Written

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

_NEUTRAL: Final = frozenset((int, float, bool, type(None)))
_HOLDERS: Final = (dict, list, tuple, set, frozenset)


class Authored(Written):
    """Text that an author wrote."""

    __slots__ = ()

    def __add__(self, other: str) -> str:
        """Return both texts, authored if both are."""
        return made_of(str.__add__(self, other), (self, other))

    def __mod__(self, values: Any) -> str:
        """Return the text with values filled in, authored if all of them are."""
        given: Any = values.values() if is_mapping(values) else values
        is_several = is_mapping(values) or isinstance(values, tuple)
        parts: tuple[Any, ...] = tuple(given) if is_several else (given,)
        return made_of(str.__mod__(self, values), (self, *parts))

    def __mul__(self, times: Any) -> str:
        """Return the text several times."""
        return made_of(str.__mul__(self, times), (self,))

    def __rmul__(self, times: Any) -> str:
        """Return the text several times."""
        return made_of(str.__rmul__(self, times), (self,))

    def __copy__(self) -> Authored:
        """Return this text, which cannot change."""
        return self

    def __deepcopy__(self, memo: Any) -> Authored:
        """Return this text, which cannot change."""
        return self

    def __reduce__(self) -> Any:
        """Return how to make it elsewhere: as ordinary text, since marks hold within one process."""
        return (str, (str(self),))

    def join(self, texts: Iterable[str], /) -> str:
        """Return texts with this one between them, authored if all of them are."""
        items = list(texts)
        return made_of(str.join(self, items), (self, *items))


def _kept(name: str) -> Callable[..., Any]:
    """Return a method of text whose result is authored if all its arguments are."""
    method = getattr(str, name)

    def kept(self: Authored, *args: Any, **options: Any) -> Any:
        returned = method(self, *args, **options)
        if not (are_authored(args) and are_authored(options.values())):
            return returned
        if isinstance(returned, str):
            return made_of(returned, (*args, *options.values()))
        return type(returned)(map(Authored, returned))

    kept.__name__, kept.__doc__ = name, method.__doc__
    return kept


for _name in (
    *("capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip", "partition"),
    *("removeprefix", "removesuffix", "replace", "rjust", "rpartition", "rsplit", "rstrip", "split"),
    *("splitlines", "strip", "swapcase", "title", "upper", "zfill"),
):
    setattr(Authored, _name, _kept(_name))


# Messages of Jinja name the class of a value; to an author, this is a text like any other.
Authored.__name__ = Authored.__qualname__ = "str"
Authored.__module__ = "builtins"


def are_authored(values: Iterable[Any]) -> bool:
    """Return whether each of some values is authored text or a number, or data of nothing else."""
    return all(map(is_authored, values))


def is_authored(value: Any) -> bool:
    """Return whether a value is authored text or a number, or data whose keys and values all are."""
    # Each list and mapping is looked into once: data may contain itself, and share what it contains.
    seen: set[int] = set()
    pending = [value]
    while pending:
        part = pending.pop()
        if part.__class__ is Authored or part.__class__ in _NEUTRAL or isinstance(part, Authored):
            continue
        if not isinstance(part, _HOLDERS):
            return False
        if id(part) not in seen:  # pyright: ignore[reportUnknownArgumentType] # of anything
            seen.add(id(part))  # pyright: ignore[reportUnknownArgumentType] # as above
            pending.extend((*part, *part.values()) if is_mapping(part) else part)  # pyright: ignore[reportUnknownArgumentType] # as above
    return True


def authored_levels(value: Any, most: int = MOST_LEVELS, *, extends: bool = True) -> int:
    """Return how many levels of mappings, from the outside, have only keys that an author wrote.

    Args:
        value: any data; a scalar has no keys of the run.
        most: the largest result.
        extends: whether what `extend` changes is one level deeper.
    """
    if most and is_mapping(value):
        keys: list[Any] = list(value)
        if not all(key.__class__ in _NEUTRAL or isinstance(key, Authored) for key in keys):
            return 0
        return min(
            (
                authored_levels(value[key], most, extends=False)
                if extends and key == "extend"
                else 1 + authored_levels(value[key], most - 1, extends=False)
                for key in keys
            ),
            default=most,
        )
    if most and isinstance(value, _HOLDERS):
        items: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType] # of anything
        return min(
            (authored_levels(item, most, extends=extends) for item in items if is_mapping(item)), default=most
        )
    return most


def authored(value: Any) -> Any:
    """Return data in which every text is authored; nothing is changed in place."""
    if isinstance(value, str):
        return Authored(value)
    if is_mapping(value):
        return {authored(key): authored(item) for key, item in value.items()}
    return [authored(item) for item in value] if is_list(value) else value


def made_of(text: str, parts: Collection[Any]) -> str:
    """Return text made of some parts: authored if all of them are, and of a special class if one is.

    Args:
        text: the text; what `str` returns to refuse an operation passes unchanged.
        parts: what it is made of.
    """
    if not isinstance(text, str) or not are_authored(parts):  # pyright: ignore[reportUnnecessaryIsInstance] # as above
        return text
    kind: type[Authored] = next((part.__class__ for part in parts if _is_special(part)), Authored)
    return kind(text)


def _is_special(value: Any) -> bool:
    return isinstance(value, Authored) and value.__class__ is not Authored
