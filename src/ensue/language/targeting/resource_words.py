"""Refuses resources as the target of a run over minions: their minions are its targets."""

from __future__ import annotations

import re
from typing import Final

from ensue.language.targeting.errors import TargetSyntaxError

_WORD: Final = re.compile(r"(?<![^\s(])T@[^\s)]*")


def refuse_resources(expression: str) -> None:
    """Check a compound target of Salt.

    Raises:
        TargetSyntaxError: a word of it names resources (`T@`).
    """
    if word := _WORD.search(expression):
        problem = (
            f"{word[0]} names resources, and a run over minions targets minions:"
            f" target the minions whose states have `tgt: {word[0]}`"
        )
        raise TargetSyntaxError(expression, word.start() + 1, problem)
