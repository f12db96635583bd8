"""The counts of a run's returns, those of nested scopes included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.model.returns import Return, ScopeReturn


class Tally(msgspec.Struct, kw_only=True):
    """Counts of one run, added up return by return.

    Args:
        succeeded: results that are True.
        undecided: results that are None: states that a plan would change.
        failed: results that are False, and failed delayed renderings.
        changed: returns with changes.
        warned: returns with warnings.
        deferred: renderings that a plan cannot do.
        not_rendered: renderings whose state failed.
        duration_ms: the time spent; the time of a state includes its waiting for another target.
    """

    succeeded: int = 0
    undecided: int = 0
    failed: int = 0
    changed: int = 0
    warned: int = 0
    deferred: int = 0
    not_rendered: int = 0
    duration_ms: float = 0.0

    @property
    def total(self) -> int:
        """How many results there are."""
        return self.succeeded + self.undecided + self.failed

    def add(self, returned: Return, *, timed: bool = True) -> None:
        """Count a return and everything it caused.

        Args:
            returned: the return.
            timed: whether its time is not yet part of another state's time.
        """
        if returned.result is True:
            self.succeeded += 1
        elif returned.result is None:
            self.undecided += 1
        else:
            self.failed += 1
        if returned.changes:
            self.changed += 1
        if returned.warnings:
            self.warned += 1
        if timed:
            self.duration_ms += returned.duration_ms
        if returned.delayed:
            self._add_scopes(returned.delayed, timed=timed)
        if returned.applied:
            self._add_scopes(returned.applied, timed=False)

    def _add_scopes(self, scopes: Iterable[ScopeReturn], *, timed: bool) -> None:
        for scope in scopes:
            if not scope.counts:
                continue
            if scope.status == "deferred":
                self.deferred += 1
            elif scope.status == "not_rendered":
                self.not_rendered += 1
            elif scope.status == "failed" and scope.is_delayed:
                # A failed apply is a failure of the state that waits for it, and counted there.
                self.failed += 1
            for returned in scope.returns.values():
                self.add(returned, timed=timed)
