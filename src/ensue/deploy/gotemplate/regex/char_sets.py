"""Sets of characters: classes, Unicode categories, and case folding.

Source: the documentation of Go's `regexp/syntax`; Unicode's simple case folding.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

Range: TypeAlias = tuple[int, int]

LAST: Final = 0x10FFFF
"""The last code point."""

_LAST_CASED: Final = 0x1FFFF
"""No code point beyond it has a case."""

_DIGITS: Final = ((0x30, 0x39),)
_WORD: Final = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
PERL_CLASSES: Final[Mapping[str, tuple[Range, ...]]] = {
    "d": _DIGITS,
    "s": ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20)),
    "w": _WORD,
}
"""Classes by the letter behind a backslash."""

POSIX_CLASSES: Final[Mapping[str, tuple[Range, ...]]] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": _DIGITS,
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": ((0x41, 0x5A),),
    "word": _WORD,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}
"""Classes by the name in `[[:name:]]`."""

CATEGORIES: Final = frozenset(
    [
        *("Any", "C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N"),
        *("Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z"),
        *("Zl", "Zp", "Zs"),
    ]
)
r"""The general categories of Unicode that `\p{…}` may name; scripts are not supported."""


class CharClassPart:
    r"""A part of a class, such as `a-z`, `\D` or `\p{Lu}`.

    Args:
        ranges: the code points from and to, both included.
        category: a general category of Unicode; empty for none.
        is_negated: whether the part has the other characters.
    """

    __slots__ = ("_category", "_is_negated", "_ranges")

    def __init__(self, ranges: Iterable[Range] = (), *, category: str = "", is_negated: bool = False) -> None:
        self._ranges = tuple(ranges)
        self._category = category
        self._is_negated = is_negated

    def has(self, folded: Collection[str]) -> bool:
        """Return whether one of the forms of a character is in the part.

        Args:
            folded: the character, and with `(?i)` its other cases.
        """
        return any(map(self._holds, folded)) != self._is_negated

    def _holds(self, char: str) -> bool:
        if self._category:
            return _is_in_category(char, self._category)
        code = ord(char)
        return any(first <= code <= last for first, last in self._ranges)


class CharSet:
    """The characters that one step of an expression accepts.

    Args:
        parts: the parts.
        is_negated: whether it has the characters that are in no part.
        ignores_case: whether a character also counts in its other cases.
    """

    __slots__ = ("_ignores_case", "_is_negated", "_known", "_parts", "only")

    def __init__(
        self, parts: Iterable[CharClassPart], *, is_negated: bool = False, ignores_case: bool = False
    ) -> None:
        self._parts = tuple(parts)
        self._is_negated = is_negated
        self._ignores_case = ignores_case
        self._known: dict[str, bool] = {}
        self.only = ""
        """Its only character, if it has been made by `one_char` with regard to case."""

    def has(self, char: str) -> bool:
        """Return whether a character is in the set."""
        known = self._known.get(char)
        if known is None:
            folded = other_cases(char) if self._ignores_case else (char,)
            known = any(part.has(folded) for part in self._parts) != self._is_negated
            self._known[char] = known
        return known


def one_char(code: int, *, ignores_case: bool) -> CharSet:
    """Return the set of a single character.

    Args:
        code: its code point.
        ignores_case: whether its other cases are in the set.
    """
    chars = CharSet([CharClassPart([(code, code)])], ignores_case=ignores_case)
    chars.only = "" if ignores_case else chr(code)
    return chars


def other_cases(char: str) -> Collection[str]:
    """Return a character and the characters that differ from it only in case."""
    return _orbits().get(_folded(char), (char,)) if ord(char) <= _LAST_CASED else (char,)


@lru_cache(maxsize=1)
def _orbits() -> Mapping[str, tuple[str, ...]]:
    chars: defaultdict[str, list[str]] = defaultdict(list)
    for char in map(chr, range(_LAST_CASED + 1)):
        chars[_folded(char)].append(char)
    return {folded: tuple(cases) for folded, cases in chars.items() if len(cases) > 1}


def _folded(char: str) -> str:
    # The full folding of some characters is several; their simple folding is the lower case, if that is one.
    folded = char.casefold()
    if len(folded) > 1:
        folded = char.lower()
    return folded if len(folded) == 1 else char


def _is_in_category(char: str, name: str) -> bool:
    category = unicodedata.category(char)
    return name == "Any" or (category.startswith(name) and category != "Cn")
