"""The states that earlier applies ran and that nothing declares any more: what they made stays.

A state counts if its module has a function that declares absence, so that what it made can be removed, if its
target is known or orphaned, and if this run has compiled every SLS that could declare it. What a block
declares is known once it is rendered. A plan reports all of them, an apply what no apply has reported.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.masking import MASK
from ensue.core.model.fan_out import all_returns
from ensue.core.model.made_thing import MAKES_NOTHING, thing_of_name
from ensue.core.model.srn import Srn
from ensue.core.model.state_tag import words_of
from ensue.store.registry.enforced_form import EnforcedRow  # noqa: TC001 - msgspec resolves it
from ensue.store.registry.named_states import NamedStates
from ensue.store.registry.superseded import is_absence, left_behind, things_of
from ensue.store.runs.declarations import origin_of
from ensue.store.runs.removed_things import RemovedThings
from ensue.store.runs.unsettled_states import UnsettledStates

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from ensue.core.model.enforced import EnforcedBy
    from ensue.core.model.made_thing import MadeByState
    from ensue.core.model.returns import Return
    from ensue.core.model.state_identity import StateIdentity
    from ensue.engine.outcome import EngineOutcome
    from ensue.store.runs.declarations import RunDeclarations

_MOST_NAMED: Final = 5


class UndeclaredThing(msgspec.Struct, frozen=True, kw_only=True):
    """Something that earlier applies made and that nothing declares any more.

    Args:
        row: the entry of the last state about it.
        removal: the function that removes it.
        named: how the warning names it.
        hint: how to keep it; empty if nothing is known.
        word: what `ensue enforced forget` knows its entry by, and no other that the run does not name.
    """

    row: EnforcedRow
    removal: str
    named: str
    hint: str
    word: str

    @property
    def place(self) -> tuple[str, str, str]:
        """Its target, its module and its name."""
        return self.row.target, self.row.entry.module, self.row.entry.name


class Undeclared(msgspec.Struct, frozen=True, kw_only=True):
    """The states that a run no longer declares.

    Args:
        things: what they made.
        entries: all entries about these things.
    """

    things: tuple[UndeclaredThing, ...]
    entries: tuple[EnforcedRow, ...]

    def without(self, gone: Collection[UndeclaredThing]) -> Undeclared | None:
        """Return the states whose things are still there; None if there are none.

        Args:
            gone: the things that do not exist any more.
        """
        things = tuple(thing for thing in self.things if thing not in gone)
        left = {(thing.row.target, name) for thing in things for name in things_of(thing.row.entry)}
        entries = [
            row for row in self.entries if any((row.target, name) in left for name in things_of(row.entry))
        ]
        return Undeclared(things=things, entries=tuple(entries)) if things else None

    @property
    def warning(self) -> Diagnostic:
        """The warning about them."""
        return _warning(self.things)


class KnownTargets(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the targets of a run.

    Args:
        own: this machine.
        is_kept: returns whether a target can be targeted or is orphaned; may block.
        removal: returns the function of a state module of a target that removes what its others make; empty
            if there is none.
        is_kept_by_name: returns whether a state module finds what a state made by the name of the state,
            which is a label that somebody may change.
        made_by: returns what a state makes.
        opens_scopes: returns whether a function, given its module and its name, may run further states.
    """

    own: Srn
    is_kept: Callable[[Srn], bool]
    removal: Callable[[Srn, str], str]
    is_kept_by_name: Callable[[Srn, str], bool] = lambda _target, _module: False
    made_by: Callable[[Return], MadeByState] = lambda _returned: MAKES_NOTHING
    opens_scopes: Callable[[str, str], bool] = lambda _module, _function: True


def undeclared_states(
    entries: Callable[[Collection[StateIdentity]], Sequence[EnforcedRow]],
    declarations: RunDeclarations,
    outcome: EngineOutcome,
    targets: KnownTargets,
    *,
    test: bool,
) -> Undeclared | None:
    """Return the states that are no longer declared; None if there are none; this blocks.

    Args:
        entries: returns what earlier applies enforced, without the entries of the states that it is given.
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
    rows, undeclared = run.as_enforced_now(entries(())), {row.identity for row in missing}
    alive = {
        place
        for row in rows
        if row.identity not in undeclared and not run.has_passed_on(row) and not is_absence(row.entry)
        for place in _places(row)
    }
    removed = RemovedThings(rows, run.removed_paths())
    kept_places = {(row.target, row.scope, row.tag) for row in rows}
    left = [
        row
        for row in missing
        if (test or row.entry.by is None or not row.entry.by.is_reported)
        # Once the last entry about a thing is forgotten, the earlier ones do not come back.
        and (row.entry.superseded_by is None or (row.target, *row.entry.superseded_by) in kept_places)
        and alive.isdisjoint(_places(row))
        and not removed.cover(row)
        and _removal(row, targets)
    ]
    last: dict[tuple[str, str], EnforcedRow] = {}
    for row in sorted(left, key=lambda row: (row.entry.superseded_by is None, row.run_id)):
        last.update(dict.fromkeys(_places(row), row))
    kept = [row for row in left if any(last[place] is row for place in _places(row))]
    names, among = NamedStates(rows, run.words), {row.identity for row in left}
    things = [
        UndeclaredThing(
            row=row,
            removal=_removal(row, targets),
            named=_named(row, targets.own),
            hint=run.renaming_of(row, rows)
            if targets.is_kept_by_name(Srn.parse(row.target), row.entry.module)
            else "",
            word=names.exact(row, among),
        )
        for row in kept
    ]
    return Undeclared(things=tuple(things), entries=tuple(left)) if things else None


def reached_targets(outcome: EngineOutcome) -> set[str]:
    """Return the targets that a run has reached, as text."""
    return {
        returned.target
        for returned in all_returns(outcome.returns.values())
        if returned.ran and not returned.unreachable
    }


class _Run:
    """What one run declares."""

    def __init__(
        self,
        declarations: RunDeclarations,
        outcome: EngineOutcome,
        targets: KnownTargets,
        entries: Callable[[Collection[StateIdentity]], Sequence[EnforcedRow]],
    ) -> None:
        self._entries = entries
        self._declarations = declarations
        self._outcome = outcome
        self._targets = targets
        self._returns = list(all_returns(outcome.returns.values()))

    @cached_property
    def _things(self) -> dict[StateIdentity, tuple[str, ...]]:
        """What each state is about; none of one that was not called, or of which that is not known."""
        return {
            state_return.identity: made.things if _is_about_these(state_return, made) else ()
            for state_return, made in self._made
        }

    @cached_property
    def _names(self) -> dict[StateIdentity, str]:
        return {state_return.identity: state_return.name for state_return, _ in self._made}

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
    def _arguments(self) -> dict[StateIdentity, int]:
        """The fingerprint of the arguments of each state."""
        return {state_return.identity: state_return.fingerprint for state_return in self._returns}

    @cached_property
    def settled(self) -> set[StateIdentity]:
        """The states of this run that cannot have been about something else before: their tags name it."""
        moving = {state_return.identity for state_return, made in self._made if made.may_move}
        return {
            identity
            for identity, things in self._things.items()
            if not things or (things == (_thing_of_tag(identity.tag),) and identity not in moving)
        }

    def as_enforced_now(self, rows: Iterable[EnforcedRow]) -> list[EnforcedRow]:
        """Return entries as they are once this run has enforced its states: with what those leave behind."""
        now: list[EnforcedRow] = []
        for row in rows:
            things = self._things.get(row.identity)
            if things and things != things_of(row.entry):
                now += left_behind(row, things, self._arguments[row.identity])
                entry = msgspec.structs.replace(row.entry, name=self._names[row.identity], things=things)
                row = msgspec.structs.replace(row, entry=entry)  # noqa: PLW2901
            now.append(row)
        return now

    @cached_property
    def _unsettled(self) -> UnsettledStates:
        return UnsettledStates(self._outcome, self._targets.opens_scopes, self._has_value)

    @cached_property
    def _kept(self) -> set[StateIdentity]:
        return {row.identity for row in self._entries(())}

    def _has_value(self, identity: StateIdentity) -> bool:
        return identity in self._kept

    @cached_property
    def _made(self) -> list[tuple[Return, MadeByState]]:
        return [(state_return, self._targets.made_by(state_return)) for state_return in self._returns]

    @cached_property
    def _places(self) -> set[tuple[str, str]]:
        return {(state_return.target, thing) for state_return, made in self._made for thing in made.things}

    def declares(self, row: EnforcedRow, by: EnforcedBy) -> bool:
        """Return whether the run declares the thing of a state that it did not run, or may do so."""
        if not self._places.isdisjoint(_places(row)):
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

    def has_passed_on(self, row: EnforcedRow) -> bool:
        """Return whether a state of other environments is no longer the last one about its thing.

        Then it does not keep that thing: otherwise two environments that have had it in turn would each count
        on the other's declaration, when neither has one. An SLS of the same environments that this run does
        not compile keeps it.
        """
        by = row.entry.by
        if row.entry.superseded_by is None or by is None or self._declarations.judges_state(by):
            return False
        return not self._declarations.may_be_elsewhere(by)

    def removed_paths(self) -> Iterator[tuple[str, str]]:
        """Yield the paths that the run removes, with all below them, each after its target."""
        for returned, made in self._made:
            if made.is_absence and returned.result is not False and not returned.skipped:
                yield from ((returned.target, thing) for thing in made.things if thing.startswith("/"))

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


def _places(row: EnforcedRow) -> list[tuple[str, str]]:
    """Return what a state is about, each after its target: another state about the same is its new name."""
    return [(row.target, thing) for thing in things_of(row.entry)]


def _removal(row: EnforcedRow, targets: KnownTargets) -> str:
    """Return the function that removes what a state made; empty: there is none, or no such target."""
    target, module = Srn.parse(row.target), row.entry.module
    if target != targets.own and not targets.is_kept(target):
        return ""
    removal = targets.removal(target, module)
    return f"{module}.{removal}" if removal and row.entry.function != removal else ""


def _named(row: EnforcedRow, own: Srn) -> str:
    entry = row.entry
    where = "" if row.target == str(own) else f", {row.target}"
    id_, name = row.declared_id if where else entry.id, "" if entry.name == entry.id else f" {entry.name}"
    keys = () if entry.by is None else entry.by.pillar_keys
    quoted = ", ".join(map(repr, keys))
    applied = f", applied with {quoted} in the pillar of the command line" if keys else ""
    former = "; the state is about something else now" if entry.is_former else ""
    return f"{id_} ({entry.module}.{entry.function}{name} in {entry.sls}{where}{applied}{former})"


def _warning(things: Sequence[UndeclaredThing]) -> Diagnostic:
    names = list(dict.fromkeys(thing.named for thing in things))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    removals = ", ".join(f"`{name}`" for name in sorted({thing.removal for thing in things})[:_MOST_NAMED])
    hints = [thing.hint for thing in things if thing.hint][:_MOST_NAMED]
    if any(thing.row.entry.by is not None and thing.row.entry.by.pillar_keys for thing in things):
        hints.append(
            "what was applied with `--pillar` or `--pillar-file` may be declared with the values of that "
            "apply"
        )
    states = "a state is" if len(names) == 1 else f"{len(names)} states are"
    named = ", ".join(names[:_MOST_NAMED])
    return Diagnostic(
        code="E0894",
        summary=f"{states} no longer declared, and what earlier applies made stays: {named}{more}",
        help="; ".join(
            [
                *hints,
                f"if it has to go, declare that with {removals} and apply it",
                f"if it may stay, {_forgetting(things)}",
            ]
        ),
        severity=Severity.WARNING,
    )


def _forgetting(things: Sequence[UndeclaredThing]) -> str:
    """Return the command that forgets the entries of things."""
    import shlex  # Only a run with such a warning needs it.

    words = list(dict.fromkeys(thing.word for thing in things))
    of_these = " for these" if len(words) > _MOST_NAMED else ""
    return f"`ensue enforced forget {shlex.join(words[:_MOST_NAMED])}` ends this warning{of_these}"
