"""Match a subject that is only partly known against a target. Pure: the subject reports what is unknown.

A resource that does not exist yet has a type and an id but no grains; for one that exists, grains are
gathered only when the match depends on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import msgspec

from ensue.language.targeting.expression import And, Not, Or, Target, Word
from ensue.language.targeting.match import matches
from ensue.language.targeting.patterns import has_glob_signs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.language.targeting.match import TargetSubject


class NotKnownError(Exception):
    """A match requires grains or pillar that have not been gathered."""


def matches_so_far(target: Target, subject: TargetSubject) -> bool | None:
    """Return whether a subject matches, None if that depends on unknown grains or pillar.

    Args:
        target: the target.
        subject: raises `NotKnownError` for grains or pillar that are not known.
    """
    match target:
        case Word():
            try:
                return matches(target, subject)
            except NotKnownError:
                return matches(target, _named(subject)) if _reads_the_id(target) else None
        case Not():
            inner = matches_so_far(target.operand, subject)
            return None if inner is None else not inner
        case And():
            return _decided(target.operands, subject, by=False)
        case Or():
            return _decided(target.operands, subject, by=True)
        case _:
            assert_never(target)


def _reads_the_id(word: Word) -> bool:
    """Return whether a word reads the grain `id` alone, which is always the name."""
    return word.engine in {"G", "P"} and word.pattern.split(word.delimiter)[:-1] == ["id"]


def _named(subject: TargetSubject) -> TargetSubject:
    return msgspec.structs.replace(subject, grains=lambda: {"id": subject.srn.id})


def _decided(operands: Iterable[Target], subject: TargetSubject, *, by: bool) -> bool | None:
    """Combine operands: one that equals `by` decides; otherwise an unknown operand makes the result None."""
    is_open = False
    for operand in operands:
        verdict = matches_so_far(operand, subject)
        if verdict is by:
            return by
        is_open = is_open or verdict is None
    return None if is_open else not by


def exact_name(target: Target) -> str:
    """Return the one resource that a target names, as `type:id` or id; empty for any other expression."""
    if not isinstance(target, Word) or has_glob_signs(target.pattern):
        return ""
    if target.engine == "T":
        return target.pattern if ":" in target.pattern else ""
    return "" if target.engine else target.pattern
