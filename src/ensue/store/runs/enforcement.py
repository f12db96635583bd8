"""Enforced state: an apply records it, and a plan reports the drift from it.

Drift is the difference between what the last apply enforced and what a plan now finds: the `new_state` of a
converged state, or the `old_state` of one that would change. Only properties present in both are compared,
and only if the state is called with the arguments of the last apply: others may read other values.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import DiskError, StoreError
from ensue.core.masking import MASK
from ensue.core.model.data import is_mapping
from ensue.core.model.events import FannedOut, RunStarted
from ensue.core.model.made_thing import MAKES_NOTHING
from ensue.core.model.sensitive_paths import hide_paths
from ensue.store.registry.killed_applies import NONE_KILLED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from concurrent.futures import Future

    from ensue.core.model.data import DataMap
    from ensue.core.model.enforced import EnforcedBy, EnforcedState
    from ensue.core.model.events import RunEvent
    from ensue.core.model.made_thing import MadeByState
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return
    from ensue.store.registry.enforced import EnforcedStore
    from ensue.store.registry.store_thread import StoreThread

_OF_ONE_CALL: Final = frozenset({"pid"})
"""Properties that differ in every call of the same state; a new value is not drift."""

_OF_PLANS: Final = frozenset({RunStarted, FannedOut})
"""The events of a plan that tell which states owe what earlier applies do."""

_EXISTS: Final = "exists"

INTERRUPTED: Final = 130


class Enforcement:
    """Follows the events of one run; an async context manager, entered before the run compiles anything.

    Args:
        store: the project's enforced states.
        thread: uses the store, so that the event loop does not wait for other processes.
        run_id: the run's id.
        test: whether the run is a plan.
        of_one_call: returns the properties of a function, given its module and its name, that say what one
            call did, not what there is; a new value is not drift.
        made_by: returns what a state makes, so that states about the same thing are known.
        is_query: returns whether the new state of a function, given its module and its name, is the output of
            a call.

    `declared_by` returns the declaration of a return; it is set once the run has compiled its first plans.
    `again` is the command that resumes the run; it is set when the run begins.
    `killed` are the applies before it that were killed; they are set before it is entered.
    `fault` is why the enforced states cannot be read or written; None while they can.
    """

    def __init__(
        self,
        store: EnforcedStore,
        thread: StoreThread,
        run_id: str,
        *,
        test: bool,
        of_one_call: Callable[[str, str], Collection[str]] = lambda _module, _function: (),
        is_query: Callable[[str, str], bool] = lambda _module, _function: False,
        made_by: Callable[[Return], MadeByState] = lambda _: MAKES_NOTHING,
    ) -> None:
        self._store = store
        self._thread = thread
        self._run_id = run_id
        self._test = test
        self._of_one_call = of_one_call
        self._is_query = is_query
        self._made_by = made_by
        self.killed = NONE_KILLED
        self.declared_by: Callable[[Return], EnforcedBy | None] = lambda _: None
        self.fault: StoreError | None = None
        self.again = ""
        self._writing: Future[None] | None = None
        self._was_interrupted = False

    async def __aenter__(self) -> Self:
        """Read what earlier runs enforced."""
        await self._thread.run(partial(self._store.begin_run, self._run_id, self._made_by, self.killed))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Forget what earlier runs enforced."""
        self._store.end_run()

    def follow(self, event: RunEvent) -> None:
        """Learn from an event what reactions are owed; a plan owes nothing, and makes up for nothing."""
        if not self._test or type(event) in _OF_PLANS:
            self._store.reactions.see(event)

    def see(self, returned: Return) -> None:
        """Process a return before it is reported; in a plan, add the drift to it."""
        if self.fault is not None and (self._test or not isinstance(self.fault, DiskError)):
            return
        try:
            if self._test:
                self._add_drift(returned)
                return
            self._store.note(returned, self.declared_by(returned))
            # Again after a full disk: there may be room now.
            if self._store.is_full and (self._writing is None or self._writing.done()):
                self._write_on()
        except StoreError as error:
            self.fault = error

    async def write_rest(self) -> None:
        """Write the remaining enforced states; `fault` says why they could not be written.

        Cancelling the task ends a wait for another process: then the states are not kept, and the run counts
        as interrupted.
        """
        if not self._test and (self.fault is None or isinstance(self.fault, DiskError)):
            self.fault, self._was_interrupted = await self._rest_written()

    async def end(self, report: RunReport) -> RunReport:
        """Write what remains; return the report with warnings for whatever failed. See `write_rest`."""
        await self.write_rest()
        if self.fault is None:
            return report
        complaint = self._complaint(self.fault)
        if isinstance(self.fault, DiskError) and not self._test:
            return report.as_stopped(str(self.fault), complaint)
        report = msgspec.structs.replace(report, warnings=(*report.warnings, complaint))
        if self._was_interrupted:
            return msgspec.structs.replace(report, status="interrupted", exit_code=INTERRUPTED)
        return msgspec.structs.replace(report, exit_code=report.exit_code or 2)

    def _write_on(self) -> None:
        """Write what waits while the run goes on.

        Raises:
            StoreError: the write before has failed.
        """
        written, self._writing = self._writing, None
        if written is not None:
            written.result()
        self._writing = self._thread.submit(self._store.flush)

    async def _rest_written(self) -> tuple[StoreError | None, bool]:
        """Write what waits; return what prevented it, and whether the task was cancelled."""
        written = asyncio.wrap_future(self._thread.submit(self._store.flush))
        was_interrupted = False
        while not written.done():
            try:
                await asyncio.wait({written})
            except asyncio.CancelledError:
                was_interrupted = True
                self._store.end_waits()
                if (task := asyncio.current_task()) is not None:
                    task.uncancel()
        fault = written.exception()
        if fault is not None and not isinstance(fault, StoreError):
            raise fault
        return fault, was_interrupted

    def _complaint(self, fault: StoreError) -> Diagnostic:
        remedy = "repair the file or move it away, and apply again"
        if isinstance(fault, DiskError) and not self._test:
            remedy = f"make room on the disk, and run: {self.again}"
        return Diagnostic(
            code="E0105",
            summary=f"the enforced state was not {'read' if self._test else 'kept'}: {fault}",
            help=f"the states are as shown; {remedy}",
        )

    def _add_drift(self, returned: Return) -> None:
        """Add to the return of a plan what differs from the last apply, and which state caused that."""
        observed = returned.new_state if returned.result is True else returned.old_state
        entry = self._store.of_state(returned.identity) if is_mapping(observed) else None
        if not is_mapping(observed) or entry is None or entry.arguments not in {None, returned.fingerprint}:
            returned.drift = {}
            return
        returned.drift = self._drift(returned, entry, observed)
        if returned.drift:
            returned.is_query = self._is_query(returned.module, returned.function)
            returned.drift_by = self._cause(returned, entry, observed)

    def _drift(self, returned: Return, entry: EnforcedState, observed: DataMap) -> DataMap:
        before = entry.whole
        if not is_mapping(before):
            return {}
        paths = (*entry.sensitive, *returned.sensitive)
        shown = (hide_paths(before, paths), hide_paths(observed, paths))
        differing = _differences("", before, observed, shown)
        passing = {*_OF_ONE_CALL, *self._of_one_call(returned.module, returned.function)}
        drift: DataMap = {
            path: {"old": old, "new": new} for path, old, new in differing if path not in passing
        }
        # What exists need not say so.
        if observed.get(_EXISTS) is False and before.get(_EXISTS) is not False:
            drift[_EXISTS] = {"old": True, "new": False}
        return drift

    def _cause(self, returned: Return, entry: EnforcedState, observed: DataMap) -> str:
        """Return the state that left a thing as it is now, and its run; empty: it was none of the project."""
        other = self._store.superseding(returned.identity)
        left, before = (None if other is None else other.whole), entry.whole
        if other is None or not is_mapping(left) or not is_mapping(before):
            return ""
        changed = [key for key, value in observed.items() if key not in before or before[key] != value]
        shared = [key for key in changed if key in left and key not in _OF_ONE_CALL]
        if not shared or any(left[key] != observed[key] for key in shared):
            return ""
        environment = other.environment and f" ({other.environment})"
        return f"{other.id} ({other.module}.{other.function}) in run {other.run_id}{environment}"


def _differences(
    path: str, before: Mapping[str, Any], now: Mapping[str, Any], shown: tuple[Any, Any]
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
        shown_old, other = (side if side == MASK else side[key] for side in shown)
        if is_mapping(old) and is_mapping(new):
            yield from _differences(place, old, new, (shown_old, other))
        else:
            yield place, shown_old, other
