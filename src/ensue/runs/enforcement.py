"""Enforced state: an apply records it, and a plan reports the drift from it.

Drift is the difference between what the last apply enforced and what a plan now finds: the `new_state` of a
converged state, or the `old_state` of one that would change. Only properties present in both are compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from ensue.diagnostics import Diagnostic
from ensue.errors import StoreError
from ensue.masking import MASK
from ensue.model.sensitive_paths import hide_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.model.data import DataMap
    from ensue.model.report import RunReport
    from ensue.model.returns import Return
    from ensue.registry.enforced import EnforcedStore

_OF_ONE_CALL: Final = frozenset({"pid"})
"""Properties that differ in every call of the same state; a new value is not drift."""


class Enforcement:
    """Follows the events of one run.

    Args:
        store: the project's enforced states.
        run_id: the run's id.
        test: whether the run is a plan.
    """

    def __init__(self, store: EnforcedStore, run_id: str, *, test: bool) -> None:
        self._store = store
        store.begin_run(run_id)
        self._test = test
        self._fault: StoreError | None = None

    def see(self, returned: Return) -> None:
        """Process a return before it is reported; in a plan, add the drift to it."""
        if self._fault is not None:
            return
        try:
            if self._test:
                returned.drift = self._drift(returned)
            else:
                self._store.note(returned)
        except StoreError as error:
            self._fault = error

    def end(self, report: RunReport) -> RunReport:
        """Write the remaining enforced states; return the report with warnings for whatever failed."""
        try:
            if self._fault is None:
                self._store.flush()
        except StoreError as error:
            self._fault = error
        if self._fault is None:
            return report
        warnings = (*report.warnings, self._complaint(self._fault))
        return msgspec.structs.replace(report, warnings=warnings, exit_code=report.exit_code or 2)

    def _complaint(self, fault: StoreError) -> Diagnostic:
        return Diagnostic(
            code="E0105",
            summary=f"the enforced state was not {'read' if self._test else 'kept'}: {fault}",
            help="the states are as shown; repair the file or move it away, and apply again",
        )

    def _drift(self, returned: Return) -> DataMap:
        found = returned.new_state if returned.result is True else returned.old_state
        if not isinstance(found, dict):
            return {}
        entry = self._store.of_state(returned.identity)
        before = None if entry is None else entry.whole
        if entry is None or not isinstance(before, dict):
            return {}
        paths = (*entry.sensitive, *returned.sensitive)
        shown = (hide_paths(before, paths), hide_paths(found, paths))
        differing = _differences("", before, cast("dict[str, Any]", found), shown)
        return {path: {"old": old, "new": new} for path, old, new in differing if path not in _OF_ONE_CALL}


def _differences(
    path: str, before: dict[str, Any], now: dict[str, Any], shown: tuple[Any, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the paths where two mappings differ, with both values as they may be shown.

    Args:
        path: the path of the two mappings.
        before: the earlier mapping.
        now: the present mapping.
        shown: both with secrets hidden; the mask itself where a whole mapping is a secret.
    """
    for key, old in before.items():
        if key not in now or (new := now[key]) == old:
            continue
        place = f"{path}:{key}" if path else str(key)
        one, other = (side if side == MASK else side[key] for side in shown)
        if isinstance(old, dict) and isinstance(new, dict):
            below = (cast("dict[str, Any]", old), cast("dict[str, Any]", new))
            yield from _differences(place, *below, (one, other))
        else:
            yield place, one, other
