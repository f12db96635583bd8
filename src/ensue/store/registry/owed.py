"""The reactions to changes that a project owes, as the events of its applies tell.

A reaction is owed from the moment in which a state that it names is called, until that has changed nothing or
the reaction has succeeded. The events of killed applies, which have written no more than their journals,
precede those of the present run. What is owed when a run ends is kept in the entry of the state; one without
an entry gets one without a value.
"""

from __future__ import annotations

import threading
from itertools import chain
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import StoreError
from ensue.core.model.events import FannedOut, NodeFinished, ReactionsOwed, RunStarted
from ensue.core.model.state_identity import StateIdentity
from ensue.core.model.state_tag import listener_tag, words_of
from ensue.store.registry.enforced_form import NO_STATE, EnforcedEntry, EnforcedRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ensue.core.masking import Masker
    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import Return

FOLLOWED: Final = frozenset({RunStarted, ReactionsOwed, FannedOut, NodeFinished})
"""The events that tell what is owed."""


class _Reaction(msgspec.Struct, kw_only=True):
    """A reaction that is owed, or was.

    Args:
        entry: the entry that its state gets if it has none.
        before: the run since which it is owed, as far as that is kept; empty: it was not owed.
        causes: the states because of which it is owed, each with the run that called it, and whether it has
            changed; of one that may still change nothing, that is False.
    """

    entry: EnforcedEntry
    before: str = ""
    causes: dict[StateIdentity, tuple[str, bool]] = {}

    @property
    def since(self) -> str:
        """The first run that owes it; empty if none does."""
        return self.before or next((run_id for run_id, _ in self.causes.values()), "")


class ReactionLedger:
    """What one run and the killed ones before it owe.

    Args:
        masker: masks the names of states.
        kept: returns the row of a state; None if it has none.
    """

    def __init__(self, masker: Masker, kept: Callable[[StateIdentity], EnforcedRow | None]) -> None:
        self._masker = masker
        self._kept = kept
        self._turn = threading.Lock()
        self._reactions: dict[StateIdentity, _Reaction] = {}
        self._caused: dict[StateIdentity, dict[StateIdentity, None]] = {}
        self._run_id = ""
        self._own: set[str] = set()

    def begin(self, owing: Iterable[Iterable[RunEvent]]) -> None:
        """Begin with what killed applies owe.

        Args:
            owing: the events of each of them, the oldest first.
        """
        with self._turn:
            self._reactions, self._caused = {}, {}
        for event in chain.from_iterable(owing):
            if isinstance(event, NodeFinished):  # It may have made up for what was owed before.
                self.owed_since(event.returned.identity)
            self.see(event)

    def see(self, event: RunEvent) -> None:
        """Process an event; those of `FOLLOWED` count."""
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
                    self._end(returned, self._masked(returned.identity))
                case _:
                    pass

    def owed_since(self, identity: StateIdentity) -> str | None:
        """Return the run that owes a reaction first; see `contracts.owed_reactions`."""
        with self._turn:
            reaction = self._reaction(self._masked(identity))
        if reaction is None or not reaction.since:
            return None
        return "" if reaction.since in self._own else reaction.since

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
        for identity, reaction in self._reactions.items():
            row, since = self._kept(identity), reaction.since
            if since == ("" if row is None else row.entry.owed_since):
                continue
            if row is None:
                row = EnforcedRow(identity.target, identity.scope, identity.tag, run_id, reaction.entry)
            yield msgspec.structs.replace(row, entry=msgspec.structs.replace(row.entry, owed_since=since))

    def _begin(self, event: RunStarted) -> None:
        # The run before was killed: how far the states got that it had called is not known.
        for reaction in self._reactions.values():
            reaction.causes = {cause: (run_id, True) for cause, (run_id, _) in reaction.causes.items()}
        earlier = self._own if event.resumes in self._own else {event.resumes} - {""}
        self._run_id, self._own = event.run_id, {event.run_id, *earlier}

    def _owe(self, event: ReactionsOwed) -> None:
        cause = self._masked(StateIdentity(event.target, event.scope_identity, event.tag_))
        for tag, target, sls in zip(event.tags, event.targets, event.slses, strict=True):
            reaction = self._made(StateIdentity(target, event.scope_identity, tag), sls, event.scope)
            self._add(reaction, {cause: (self._run_id, False)})

    def _hand_down(self, event: FannedOut, tag_of: Callable[[str], str]) -> None:
        """Let each state that a fan-out became owe what was owed as a whole."""
        scope = event.scope_identity
        whole = self._reaction(self._masked(StateIdentity(event.target, scope, tag_of(event.tag_))))
        if whole is None:
            return
        for tag, target in zip(event.tags, event.targets, strict=False):
            identity = self._made(StateIdentity(target, scope, tag_of(tag)), whole.entry.sls, event.scope)
            part = self._reactions[identity]
            part.before = part.before or whole.before
            self._add(identity, whole.causes)
        whole.before, whole.causes = "", {}

    def _end(self, returned: Return, identity: StateIdentity) -> None:
        for number in self._caused.get(identity, ()):
            causes = self._reactions[number].causes
            run_id, has_changed = causes.get(identity, ("", False))
            if returned.changes and returned.result is not False and run_id:
                causes[identity] = (run_id, True)
            elif not has_changed:
                causes.pop(identity, None)
        reaction = self._reactions.get(identity)
        if reaction is not None and returned.result is True and returned.ran:
            reaction.before, reaction.causes = "", {}

    def _add(self, identity: StateIdentity, causes: dict[StateIdentity, tuple[str, bool]]) -> None:
        for cause, called in causes.items():
            self._reactions[identity].causes.setdefault(cause, called)
            self._caused.setdefault(cause, {})[identity] = None

    def _made(self, identity: StateIdentity, sls: str, path: str) -> StateIdentity:
        """Return the masked identity of a reaction, which is known from now on."""
        masked = self._masked(identity)
        if self._reaction(masked) is None:
            self._reactions[masked] = _Reaction(entry=self._entry(masked, sls, path))
        return masked

    def _reaction(self, masked: StateIdentity) -> _Reaction | None:
        """Return a reaction that is owed, or was during these runs."""
        reaction = self._reactions.get(masked)
        if reaction is not None:
            return reaction
        try:
            row = self._kept(masked)
        except StoreError:
            return None  # The run warns that it cannot read what earlier runs enforced.
        if row is None or not row.entry.owed_since:
            return None
        reaction = _Reaction(entry=row.entry, before=row.entry.owed_since)
        return self._reactions.setdefault(masked, reaction)

    def _entry(self, masked: StateIdentity, sls: str, path: str) -> EnforcedEntry:
        words, name = words_of(masked.tag), self._masker.name
        return EnforcedEntry(
            words.module,
            words.function,
            words.id,
            words.name,
            name(sls),
            NO_STATE,
            path=name(path),
            things=(),
        )

    def _masked(self, identity: StateIdentity) -> StateIdentity:
        """Return an identity as entries have it."""
        masker = self._masker
        return StateIdentity(identity.target, masker.name(identity.scope), masker.tag(identity.tag))
