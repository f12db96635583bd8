"""What a target expression is once it is parsed: a closed union of frozen nodes."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Word(msgspec.Struct, frozen=True):
    """A word: a bare glob or id, or a letter, `@`, and its pattern.

    Args:
        engine: the letter (`T M G P E L I J S R N`), empty for a bare word.
        pattern: what follows.
        column: where the word begins, from 1.
    """

    engine: str
    pattern: str
    column: int = 1


class Not(msgspec.Struct, frozen=True):
    """Everything that the operand does not match."""

    operand: Target


class And(msgspec.Struct, frozen=True):
    """What all operands match."""

    operands: tuple[Target, ...]


class Or(msgspec.Struct, frozen=True):
    """What one operand matches."""

    operands: tuple[Target, ...]


Target: TypeAlias = "Word | Not | And | Or"
"""A target expression."""
