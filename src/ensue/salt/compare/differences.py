"""A difference between the two programs, and differences of one cause."""

from __future__ import annotations

import enum
from typing import Any

import msgspec


class DifferenceKind(enum.Enum):
    """What a difference is about, in the order in which causes are shown; JSON has the values."""

    REFUSED_HERE = "refused-by-ensue"
    REFUSED_BY_SALT = "refused-by-salt"
    MISSING_STATE_FUNCTION = "missing-state-function"
    MISSING_EXECUTION_FUNCTION = "missing-execution-function"
    MISSING_RENDERER = "missing-renderer"
    ONLY_IN_SALT = "only-in-salt"
    ONLY_HERE = "only-in-ensue"
    ARGUMENT = "argument"
    ORDER = "order"
    PLAN_FAILED = "plan-failed"
    RESULT = "result"
    CHANGES = "changes"
    CONSEQUENCE = "consequence"


class TreeDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One difference.

    Args:
        kind: what it is about.
        what: what it shares with others of its cause: `file.managed: mode`.
        where: the ID of the state, with its name if that differs; or the place of a message.
        sls: the SLS it is in; empty if that is not known.
        tag: the state's tag; empty if it is not about a state.
        salt: what Salt says.
        ensue: what ensue says.
        count: how often it occurs.
        meant: why ensue differs on purpose; empty if it does not.
    """

    kind: DifferenceKind
    what: str
    where: str = ""
    sls: str = ""
    tag: str = ""
    salt: Any = None
    ensue: Any = None
    count: int = 1
    meant: str = ""


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Differences that share what they are about.

    Args:
        kind: what they are about.
        what: what they share.
        meant: why ensue differs on purpose; empty if it does not.
        differences: each of them, at least one.
    """

    kind: DifferenceKind
    what: str
    meant: str
    differences: tuple[TreeDifference, ...]

    @property
    def count(self) -> int:
        """How often it occurs."""
        return sum(difference.count for difference in self.differences)


def grouped(differences: list[TreeDifference]) -> tuple[Cause, ...]:
    """Return the causes of differences: by kind, unintended ones first, and then the most frequent first."""
    by_cause: dict[tuple[DifferenceKind, str, str], list[TreeDifference]] = {}
    for difference in differences:
        by_cause.setdefault((difference.kind, difference.what, difference.meant), []).append(difference)
    causes = [
        Cause(kind=kind, what=what, meant=meant, differences=tuple(value))
        for (kind, what, meant), value in by_cause.items()
    ]
    kinds = list(DifferenceKind)
    return tuple(
        sorted(
            causes, key=lambda cause: (bool(cause.meant), kinds.index(cause.kind), -cause.count, cause.what)
        )
    )
