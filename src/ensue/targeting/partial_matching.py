"""Does a subject match a target, as far as is known of it? Pure: what is not known is said by the subject.

A resource that is not there yet has a type and an id, and no grains; of one that is there grains are gathered
only where they decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from ensue.targeting.expression import And, Not, Or, Target, Word
from ensue.targeting.match import matches
from ensue.targeting.patterns import has_glob_signs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.targeting.match import Subject


class NotKnownError(Exception):
    """Raised by a subject that is asked for grains or pillar that nobody has gathered."""


def matches_so_far(target: Target, subject: Subject) -> bool | None:
    """Say whether a subject matches, None when that depends on what is not known of it.

    Args:
        target: the target.
        subject: raises `NotKnownError` when asked for what is not known.
    """
    match target:
        case Word():
            try:
                return matches(target, subject)
            except NotKnownError:
                return None
        case Not():
            inner = matches_so_far(target.operand, subject)
            return None if inner is None else not inner
        case And():
            return _decided(target.operands, subject, by=False)
        case Or():
            return _decided(target.operands, subject, by=True)
        case _:
            assert_never(target)


def _decided(operands: Iterable[Target], subject: Subject, *, by: bool) -> bool | None:
    """One operand that is `by` decides; without one, an unknown operand leaves it open."""
    is_open = False
    for operand in operands:
        found = matches_so_far(operand, subject)
        if found is by:
            return by
        is_open = is_open or found is None
    return None if is_open else not by


def exact_name(target: Target) -> str:
    """Return the one resource that a target names, as `type:id` or id; empty for any other expression."""
    if not isinstance(target, Word) or has_glob_signs(target.pattern):
        return ""
    if target.engine == "T":
        return target.pattern if ":" in target.pattern else ""
    return "" if target.engine else target.pattern
