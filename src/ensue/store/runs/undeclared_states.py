"""The states that earlier applies ran and that nothing declares any more: what they made stays.

A state counts if its module has a function that declares absence, so that what it made can be removed, if its
target can still be targeted, and if this run has compiled every SLS that could declare it. What a block
declares is known once the block is rendered. A plan reports all of them, an apply what no apply has reported.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.masking import MASK
from ensue.core.model.data import is_mapping
from ensue.core.model.fan_out import parts_of
from ensue.core.model.srn import Srn
from ensue.core.model.state_identity import StateIdentity
from ensue.store.registry.enforced_form import EnforcedRow  # noqa: TC001 - msgspec resolves it
from ensue.store.runs.declarations import origin_of
from ensue.store.runs.unsettled_states import UnsettledStates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ensue.core.model.enforced import EnforcedBy
    from ensue.core.model.returns import Return
    from ensue.engine.outcome import EngineOutcome
    from ensue.store.runs.declarations import RunDeclarations

_ABSENT: Final = ("absent", "destroyed", "removed", "dead", "unmounted")
"""In the order in which they are looked for: `graph.removed` removes one resource of a deployment."""
_REMOVES_PATHS: Final = ("file", "absent")
"""The function that removes a path with everything below it, whatever has made that."""
_MOST_NAMED: Final = 5


class Undeclared(msgspec.Struct, frozen=True, kw_only=True):
    """The states that a run no longer declares.

    Args:
        entries: what earlier applies enforced.
        warning: the warning about them.
    """

    entries: tuple[EnforcedRow, ...]
    warning: Diagnostic


class KnownTargets(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the targets of a run.

    Args:
        own: this machine.
        is_active: returns whether a target is known and can be targeted; may block.
        functions: returns the names of the functions of a state module that a target has.
        is_kept_by_name: returns whether a state module finds what a state made by the name of the state,
            which is a label that somebody may change.
    """

    own: Srn
    is_active: Callable[[Srn], bool]
    functions: Callable[[Srn, str], Iterable[str]]
    is_kept_by_name: Callable[[Srn, str], bool] = lambda _target, _module: False


def undeclared_states(
    entries: Iterable[EnforcedRow],
    declarations: RunDeclarations,
    outcome: EngineOutcome,
    targets: KnownTargets,
    *,
    test: bool,
) -> Undeclared | None:
    """Return the states that are no longer declared; None if there are none; this blocks.

    Args:
        entries: what earlier applies enforced.
        declarations: those of this run.
        outcome: how it ended; one that was cut short says nothing.
        targets: the targets that there are.
        test: whether the run is a plan, which reports again what an apply has reported.

    Raises:
        StoreError: the enforced states or the resources cannot be read.
    """
    if outcome.status == "interrupted" or outcome.stopped or outcome.hosts_not_run:
        return None
    run, rows = _Run(declarations, outcome), list(entries)
    undeclared = [
        row
        for row in rows
        if row.entry.by is not None
        and (test or not row.entry.by.is_reported)
        and not run.declares(row, row.entry.by)
    ]
    if not undeclared:
        return None
    absent = [row for row in rows if _is_absent(row)]
    removed, removed_paths = {_thing(row) for row in absent}, _RemovedPaths(absent, run.removed_paths())
    kept: dict[tuple[str, str, str], tuple[EnforcedRow, str]] = {}
    left: list[EnforcedRow] = []
    for row in undeclared:
        thing = _thing(row)
        if thing in removed or removed_paths.cover(row) or not (removal := _removal(row, targets)):
            continue
        left.append(row)
        if thing not in kept or kept[thing][0].run_id < row.run_id:
            kept[thing] = row, removal
    if not kept:
        return None
    removals = {_named(row, targets.own): removal for row, removal in kept.values()}
    renamed = [
        hint
        for row, _ in kept.values()
        if targets.is_kept_by_name(Srn.parse(row.target), row.entry.module)
        and (hint := run.renaming_of(row, rows))
    ]
    return Undeclared(entries=tuple(left), warning=_warning(removals, renamed))


class _Run:
    """What one run declares."""

    def __init__(self, declarations: RunDeclarations, outcome: EngineOutcome) -> None:
        self._declarations = declarations
        self._unsettled = UnsettledStates(outcome)
        self._returns = returns = list(_all(outcome.returns.values()))
        self._identities = {state_return.identity for state_return in returns}
        self._things = {
            (state_return.target, state_return.module, state_return.name) for state_return in returns
        }

    def declares(self, row: EnforcedRow, by: EnforcedBy) -> bool:
        """Return whether the run declares a state or the same thing, or may do so."""
        if StateIdentity(row.target, row.scope, row.tag) in self._identities or _thing(row) in self._things:
            return True
        if MASK in row.tag or MASK in row.scope or not self._declarations.judges_state(by):
            return True
        if self._unsettled.may_be_in_unrendered(row.scope):
            return True
        scope = row.entry.path or row.scope
        fanned_from = origin_of(row.tag, row.target) if by.is_fanned_out else ""
        return self._declarations.has_state(scope, row.tag) or self._unsettled.may_still_declare(
            scope, fanned_from
        )

    def removed_paths(self) -> Iterator[tuple[str, str]]:
        """Yield the paths that the run removes, each after its target."""
        for returned in self._returns:
            is_removal = (returned.module, returned.function) == _REMOVES_PATHS
            if is_removal and returned.result is not False and not returned.skipped:
                yield returned.target, returned.name

    def renaming_of(self, row: EnforcedRow, rows: Iterable[EnforcedRow]) -> str:
        """Return how to keep what a state made if the run has it by another name; empty if it has not."""
        known, entry = {_thing(known) for known in rows}, row.entry
        for returned in self._returns:
            is_like = (returned.target, returned.module, returned.function) == (
                row.target,
                entry.module,
                entry.function,
            )
            if is_like and (returned.target, returned.module, returned.name) not in known:
                return f"if {entry.name} is {returned.id} now, keep what it made with `- name: {entry.name}`"
        return ""


class _RemovedPaths:
    """The paths that are removed with everything below them.

    Args:
        absent: the enforced states that found something absent, or made it so.
        removed_now: the paths that this run removes, each after its target.
    """

    def __init__(self, absent: Iterable[EnforcedRow], removed_now: Iterable[tuple[str, str]]) -> None:
        self._run_ids: dict[tuple[str, str], str] = {
            (row.target, row.entry.name.rstrip("/")): row.run_id
            for row in absent
            if (row.entry.module, row.entry.function) == _REMOVES_PATHS
        }
        self._removed_now = {(target, path.rstrip("/")) for target, path in removed_now}

    def cover(self, row: EnforcedRow) -> bool:
        """Return whether a state made something below a path that this run removes, or a later one did."""
        if not row.entry.name.startswith("/"):
            return False
        above = [(row.target, str(parent)) for parent in PurePosixPath(row.entry.name).parents]
        return any(
            place in self._removed_now or self._run_ids.get(place, "") >= row.run_id for place in above
        )


def _all(returns: Iterable[Return]) -> Iterator[Return]:
    for returned in returns:
        for part in parts_of(returned):
            yield part
            for scope in (*part.delayed, *part.applied):
                yield from _all(scope.returns.values())


def _thing(row: EnforcedRow) -> tuple[str, str, str]:
    """Return what a state is about: another declaration of the same is its new name."""
    return row.target, row.entry.module, row.entry.name


def _is_absent(row: EnforcedRow) -> bool:
    new_state = msgspec.msgpack.decode(row.entry.shown)
    return is_mapping(new_state) and new_state.get("exists") is False


def _removal(row: EnforcedRow, targets: KnownTargets) -> str:
    """Return the function that removes what a state made; empty: there is none, or no such target."""
    target, module = Srn.parse(row.target), row.entry.module
    if target != targets.own and not targets.is_active(target):
        return ""
    offered = targets.functions(target, module)
    removal = next((name for name in _ABSENT if name in offered), "")
    return f"{module}.{removal}" if removal and row.entry.function != removal else ""


def _named(row: EnforcedRow, own: Srn) -> str:
    entry = row.entry
    id_, name = entry.id, "" if entry.name == entry.id else f" {entry.name}"
    where = "" if row.target == str(own) else f", {row.target}"
    if where and entry.by is not None and entry.by.is_fanned_out:
        id_ = id_.removeprefix(f"{row.target.partition(':')[2]} ")
    return f"{id_} ({entry.module}.{entry.function}{name} in {entry.sls}{where})"


def _warning(kept: dict[str, str], renamed: Sequence[str]) -> Diagnostic:
    named = list(kept)[:_MOST_NAMED]
    more = f" and {len(kept) - _MOST_NAMED} more" if len(kept) > _MOST_NAMED else ""
    removals = ", ".join(f"`{one}`" for one in sorted(set(kept.values()))[:_MOST_NAMED])
    removing = f"if it has to go, declare that with {removals} and apply it"
    states = "a state is" if len(kept) == 1 else f"{len(kept)} states are"
    return Diagnostic(
        code="E0894",
        summary=f"{states} no longer declared, and what earlier applies made stays: {', '.join(named)}{more}",
        help="; ".join([*renamed[:_MOST_NAMED], removing]),
        severity=Severity.WARNING,
    )
