"""The reactions to changes that a project owes, each kept in the entry of its state.

A state that has no entry gets one without a value.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.state_identity import StateIdentity
from ensue.store.registry.enforced_form import NO_STATE, EnforcedEntry, EnforcedRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ensue.core.masking import Masker
    from ensue.core.model.chunk import Chunk


class NotedReactions:
    """The reactions of one run, until they are written.

    Args:
        masker: masks the names of states.
    """

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._turn = threading.Lock()
        self._noted: dict[StateIdentity, tuple[EnforcedEntry, bool]] = {}

    def kept_under(self, identity: StateIdentity) -> StateIdentity:
        """Return an identity as entries have it, secrets masked."""
        masker = self._masker
        return StateIdentity(identity.target, masker.name(identity.scope), masker.tag(identity.tag))

    def is_noted(self, identity: StateIdentity) -> bool:
        """Return whether this run owes a reaction: an attempt before this one did not complete it."""
        with self._turn:
            _, is_done = self._noted.get(self.kept_under(identity), (None, True))
        return not is_done

    def note(self, chunk: Chunk, identity: StateIdentity, path: str, *, is_done: bool) -> None:
        """Note a reaction; see `contracts.owed_reactions`."""
        masker = self._masker
        id_, name = masker.name(chunk.id), masker.text(chunk.name)
        entry = EnforcedEntry(
            chunk.module, chunk.function, id_, name, chunk.sls, NO_STATE, path=masker.name(path), things=()
        )
        with self._turn:
            self._noted[self.kept_under(identity)] = (entry, is_done)

    def take(
        self, known: Callable[[StateIdentity], EnforcedRow | None], run_id: str
    ) -> Iterator[EnforcedRow]:
        """Yield the rows that change, and forget what was noted.

        Args:
            known: returns the row of a state; None if it has none.
            run_id: the run.
        """
        with self._turn:
            noted, self._noted = self._noted, {}
        for identity, (entry, is_done) in noted.items():
            row = known(identity)
            since = "" if row is None else row.entry.owed_since
            if is_done != bool(since):
                continue
            if row is None:
                row = EnforcedRow(identity.target, identity.scope, identity.tag, run_id, entry)
            owing = msgspec.structs.replace(row.entry, owed_since="" if is_done else run_id)
            yield msgspec.structs.replace(row, entry=owing)
