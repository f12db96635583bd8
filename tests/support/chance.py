"""Chance for test modules that draw their cases while they are loaded."""

from __future__ import annotations

import random

SEED = 0
"""The seed of the session, which pytest-randomly prints; all workers have the same."""


def chance_of(module: str) -> random.Random:
    """Return the chance of a module: the same in every worker, whatever was loaded or drawn before.

    Args:
        module: its name.
    """
    return random.Random(f"{SEED} {module}")  # noqa: S311 -- chance, not secrecy
