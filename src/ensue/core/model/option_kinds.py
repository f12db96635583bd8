"""The kinds of values that options of `ensue.yaml` and state options take.

A kind checks a value and describes the values it takes. It knows neither names nor places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.near_names import near_question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class OptionMisfit(NamedTuple):
    """A value that does not fit its kind.

    Args:
        keys: the path to it within the checked value; empty for the value itself.
        value: the wrong value.
        takes: the values it takes, as a sentence.
        question: whether a near word was meant; empty: none is near.
        is_key: whether the key is wrong, and not its value.
    """

    keys: tuple[str | int, ...]
    value: Any
    takes: str
    question: str = ""
    is_key: bool = False

    @property
    def help(self) -> str:
        """What to write instead."""
        return "; ".join(filter(None, (self.takes, self.question)))


class OptionKind(Protocol):
    """A kind of value."""

    @property
    def takes(self) -> str:
        """The values it takes, as words that follow `it takes`."""
        ...

    def misfits(self, value: Any) -> Iterator[OptionMisfit]:
        """Yield all misfits of a value."""
        ...


class OneOf(msgspec.Struct, frozen=True):
    """A value of some types.

    Args:
        takes: the values it takes, in words.
        types: Python types; `bool` is no `int` here.
        fits: a further check of the value.
        bounds: used instead of `takes` for a value of the right type that `fits` refuses; empty: `takes`.
        lowest: the lowest number that `fits` accepts; None: `fits` has another rule.
    """

    takes: str
    types: tuple[type, ...]
    fits: Callable[[Any], bool] | None = None
    bounds: str = ""
    lowest: int | None = None

    def misfits(self, value: Any) -> Iterator[OptionMisfit]:
        """Yield the value if it does not fit."""
        is_typed = bool in self.types if isinstance(value, bool) else isinstance(value, self.types)
        if not is_typed:
            yield OptionMisfit((), value, f"it takes {self.takes}")
        elif self.fits is not None and value is not None and not self.fits(value):
            yield OptionMisfit((), value, f"it takes {self.bounds or self.takes}")


class WordOption(msgspec.Struct, frozen=True):
    """One of some words.

    Args:
        words: all of them.
    """

    words: tuple[str, ...]

    @property
    def takes(self) -> str:
        """The words it takes."""
        return f"one of {', '.join(self.words)}"

    def misfits(self, value: Any) -> Iterator[OptionMisfit]:
        """Yield the value if it is none of the words; the help asks whether a near word was meant."""
        if value not in self.words:
            meant = near_question(value, self.words) if isinstance(value, str) else ""
            yield OptionMisfit((), value, f"it takes {self.takes}", meant)


class ListOf(msgspec.Struct, frozen=True):
    """A list of values of one kind.

    Args:
        takes: the values it takes, in words.
        kind: the kind of its items.
    """

    takes: str
    kind: OptionKind

    def misfits(self, value: Any) -> Iterator[OptionMisfit]:
        """Yield the value if it is not a list, else the items that do not fit."""
        if not is_list(value):
            yield OptionMisfit((), value, f"it takes {self.takes}")
            return
        for index, item in enumerate(value):
            yield from _below(index, self.kind.misfits(item))


class MappingOf(msgspec.Struct, frozen=True):
    """A mapping of any keys to values of one kind.

    Args:
        takes: the values it takes, in words.
        kind: the kind of its values.
    """

    takes: str
    kind: OptionKind

    def misfits(self, value: Any) -> Iterator[OptionMisfit]:
        """Yield the value if it is not a mapping, else the values that do not fit."""
        if not is_mapping(value):
            yield OptionMisfit((), value, f"it takes {self.takes}")
            return
        for key, item in value.items():
            yield from _below(str(key), self.kind.misfits(item))


class KnownKeys(msgspec.Struct, frozen=True):
    """A mapping of known keys.

    Args:
        takes: the values it takes, in words.
        kinds: the kinds of its values by key.
    """

    takes: str
    kinds: Mapping[str, OptionKind]

    def misfits(self, value: Any) -> Iterator[OptionMisfit]:
        """Yield the value if it is not a mapping, else its unknown keys and the values that do not fit."""
        if not is_mapping(value):
            yield OptionMisfit((), value, f"it takes {self.takes}")
            return
        for key, item in value.items():
            if key in self.kinds:
                yield from _below(str(key), self.kinds[key].misfits(item))
                continue
            import difflib

            near = difflib.get_close_matches(str(key), self.kinds, n=1)
            known = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(self.kinds)}"
            yield OptionMisfit((str(key),), item, f"there is no such key: {known}", is_key=True)


class Variants(msgspec.Struct, frozen=True):
    """A mapping whose other keys depend on the word under one of them.

    Args:
        takes: the values it takes, in words.
        key: the key whose word selects the variant.
        kinds: the kinds of the other keys, by the word.
        required: the required keys, by the word.
    """

    takes: str
    key: str
    kinds: Mapping[str, Mapping[str, OptionKind]]
    required: Mapping[str, tuple[str, ...]]

    def misfits(self, value: Any) -> Iterator[OptionMisfit]:
        """Yield the value if it is not a mapping, else an unknown word, or the misfits of the keys."""
        if not is_mapping(value):
            yield OptionMisfit((), value, f"it takes {self.takes}")
            return
        word = value.get(self.key)
        if not isinstance(word, str) or word not in self.kinds:
            yield OptionMisfit((self.key,), word, f"it takes one of {', '.join(self.kinds)}")
            return
        known = {self.key: WordOption(tuple(self.kinds)), **self.kinds[word]}
        yield from KnownKeys(self.takes, known).misfits(value)
        for key in self.required.get(word, ()):
            if key not in value:
                yield OptionMisfit((self.key,), word, f"it needs `{key}` beside it: {known[key].takes}")


class Either(msgspec.Struct, frozen=True):
    """A value of one of several shapes, told apart by its type.

    Args:
        takes: the values it takes, in words.
        shapes: the kind by the type of the value.
    """

    takes: str
    shapes: Mapping[type, OptionKind]

    def misfits(self, value: Any) -> Iterator[OptionMisfit]:
        """Yield the misfits of the value, checked as the kind that belongs to its type."""
        kind = next((kind for type_, kind in self.shapes.items() if isinstance(value, type_)), None)
        if kind is None:
            yield OptionMisfit((), value, f"it takes {self.takes}")
        else:
            yield from kind.misfits(value)


def whole_number(lowest: int) -> OneOf:
    """Return the kind of whole numbers from a lowest one on."""
    return OneOf(f"a number from {lowest}", (int,), lambda value: value >= lowest, lowest=lowest)


def _below(key: str | int, misfits: Iterator[OptionMisfit]) -> Iterator[OptionMisfit]:
    for misfit in misfits:
        yield misfit._replace(keys=(key, *misfit.keys))
