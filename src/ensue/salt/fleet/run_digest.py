"""What a run over minions keeps of each of them at hand: how its run ended, counts, and the first failures.

Events are taken one by one, and none is kept that says nothing about a failure, so that a minion with ten
thousand states takes as much memory as one with ten. All that it reported is in a `PackedRun`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.events import NodeFinished, NodeStarted, RunFinished, ScopeClosed, ScopeOpened
from ensue.core.model.fleet import MOST_FAILURES, MinionRun
from ensue.core.model.returns import Return
from ensue.store.runs.history_report import unended
from ensue.store.runs.run_counts import RunCounts, counted_as

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import ScopeReturn
    from ensue.salt.fleet.packed_run import PackedRun

_DELAYED: Final = frozenset({"block", "sls"})
"""The kinds of delayed renderings; a state has applied all other scopes."""
_SHOWN_CHANGES: Final = ("retcode", "stderr", "stdout")
"""The changes that tell how a command failed."""


class RunDigest:
    """The digest of one run of a minion."""

    def __init__(self) -> None:
        self._started: dict[tuple[str, str], NodeStarted] = {}
        self._counts = RunCounts()
        self._finished: RunFinished | None = None
        self._failed = _Failures()
        self._not_called = _Failures()
        self._applied: dict[str, _AppliedScope] = {}

    def add(self, event: RunEvent) -> None:
        """Take an event."""
        match event:
            case NodeStarted(run_num=number) if number >= 0:
                self._started[event.scope, event.tag_] = event
            case NodeFinished(returned=returned):
                self._started.pop((returned.scope, returned.tag), None)
                self._returned(returned)
            case ScopeOpened(kind=kind, scope=scope) if kind not in _DELAYED:
                self._applied[scope] = _AppliedScope()
            case ScopeClosed(caller=caller, returned=scope):
                self._closed(scope, _id_of(caller))
            case RunFinished():
                self._finished = msgspec.structs.replace(
                    event, not_run=(), hosts_not_run={}, not_run_on={}, owed_not_run=()
                )
                self._counts.not_run += len(event.not_run)
            case _:
                pass

    def run(self, reported: PackedRun) -> MinionRun:
        """Return the digest as a value.

        Args:
            reported: all events.
        """
        # States whose end was not reported have failed, as far as is known.
        for begun in self._started.values():
            returned = unended(begun)
            self._counts.count(returned)
            self._failed.add(returned)
        counts = self._finished.counts if self._finished else {}
        failures = self._failed if self._failed.count else self._not_called
        return MinionRun(
            exit_code=self._finished.exit_code if self._finished else 130,
            # A run that ends counts its states itself.
            counts=counts or msgspec.structs.asdict(self._counts),
            failures=failures.kept,
            more_failures=failures.count - len(failures.kept),
            reported=reported,
        )

    def unended(self) -> Mapping[str, Return]:
        """Return the states that others may refer to which began, and whose end was not reported, by tag."""
        return {begun.tag_: unended(begun) for begun in self._started.values() if not begun.scope_identity}

    def _returned(self, returned: Return) -> None:
        if scope := self._applied.get(returned.scope):
            scope.add(returned)
        is_nested_only = self._has_only_applied(returned)
        if not is_nested_only:
            self._counts.count(returned)
        if returned.result is False and not is_nested_only:
            called = counted_as(returned) != "not_run"
            (self._failed if called else self._not_called).add(returned)
        for part in returned.delayed:
            self._closed(part, returned.id)
        for part in returned.applied:
            self._applied.pop(part.scope, None)

    def _has_only_applied(self, returned: Return) -> bool:
        """Return whether a state did nothing but apply others; see `output.own_part`."""
        scopes = [
            self._applied.get(scope_return.scope) for scope_return in returned.applied if scope_return.counts
        ]
        nested = [scope for scope in scopes if scope is not None and scope.tags]
        if not nested or returned.changes.keys() - set().union(
            *(applied_scope.tags for applied_scope in nested)
        ):
            return False
        return returned.result is not False or any(applied_scope.has_failed for applied_scope in nested)

    def _closed(self, scope: ScopeReturn, caller: str) -> None:
        if not scope.counts:
            self._failed.forget(scope.scope)
            self._not_called.forget(scope.scope)
        elif scope.is_delayed and scope.status == "failed":
            self._counts.failed += self._failed.add_rendering(scope, caller)


class _AppliedScope:
    """The states that a state has applied, and not those that these applied."""

    def __init__(self) -> None:
        self.tags: set[str] = set()
        self.has_failed = False

    def add(self, returned: Return) -> None:
        """Take the return of one of them."""
        self.tags.add(returned.tag)
        self.has_failed = self.has_failed or returned.result is False


class _Failures:
    """The first failures of a run, and how many there are."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Return] = {}
        self.count = 0

    @property
    def kept(self) -> tuple[Return, ...]:
        """Those that are kept, in order of their start."""
        return tuple(sorted(self._kept.values(), key=lambda state_return: state_return.run_num))

    def add(self, returned: Return) -> None:
        """Take a state that failed."""
        self._add((returned.scope, returned.tag), _without_data(returned))

    def add_rendering(self, scope: ScopeReturn, caller: str) -> bool:
        """Take a delayed rendering that failed; return whether it is a new one.

        Args:
            scope: the rendering.
            caller: the ID of its state.
        """
        bare = msgspec.structs.replace(scope, returns={})
        return self._add((scope.scope, ""), _stand_in(caller, bare))

    def forget(self, scope: str) -> None:
        """Forget what failed in a scope, and below it: another attempt counts instead."""
        dropped = [key for key in self._kept if f"{key[0]}/".startswith(f"{scope}/")]
        for key in dropped:
            del self._kept[key]
        self.count -= len(dropped)

    def _add(self, key: tuple[str, str], failure: Return) -> bool:
        if key in self._kept:
            return False
        self.count += 1
        if len(self._kept) < MOST_FAILURES:
            self._kept[key] = failure
        return True


def _without_data(returned: Return) -> Return:
    """Return what the line about a failure needs."""
    changes: dict[str, Any] = {
        key: returned.changes[key] for key in _SHOWN_CHANGES if key in returned.changes
    }
    return msgspec.structs.replace(
        returned,
        changes=changes,
        new_state=None,
        old_state=None,
        drift=None,
        foreseen=None,
        preview="",
        delayed=(),
        applied=(),
    )


def _stand_in(id_: str, rendering: ScopeReturn) -> Return:
    """Return a state that has not failed, with its delayed rendering, which has."""
    return Return(
        tag="", id=id_, name=id_, sls="", module="", function="", scope="", target="", result=True,
        changes={}, comment="", delayed=(rendering,)
    )  # fmt: skip


def _id_of(tag: str) -> str:
    return tag.split("_|-")[1] if tag.count("_|-") > 1 else tag
