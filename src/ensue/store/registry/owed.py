"""The reactions to changes that a project owes, as the events of its applies tell.

A reaction is owed from the moment in which a state that it names is called, until that has changed nothing or
the reaction has succeeded. The events of killed applies, which have written no more than their journals,
precede those of the present run. What is owed when a run ends is kept in the entry of the state; one without
an entry gets one without a value. What a state owes that is declared no more is made up for by the states
that its declaration may have become (`former_states.may_make_up`), once all of them have succeeded.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from ensue.core.errors import StoreError
from ensue.core.model.chunk import LISTENER_FUNCTION
from ensue.core.model.enforced import EnforcedBy, environment_of_values
from ensue.core.model.events import FannedOut, NodeFinished, ReactionsOwed, RunStarted
from ensue.core.model.state_identity import StateIdentity
from ensue.core.model.state_tag import listener_tag, words_of, words_of_state
from ensue.store.registry.enforced_form import NO_STATE, EnforcedEntry, EnforcedRow, EntryKey, owing_as
from ensue.store.registry.former_states import may_make_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ensue.core.masking import Masker
    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import Return
    from ensue.store.registry.enforced_form import Place
    from ensue.store.registry.former_states import JudgedStates


class _Reaction(msgspec.Struct, kw_only=True):
    """A reaction that is owed, or was.

    Args:
        entry: the entry that its state gets if it has none.
        before: the run since which it is owed, as far as that is kept; empty: it was not owed.
        causes: the entries of the states because of which it is owed, each with the run that called it, and
            whether it has changed; of one that may still change nothing, that is False.
        heirs: the entries of the states that make up for it, as its own is declared no more; whether each has
            succeeded.
        reacts: whether a run has its own state, and that reacts to a change.
    """

    entry: EnforcedEntry
    before: str = ""
    causes: dict[EntryKey, tuple[str, bool]] = {}
    heirs: dict[EntryKey, bool] = {}
    reacts: bool = False

    @property
    def since(self) -> str:
        """The first run that owes it; empty if none does."""
        return self.since_before("")

    def since_before(self, present: str) -> str:
        """Return the first run that owes it, but for the present one; empty if none does."""
        runs = (run_id for run_id, _ in self.causes.values() if run_id != present)
        return self.before or next(runs, "")

    @property
    def is_settled(self) -> bool:
        """Whether every state that makes up for it has succeeded."""
        return bool(self.heirs) and all(self.heirs.values())


class ReactionLedger:
    """What one run and the killed ones before it owe.

    Args:
        masker: masks the names of states.
        kept: returns a row; None if there is none.
        owing: returns the rows of the states that owe a reaction.
        environment: the environment of the present run; what another one owes is not its own.

    `judged` tells what a run declares; it is set once the run has compiled its first plans.
    """

    def __init__(
        self,
        masker: Masker,
        kept: Callable[[EntryKey], EnforcedRow | None],
        owing: Callable[[], Iterable[EnforcedRow]],
        environment: str,
    ) -> None:
        self._masker = masker
        self._kept = kept
        self._owing = owing
        self._own_environment = self._environment = environment
        self.judged: JudgedStates | None = None
        self._turn = threading.Lock()
        self._reactions: dict[EntryKey, _Reaction] = {}
        self._caused: dict[EntryKey, dict[EntryKey, None]] = {}
        self._earlier: dict[tuple[Place, str, str], list[EntryKey]] = {}
        self._inherited: dict[EntryKey, list[_Reaction]] = {}
        self._by = EnforcedBy("")
        self._run_id = ""
        self._own: set[str] = set()

    def begin(self, owing: Iterable[Iterable[RunEvent]]) -> None:
        """Begin with what killed applies owe.

        Args:
            owing: the events of each of them, the oldest first.
        """
        with self._turn:
            self._reactions, self._caused, self._earlier, self._inherited = {}, {}, {}, {}
            with suppress(StoreError):  # The run warns that it cannot read what earlier runs enforced.
                self._reactions = {
                    row.key: _Reaction(entry=row.entry, before=row.entry.owed_since) for row in self._owing()
                }
        for event in chain.from_iterable(owing):
            self.see(event)
        self._environment = self._own_environment
        for key, reaction in self._reactions.items():
            reaction.reacts = False
            words = words_of_state(key.tag)
            for word in {words.id, words.name}:
                self._earlier.setdefault((key.place, words.module, word), []).append(key)

    def see(self, event: RunEvent) -> None:
        """Process an event."""
        with self._turn:
            match event:
                case RunStarted():
                    self._begin(event)
                case ReactionsOwed():
                    self._owe(event)
                case FannedOut():
                    for tag_of in (str, listener_tag):
                        self._hand_down(event, tag_of)
                case NodeFinished(returned=returned) if self._reactions:
                    self._end(returned, self._key(returned.identity))
                case _:
                    pass

    def owed_since(self, identity: StateIdentity) -> str | None:
        """Return the earlier run that owes a reaction first; see `contracts.owed_reactions`."""
        with self._turn:
            due = (reaction.since_before(self._run_id) for reaction in self._due(identity))
            since = min(filter(None, due), default=None)
        return "" if since in self._own else since

    def is_owed(self, identity: StateIdentity) -> bool:
        """Return whether a reaction is owed, by this run too; see `contracts.owed_reactions`."""
        with self._turn:
            return any(reaction.since for reaction in self._due(identity))

    def _due(self, identity: StateIdentity) -> list[_Reaction]:
        """Return what a state that reacts is to make up for."""
        key, reactions = self._key(identity), self._of(identity)
        for reaction in reactions:
            if reaction is self._reactions.get(key):
                reaction.reacts = True
            else:
                reaction.heirs.setdefault(key, False)
        return [reaction for reaction in reactions if not reaction.heirs.get(key)]

    def unclaimed(self) -> list[EnforcedRow]:
        """Return the rows of the states of earlier runs that owe what no state of this run makes up for."""
        with self._turn:
            return [
                owing_as(self._row(key, reaction), reaction.since, self._by_of(key, reaction))
                for key in dict.fromkeys(chain.from_iterable(self._earlier.values()))
                if (reaction := self._reactions[key]).since and not (reaction.reacts or reaction.heirs)
            ]

    def rows(self, run_id: str) -> list[EnforcedRow]:
        """Return the rows of the states that owe something now and did not before, or the other way round.

        Args:
            run_id: the run that writes them.

        Raises:
            StoreError: what is kept cannot be read.
        """
        with self._turn:
            return list(self._rows(run_id))

    def _rows(self, run_id: str) -> Iterator[EnforcedRow]:
        for key, reaction in self._reactions.items():
            row, since = self._kept(key), "" if reaction.is_settled else reaction.since
            if since == ("" if row is None else row.entry.owed_since):
                continue
            if row is None:
                row = msgspec.structs.replace(self._row(key, reaction), run_id=run_id)
            yield owing_as(row, since, self._by_of(key, reaction))

    def _row(self, key: EntryKey, reaction: _Reaction) -> EnforcedRow:
        return EnforcedRow(key.target, key.scope, key.tag, reaction.since, reaction.entry, key.environment)

    def _by_of(self, key: EntryKey, reaction: _Reaction) -> EnforcedBy | None:
        """Return the declaration of a reaction: that of this run, or else that of the run that owes it."""
        judged = self.judged if key.environment == self._own_environment else None
        by = None if judged is None else judged.reaction_by(self._row(key, reaction), self._masker.tag)
        return by or reaction.entry.owed_by

    def _of(self, identity: StateIdentity) -> list[_Reaction]:
        """Return what a state makes up for: its own reaction, and those of states that it may have been."""
        key = self._key(identity)
        own = self._reactions.get(key)
        inherited = self._inherited.get(key)
        if inherited is None:
            inherited = self._heritage(identity, key)
            if self.judged is not None:
                self._inherited[key] = inherited
        return [*inherited, own] if own is not None else inherited

    def _heritage(self, identity: StateIdentity, key: EntryKey) -> list[_Reaction]:
        words, judged = words_of_state(key.tag), self.judged
        if judged is None or not self._earlier:
            return []
        places = {(key.place, words.module, word): None for word in (words.id, words.name)}
        formers = dict.fromkeys(chain.from_iterable(self._earlier.get(place, ()) for place in places))
        heritage: list[_Reaction] = []
        for former in formers:
            reaction = self._reactions[former]
            if former == key or not reaction.since or not may_make_up(key, former):
                continue
            row = owing_as(self._row(former, reaction), reaction.since, reaction.entry.owed_by)
            if former.scope == key.scope:
                row = msgspec.structs.replace(row, scope=identity.scope)
            if judged.has_left_reaction(row, identity.scope, self._masker.tag):
                heritage.append(reaction)
        return heritage

    def _begin(self, event: RunStarted) -> None:
        # The run before was killed: how far the states got that it had called is not known.
        for reaction in self._reactions.values():
            reaction.causes = {cause: (run_id, True) for cause, (run_id, _) in reaction.causes.items()}
        earlier = self._own if event.resumes in self._own else {event.resumes} - {""}
        self._run_id, self._own = event.run_id, {event.run_id, *earlier}
        self._environment = environment_of_values(event.environment)
        self._by = EnforcedBy(
            "",
            highstate=not event.mods,
            requested=event.mods,
            environment=event.environment,
            pillar_keys=event.pillar_keys,
        )

    def _owe(self, event: ReactionsOwed) -> None:
        cause = self._key(StateIdentity(event.target, event.scope_identity, event.tag_))
        for tag, target, sls in zip(event.tags, event.targets, event.slses, strict=True):
            reaction = self._made(StateIdentity(target, event.scope_identity, tag), sls, event.scope)
            self._add(reaction, {cause: (self._run_id, False)})
            self._reactions[reaction].reacts = True

    def _hand_down(self, event: FannedOut, tag_of: Callable[[str], str]) -> None:
        """Let each state that a fan-out became owe what was owed as a whole."""
        scope = event.scope_identity
        for whole in self._of(StateIdentity(event.target, scope, tag_of(event.tag_))):
            if (whole.entry.function == LISTENER_FUNCTION) != (tag_of is listener_tag):
                continue
            for tag, target in zip(event.tags, event.targets, strict=False):
                key = self._made(StateIdentity(target, scope, tag_of(tag)), whole.entry.sls, event.scope)
                part = self._reactions[key]
                part.before = part.before or whole.before
                self._add(key, whole.causes)
            whole.before, whole.causes = "", {}

    def _end(self, returned: Return, key: EntryKey) -> None:
        for reaction_key in self._caused.get(key, ()):
            causes = self._reactions[reaction_key].causes
            run_id, has_changed = causes.get(key, ("", False))
            if returned.changes and returned.result is not False and run_id:
                causes[key] = (run_id, True)
            elif not has_changed:
                causes.pop(key, None)
        succeeded = returned.result is True
        if (reaction := self._reactions.get(key)) is not None and reaction.reacts:
            # Its requisites have decided about the changes of this run; a failure is owed from now on.
            if not succeeded:
                reaction.before = reaction.since
            elif returned.ran:
                reaction.before = ""
            reaction.causes = {}
        if succeeded and returned.ran:
            for reaction in self._inherited.get(key, ()):
                reaction.heirs[key] = True

    def _add(self, key: EntryKey, causes: dict[EntryKey, tuple[str, bool]]) -> None:
        for cause, called in causes.items():
            self._reactions[key].causes.setdefault(cause, called)
            self._caused.setdefault(cause, {})[key] = None

    def _made(self, identity: StateIdentity, sls: str, path: str) -> EntryKey:
        """Return what the entry of a reaction is found by; the reaction is known from now on."""
        key = self._key(identity)
        if key not in self._reactions:
            self._reactions[key] = _Reaction(entry=self._entry(key, sls, path))
        return key

    def _entry(self, key: EntryKey, sls: str, path: str) -> EnforcedEntry:
        words, name = words_of(key.tag), self._masker.name
        return EnforcedEntry(
            words.module,
            words.function,
            words.id,
            words.name,
            name(sls),
            NO_STATE,
            path=name(path),
            things=(),
            owed_by=msgspec.structs.replace(self._by, sls=name(sls)),
        )

    def _key(self, identity: StateIdentity) -> EntryKey:
        """Return what the entry of a state is found by, in the environment of the run that is followed."""
        masker = self._masker
        scope, tag = masker.name(identity.scope), masker.tag(identity.tag)
        return EntryKey(identity.target, scope, tag, self._environment)
