"""What a target expression is once it is parsed: a closed union of frozen nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Word:
    """A word: a bare glob or id, or a letter, `@`, and its pattern.

    Args:
        engine: the letter (`T M G P E L I J S R N`), empty for a bare word.
        pattern: what follows.
        column: where the word begins, from 1.
    """

    engine: str
    pattern: str
    column: int = 1


@dataclass(frozen=True, slots=True)
class Not:
    """Everything that the operand does not match."""

    operand: Target


@dataclass(frozen=True, slots=True)
class And:
    """What all operands match."""

    operands: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """What one operand matches."""

    operands: tuple[Target, ...]


Target: TypeAlias = "Word | Not | And | Or"
"""A target expression."""
