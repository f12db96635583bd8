"""How many states of a run had which outcome, for the list of runs.

A run that ends counts its states itself, for its last line, and the list shows these numbers. One that was
killed is counted here, from the returns in its journal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.model.returns import Return


OutcomeName: TypeAlias = Literal[
    "changed", "unchanged", "failed", "handled", "unreachable", "not_run", "unknown"
]
"""The outcome of one state, by which it is counted."""


class RunCounts(msgspec.Struct, kw_only=True):
    """States by their outcome.

    Args:
        changed: changed something; in a plan, would change something.
        unchanged: were already in the desired state.
        failed: were called, and failed.
        handled: failed, and an `onfail` state with `onfail_stop: false` handled that.
        unreachable: failed because their host cannot be reached.
        not_run: were not called.
        unknown: in a plan, can be known only after an apply.
    """

    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    handled: int = 0
    unreachable: int = 0
    not_run: int = 0
    unknown: int = 0

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> RunCounts:
        """Return counts that a run wrote, which may have others as well."""
        return cls(**{name: counts.get(name, 0) for name in cls.__struct_fields__})

    def count(self, returned: Return) -> None:
        """Count a state."""
        name = counted_as(returned)
        setattr(self, name, getattr(self, name) + 1)

    def fields(self) -> dict[str, int]:
        """Return the fields of a summary that have these counts."""
        succeeded = self.changed + self.unchanged + self.unknown
        return {
            "succeeded": succeeded,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "failed": self.failed,
            "unreachable": self.unreachable,
            "not_run": self.not_run,
            "total": succeeded + self.failed + self.handled + self.unreachable + self.not_run,
        }


def counted_as(returned: Return) -> OutcomeName:
    """Return the field of `RunCounts` that counts a state."""
    if returned.handled_by:
        return "handled"
    if returned.unreachable:
        return "unreachable"
    if returned.result is False:
        return "failed" if returned.ran else "not_run"
    if returned.unknown:
        return "unknown"
    if returned.result is None and not returned.ran:
        return "not_run"  # A state that names it under `prereq` has failed.
    return "changed" if returned.changes or returned.result is None else "unchanged"


def sum_of(parts: Iterable[RunCounts]) -> RunCounts:
    """Return the sums of the counts of parts of a run."""
    total = RunCounts()
    for part in parts:
        for name in RunCounts.__struct_fields__:
            setattr(total, name, getattr(total, name) + getattr(part, name))
    return total
