"""The states that earlier applies ran and that nothing declares any more: what they made stays.

A state counts if its module has a function that declares absence, so that what it made can be removed, if its
target is known or orphaned, and if this run has compiled every SLS that could declare it. What a block
declares is known once it is rendered. A plan reports all of them, an apply what no apply has reported.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from ensue.core.masking import MASK
from ensue.core.model.fan_out import every_part
from ensue.core.model.made_thing import MAKES_NOTHING, thing_of_name
from ensue.core.model.srn import Srn
from ensue.core.model.state_tag import words_of
from ensue.store.registry.named_states import NamedStates
from ensue.store.registry.superseded import is_absence, last_things_of, left_behind, of_thing, things_of
from ensue.store.runs.declarations import fanned_from
from ensue.store.runs.removed_things import RemovedThings, removed_by
from ensue.store.runs.undeclared_things import Undeclared, UndeclaredThing
from ensue.store.runs.unsettled_states import UnsettledStates

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from ensue.core.model.enforced import EnforcedBy
    from ensue.core.model.made_thing import MadeByState
    from ensue.core.model.returns import Return
    from ensue.core.model.state_identity import StateIdentity
    from ensue.engine.outcome import EngineOutcome
    from ensue.store.registry.enforced_form import EnforcedRow, EntryKey
    from ensue.store.runs.declarations import RunDeclarations


class KnownTargets(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the targets of a run.

    Args:
        own: this machine.
        is_kept: returns whether a target can be targeted or is orphaned; may block.
        is_gone: returns whether a target is orphaned, or the project has it no longer; may block.
        removal: returns the function of a state module of a target that removes what a function of it makes;
            empty if there is none.
        is_kept_by_name: returns whether a state module finds what a state made by the name of the state,
            which is a label that somebody may change.
        made_by: returns what a state makes.
        opens_scopes: returns whether a function, given its module and its name, may run further states.
    """

    own: Srn
    is_kept: Callable[[Srn], bool]
    removal: Callable[[Srn, str, str], str]
    is_gone: Callable[[Srn], bool] = lambda _target: False
    is_kept_by_name: Callable[[Srn, str], bool] = lambda _target, _module: False
    made_by: Callable[[Return], MadeByState] = lambda _returned: MAKES_NOTHING
    opens_scopes: Callable[[str, str], bool] = lambda _module, _function: True


def undeclared_states(
    entries: Callable[[Collection[EntryKey]], Sequence[EnforcedRow]],
    declarations: RunDeclarations,
    outcome: EngineOutcome,
    targets: KnownTargets,
    *,
    test: bool,
) -> Undeclared | None:
    """Return the states that are no longer declared; None if there are none; this blocks.

    Args:
        entries: returns what earlier applies enforced, but those that it is given.
        declarations: those of this run.
        outcome: how it ended; one that was cut short says nothing.
        targets: the targets that there are.
        test: whether the run is a plan, which reports again what an apply has reported.

    Raises:
        StoreError: the enforced states or the resources cannot be read.
    """
    if outcome.status == "interrupted" or outcome.stopped or outcome.hosts_not_run:
        return None
    run = _Run(declarations, outcome, targets, entries)
    others = run.as_enforced_now(entries(run.settled))
    missing = [row for row in others if row.entry.by is not None and not run.declares(row, row.entry.by)]
    if not missing:
        return None
    rows, undeclared = run.as_enforced_now(entries(())), {row.key for row in missing}
    alive = run.places | {
        place
        for row in rows
        if row.key not in undeclared and not run.has_passed_on(row) and not is_absence(row.entry)
        for place in _places(row)
    }
    removed = RemovedThings(rows, removed_by(run.made))
    kept_keys = {row.key for row in rows}

    def is_left(row: EnforcedRow, thing: str) -> bool:
        # Once the last entry about a thing is forgotten, the earlier ones do not come back.
        by = None if thing in last_things_of(row.entry) else row.superseded_by
        return (row.target, thing) not in alive and (by is None or by in kept_keys)

    left = [
        (row, part)
        for row in missing
        if (test or row.entry.by is None or not row.entry.by.is_reported) and _removal(row, targets)
        for part in _parts(row, [thing for thing in things_of(row.entry) if is_left(row, thing)])
        if not removed.cover(part)
    ]
    last: dict[tuple[str, str], EnforcedRow] = {}
    for _, part in sorted(left, key=lambda pair: (pair[0].superseded_by is None, pair[0].run_id)):
        last.update(dict.fromkeys(_places(part), part))
    names, kept_names = NamedStates(rows, run.words), NamedStates(entries(()), run.words)
    among = {row.key for row, _ in left}
    things = [
        UndeclaredThing(
            row=part,
            removal=_removal(part, targets),
            named=_named(part, targets.own),
            hint=run.renaming_of(part, rows)
            if targets.is_kept_by_name(Srn.parse(row.target), row.entry.module)
            else "",
            word=(kept_names if is_kept else names).exact(row, among),
            is_kept=is_kept,
        )
        for row, part in left
        if any(last[place] is part for place in _places(part))
        for is_kept in (row.key in run.kept,)
    ]
    states = tuple({row.key: row for row, _ in left}.values())
    return Undeclared(things=tuple(things), entries=states) if things else None


def reached_targets(outcome: EngineOutcome) -> set[str]:
    """Return the targets that a run has reached, as text."""
    return {
        returned.target
        for returned in every_part(outcome.returns.values())
        if returned.ran and not returned.unreachable
    }


class _Run:
    """What one run declares."""

    def __init__(
        self,
        declarations: RunDeclarations,
        outcome: EngineOutcome,
        targets: KnownTargets,
        entries: Callable[[Collection[EntryKey]], Sequence[EnforcedRow]],
    ) -> None:
        self._entries = entries
        self._declarations = declarations
        self._outcome = outcome
        self._targets = targets
        self._returns = list(every_part(outcome.returns.values()))

    @cached_property
    def _things(self) -> dict[EntryKey, tuple[str, ...]]:
        """What each state is about; none of one that was not called, or of which that is not known."""
        return {
            self._key(state_return): made.things if _is_about_these(state_return, made) else ()
            for state_return, made in self.made
        }

    @cached_property
    def _names(self) -> dict[EntryKey, str]:
        return {self._key(state_return): state_return.name for state_return, _ in self.made}

    @cached_property
    def words(self) -> set[str]:
        """The words that name the states of this run."""
        ids = {
            id_
            for returned in self._returns
            for id_ in (returned.id, returned.id.removeprefix(f"{returned.target.partition(':')[2]} "))
        }
        return ids.union(self._names.values(), (returned.tag for returned in self._returns))

    @cached_property
    def _arguments(self) -> dict[EntryKey, int]:
        """The fingerprint of the arguments of each state."""
        return {self._key(state_return): state_return.fingerprint for state_return in self._returns}

    @cached_property
    def settled(self) -> set[EntryKey]:
        """The states of this run that cannot have been about something else before: their tags name it."""
        moving = {
            self._key(state_return)
            for state_return, made in self.made
            if made.may_move or made.may_be_several
        }
        return {
            key
            for key, things in self._things.items()
            if not things or (things == (_thing_of_tag(key.tag),) and key not in moving)
        }

    def as_enforced_now(self, rows: Iterable[EnforcedRow]) -> list[EnforcedRow]:
        """Return entries as they are once this run has enforced its states: with what those leave behind."""
        now: list[EnforcedRow] = []
        for row in rows:
            things = self._things.get(row.key)
            if things and things != things_of(row.entry):
                now += left_behind(row, things, self._arguments[row.key])
                entry = msgspec.structs.replace(row.entry, name=self._names[row.key], things=things)
                row = msgspec.structs.replace(row, entry=entry)  # noqa: PLW2901
            now.append(row)
        return now

    @cached_property
    def _unsettled(self) -> UnsettledStates:
        return UnsettledStates(self._outcome, self._targets.opens_scopes, self._has_value)

    @cached_property
    def kept(self) -> set[EntryKey]:
        """The entries that there are; an apply has written its own before it reports."""
        return {row.key for row in self._entries(())}

    def _has_value(self, identity: StateIdentity) -> bool:
        return self._declarations.key_of(identity) in self.kept

    def _key(self, returned: Return) -> EntryKey:
        return self._declarations.key_of(returned.identity)

    @cached_property
    def made(self) -> list[tuple[Return, MadeByState]]:
        """The returns of the run, each with what its state makes."""
        return [(state_return, self._targets.made_by(state_return)) for state_return in self._returns]

    @cached_property
    def places(self) -> set[tuple[str, str]]:
        """What the states of the run are about, each after its target."""
        return {(state_return.target, thing) for state_return, made in self.made for thing in made.things}

    def declares(self, row: EnforcedRow, by: EnforcedBy) -> bool:
        """Return whether the run declares all things of a state that it did not run, or may do so."""
        if self.places.issuperset(_places(row)):
            return True
        if MASK in row.tag or MASK in row.scope or not self._judges(by):
            return True
        if self._unsettled.may_be_in_unrendered(row.scope):
            return True
        scope = row.entry.path or row.scope
        return self._declarations.has_state(scope, row.tag) or self._unsettled.may_still_declare(
            scope, fanned_from(row, by)
        )

    def _judges(self, by: EnforcedBy) -> bool:
        """Return whether the run has compiled all that could declare a state, or nothing can any more."""
        return self._declarations.judges_state(by) or (
            bool(by.on)
            and by.on_pillar_of in {"", self._targets.own.id}  # Only the pillar of this minion is known.
            and self._declarations.judges_of_departed(by)
            and (on := Srn.parse(by.on)) not in self._declarations.promised
            and self._targets.is_gone(on)
        )

    def has_passed_on(self, row: EnforcedRow) -> bool:
        """Return whether a state of other environments is no longer the last one about its thing.

        Then it does not keep that thing: otherwise two environments that have had it in turn would each count
        on the other's declaration, when neither has one. An SLS of the same environments that this run does
        not compile keeps it.
        """
        by = row.entry.by
        if row.superseded_by is None or by is None or self._declarations.judges_state(by):
            return False
        return not self._declarations.may_be_elsewhere(by)

    def renaming_of(self, row: EnforcedRow, rows: Iterable[EnforcedRow]) -> str:
        """Return how to keep what a state made if the run has it by another name; empty if it has not."""
        known = {(known.target, known.entry.module, known.entry.name) for known in rows}
        entry = row.entry
        for returned in self._returns:
            is_like = (returned.target, returned.module, returned.function) == (
                row.target,
                entry.module,
                entry.function,
            )
            if is_like and (returned.target, returned.module, returned.name) not in known:
                return f"if {entry.name} is {returned.id} now, keep what it made with `- name: {entry.name}`"
        return ""


def _is_about_these(returned: Return, made: MadeByState) -> bool:
    """Return whether a state is about the things of its return: it was called, and they are known."""
    if not returned.ran or returned.skipped or returned.unknown or returned.result is False:
        return False
    is_named = made.may_move or made.things == (thing_of_name(returned.module, returned.name),)
    return returned.new_state is not None or is_named


def _thing_of_tag(tag: str) -> str:
    words = words_of(tag)
    return thing_of_name(words.module, words.name)


def _parts(row: EnforcedRow, things: Sequence[str]) -> list[EnforcedRow]:
    """Return the entry if these are all of its things; otherwise the entry of each of them."""
    return [row] if len(things) == len(things_of(row.entry)) else [of_thing(row, thing) for thing in things]


def _places(row: EnforcedRow) -> list[tuple[str, str]]:
    """Return what a state is about, each after its target: another state about the same is its new name."""
    return [(row.target, thing) for thing in things_of(row.entry)]


def _removal(row: EnforcedRow, targets: KnownTargets) -> str:
    """Return the function that removes what a state made; empty: there is none, or no such target."""
    target, module = Srn.parse(row.target), row.entry.module
    if target != targets.own and not targets.is_kept(target):
        return ""
    removal = targets.removal(target, module, row.entry.function)
    return f"{module}.{removal}" if removal else ""


def _named(row: EnforcedRow, own: Srn) -> str:
    entry = row.entry
    where = "" if row.target == str(own) else f", {row.target}"
    of = f" of {entry.by.on}" if entry.by is not None and entry.by.on not in {"", row.target} else ""
    id_, name = (
        row.declared_id if where or of else entry.id,
        "" if entry.name == entry.id else f" {entry.name}",
    )
    keys = () if entry.by is None else entry.by.pillar_keys
    quoted = ", ".join(map(repr, keys))
    applied = f", applied with {quoted} in the pillar of the command line" if keys else ""
    former = "; the state is about something else now" if entry.is_former else ""
    return f"{id_} ({entry.module}.{entry.function}{name} in {entry.sls}{of}{where}{applied}{former})"
