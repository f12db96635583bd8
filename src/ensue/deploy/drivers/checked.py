"""Checks of a driver's inputs before anything is provisioned.

A value that is not known yet fits everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.option_kinds import OneOf
from ensue.core.model.unknown import Unknown

if TYPE_CHECKING:
    from ensue.core.model.option_kinds import OptionKind

MAPPING: Final = OneOf("a mapping", (dict, type(None), Unknown))
"""A mapping, or no value."""


def misfits(value: Any, kind: OptionKind, name: str) -> list[str]:
    """Return one sentence per error in an input.

    Args:
        value: the input.
        kind: what it may be.
        name: its name in messages (`values.templates`).
    """
    return [".".join((name, *map(str, misfit.keys))) + f": {misfit.help}" for misfit in kind.misfits(value)]
