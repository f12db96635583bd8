"""Parsed target expressions: a closed union of frozen nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator


class Word(msgspec.Struct, frozen=True):
    """A word: a bare glob or id, or a letter, `@`, and its pattern.

    Args:
        engine: the letter (`T M G P E L I J S R N`), empty for a bare word.
        pattern: the text after it.
        column: where the word begins, from 1.
        delimiter: separates the keys of a `G P I J` pattern (`G|@url|https://*`).
    """

    engine: str
    pattern: str
    column: int = 1
    delimiter: str = ":"


class Not(msgspec.Struct, frozen=True):
    """Matches if the operand does not."""

    operand: Target


class And(msgspec.Struct, frozen=True):
    """Matches if all operands match."""

    operands: tuple[Target, ...]


class Or(msgspec.Struct, frozen=True):
    """Matches if at least one operand does."""

    operands: tuple[Target, ...]


Target: TypeAlias = "Word | Not | And | Or"
"""A target expression."""

_READS_GRAINS: Final = frozenset("GPSN")


def reads_grains(target: Target) -> bool:
    """Return whether matching a target may require grains; a nodegroup is assumed to require them."""
    return any(word.engine in _READS_GRAINS for word in words_of(target))


def words_of(target: Target) -> list[Word]:
    """Return all words of a target, in the order in which they are written."""
    return list(_words(target))


def _words(target: Target) -> Iterator[Word]:
    match target:
        case Word():
            yield target
        case Not():
            yield from _words(target.operand)
        case And() | Or():
            for operand in target.operands:
                yield from _words(operand)
        case _:
            assert_never(target)
