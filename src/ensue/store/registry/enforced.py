"""The enforced state: the last `new_state` of every state of a project, kept for later runs.

There is one entry per state, target, scope and environment. A run reads those of its environment; those of
all environments tell which state enforced a thing last. A `new_state` that holds a secret is encrypted with
the project's key, and kept in masked form too, which can be shown without the key. The names of entries are
also masked, since a name may contain a secret.

Implements `ensue.core.contracts.enforced`.

Source: Idem's enforced state management (ESM).
"""

from __future__ import annotations

import threading
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from ensue.core.errors import StoreError
from ensue.core.model.kept_output import KEEP_OUTPUT_BYTES
from ensue.core.model.made_thing import MAKES_NOTHING
from ensue.core.model.sensitive_paths import hide_paths
from ensue.store.registry.enforced_file import EnforcedFile
from ensue.store.registry.enforced_form import NO_STATE, key_of, owing_as
from ensue.store.registry.enforced_rows import EnforcedRows
from ensue.store.registry.enforced_views import (
    encoded,
    sealing_context,
    shown_state,
    state_of_return,
    with_declaration,
)
from ensue.store.registry.former_states import former_state, like, moved_row
from ensue.store.registry.killed_applies import NONE_KILLED
from ensue.store.registry.loaded_states import LoadedStates
from ensue.store.registry.owed import ReactionLedger
from ensue.store.registry.states_elsewhere import last_of_others, ran_elsewhere
from ensue.store.registry.superseded import LastEnforced

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.enforced import EnforcedBy, EnforcedState, FormerState, RanElsewhere
    from ensue.core.model.made_thing import MadeByState
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.core.model.state_identity import StateIdentity
    from ensue.store.registry.enforced_form import EnforcedRow, EntryKey
    from ensue.store.registry.enforced_views import ShownState
    from ensue.store.registry.former_states import JudgedStates
    from ensue.store.registry.killed_applies import KilledApplies
    from ensue.store.registry.lock_waits import LockWaits

MOST_PENDING: Final = 1000
"""How many entries wait to be written before they are; about as many are lost if an apply is killed."""

Found = TypeVar("Found")


class EnforcedStore:
    """The enforced states of one project.

    Args:
        cachedir: the project's cachedir.
        vault: encrypts what is secret.
        masker: masks the secrets of this process; learns those that are decrypted.
        keep_output_bytes: how much of a long text is kept.
        waits: ends its waits for other processes.
        environment: the environment whose values are read and written (`environment_of_values`).

    `reactions` are what the project owes; `flush` writes them.
    """

    def __init__(
        self,
        cachedir: Path,
        *,
        vault: Vault,
        masker: Masker,
        keep_output_bytes: int = KEEP_OUTPUT_BYTES,
        waits: LockWaits | None = None,
        environment: str = "",
    ) -> None:
        self._environment = environment
        self._file = EnforcedFile(cachedir, waits)
        self._vault = vault
        self._masker = masker
        self._waits = waits
        self._recalled: LoadedStates | StoreError | None = None
        self._pending: list[tuple[Return, EnforcedBy | None]] = []
        self._skipped: list[tuple[Return, EnforcedBy | None]] = []
        self._concealed: dict[StateIdentity, tuple[str, ...]] = {}
        self._turn = threading.Lock()
        self._run_id = ""
        self._made_by: Callable[[Return], MadeByState] = lambda _: MAKES_NOTHING
        self._last: LastEnforced | None = None
        self._judged: JudgedStates | None = None
        self._killed: Mapping[EntryKey, FormerState] = {}
        self._rows = EnforcedRows(vault, masker, keep_output_bytes, environment)
        self.reactions = ReactionLedger(
            masker, self._row_of, lambda: self._look(lambda known: known.owing()), environment
        )

    def begin_run(
        self,
        run_id: str,
        made_by: Callable[[Return], MadeByState] = lambda _: MAKES_NOTHING,
        earlier: KilledApplies = NONE_KILLED,
    ) -> None:
        """Set the run that the following entries belong to, and read what earlier runs enforced; this blocks.

        Until `end_run`, lookups do no I/O; they find what earlier runs and this one enforced. If that cannot
        be read, each lookup raises the error.

        Args:
            run_id: the run.
            made_by: returns what a state makes.
            earlier: the applies before it that were killed.
        """
        self._run_id = run_id
        self._killed = earlier.begun
        self._made_by = made_by
        try:
            self._recalled = self._file.copy()
        except StoreError as error:
            self._recalled = error
        except OSError as error:
            self._recalled = StoreError(f"{self._file.path}: it cannot be read: {error.strerror}")
        self.reactions.begin(earlier.owing)

    def end_run(self) -> None:
        """Have later lookups read the file again."""
        self._recalled = self._last = self._judged = self.reactions.judged = None
        self._killed = {}

    def end_waits(self) -> None:
        """End the waits for other processes, now and from now on: what would wait raises a `StoreError`."""
        if self._waits is not None:
            self._waits.end()

    def _look(self, look: Callable[[LoadedStates | EnforcedFile], Found]) -> Found:
        """Look into what a run has read, which needs no I/O, or into the file if there is no run."""
        recalled = self._recalled
        if isinstance(recalled, StoreError):
            raise StoreError(str(recalled)) from recalled
        if recalled is None:
            return look(self._file)
        with self._turn:
            return look(recalled)

    def find(self, target: Srn, scope: str, path: str, id: str) -> list[EnforcedState]:  # noqa: A002 - the word it has
        """Return every entry of a scope that a reference could mean; see the contract.

        Raises:
            StoreError: the file cannot be read, or an entry cannot be decrypted.
        """
        if enforced_states := self._named(target, scope, path, id):
            return enforced_states
        # A state that has a `tgt`, or is applied to a target, is stored under the ID of its return.
        enforced_states = self._named(target, scope, path, f"{target.id} {id}")
        return [msgspec.structs.replace(enforced_state, id=id) for enforced_state in enforced_states]

    def _named(self, target: Srn, scope: str, path: str, word: str) -> list[EnforcedState]:
        if self._masker.name(scope) != scope:
            return []
        rows = self._look(lambda known: known.named((str(target), self._environment), scope, word))
        meant = (row for row in rows if f"{row.entry.module}.".startswith(f"{path}.") and row.is_readable)
        return [*map(self._opened, meant)]

    def ran_elsewhere(self, target: Srn, path: str, id: str) -> RanElsewhere:  # noqa: A002 - the word it has
        """Return where states were enforced that a reference could mean; see the contract.

        Raises:
            StoreError: the file cannot be read.
        """
        rows = self.known_on(lambda name: name == str(target))
        return ran_elsewhere(rows, self._environment, path, id)

    def of_state(self, identity: StateIdentity) -> EnforcedState | None:
        """Return one state's entry from the last apply that ran it, this run included; None if there is none.

        Raises:
            StoreError: the file cannot be read, or the entry cannot be decrypted.
        """
        with self._turn:
            pending = self._pending[::-1]
        for returned, _ in pending:
            if returned.tag == identity.tag and returned.identity == identity:
                return state_of_return(returned)
        row = self._entry_of(identity)
        return None if row is None else self._opened(row, identity)

    def _entry_of(self, identity: StateIdentity) -> EnforcedRow | None:
        """Return the entry of a state, also if its ID or that of a caller of its block was renamed."""
        tag, scope = identity.tag, identity.scope
        if self._masker.tag(tag) != tag or self._masker.name(scope) != scope:
            return None  # Several states may have the same name once secrets are masked.
        row = self._row_of(self._key(identity))
        if row is not None and row.is_readable:
            return row
        return moved_row(self._formers(identity), identity)

    def conceal(self, identity: StateIdentity, paths: Collection[str]) -> None:
        """Treat parts of a state's stored value as secret; see the contract. `flush` encrypts them.

        Raises:
            StoreError: the file cannot be read, or the entry cannot be decrypted.
        """
        with self._turn:
            self._concealed[identity] = tuple(paths)
        self.of_state(identity)  # The masker learns the secrets.

    def superseding(self, identity: StateIdentity) -> EnforcedState | None:
        """Return the entry, of any environment, that was enforced after a state's, about the same thing.

        It tells who changed a thing; its value is no other state's.

        Raises:
            StoreError: the file cannot be read, or the entry cannot be decrypted.
        """
        own = self._entry_of(identity)
        row = None if own is None or own.superseded_by is None else self._row_of(own.superseded_by)
        return None if row is None else self._opened(row)

    def former(self, identity: StateIdentity) -> FormerState | None:
        """Return what ran for a state that has no value; see the contract."""
        key = self._key(identity)
        former = self._killed.get(key) or former_state(self._formers(identity), identity)
        return former or last_of_others(self._look(lambda known: known.elsewhere(key)))

    def judged_by(self, judged: JudgedStates) -> None:
        """Set what tells until `end_run` whether an entry is declared no more."""
        self._judged = self.reactions.judged = judged

    def _formers(self, identity: StateIdentity) -> list[EnforcedRow]:
        """Return the entries like a state that are declared no more.

        Raises:
            StoreError: what earlier runs enforced cannot be read.
        """
        judged = self._judged
        if judged is None:
            return []
        place = (identity.target, self._environment)
        return self._look(lambda known: like(identity, partial(known.alike, place), judged.has_left))

    def note(self, returned: Return, by: EnforcedBy | None = None) -> None:
        """Record a state's `new_state`; `flush` writes it, or the one that a skipped state had by another ID.

        Args:
            returned: the return of the state.
            by: its declaration; None if that is not known.
        """
        if returned.result is True and (returned.new_state is not None or returned.skipped):
            with self._turn:
                (self._skipped if returned.new_state is None else self._pending).append((returned, by))

    @property
    def is_full(self) -> bool:
        """Whether enough entries wait that `flush` is due."""
        return len(self._pending) >= MOST_PENDING

    def flush(self) -> None:
        """Write the recorded entries; this blocks.

        Raises:
            StoreError: they cannot be written; they stay recorded.
        """
        with self._turn:
            pending = self._pending.copy()
            skipped = self._skipped.copy()
            concealed = self._concealed.copy()
        if changed := [*self._newly_sealed(concealed), *self._renamed(skipped)]:
            self._write(changed)
            self._last = None
        with self._turn:
            for identity in concealed:
                self._concealed.pop(identity, None)
            del self._skipped[: len(skipped)]
        if pending:
            self._write_pending(pending)
        if owed := self.reactions.rows(self._run_id):
            self._write(owed)
            self._last = None

    def _write_pending(self, pending: Sequence[tuple[Return, EnforcedBy | None]]) -> None:
        made_by = [self._made_by(returned) for returned, _ in pending]
        whole = zip(pending, made_by, strict=True)
        rows = [self._as_before(self._rows.of_return(*noted, made, self._run_id)) for noted, made in whole]
        if self._last is None and any(row.entry.things != () for row in rows):
            self._last = LastEnforced(self.known())
        if last := self._last:
            rows = [*chain.from_iterable(map(last.enforce, rows, (made.removed for made in made_by)))]
        self._write(rows)
        with self._turn:
            del self._pending[: len(pending)]

    def _row_of(self, key: EntryKey) -> EnforcedRow | None:
        return self._look(lambda known: known.one(key))

    def _key(self, identity: StateIdentity) -> EntryKey:
        return key_of(identity, self._environment)

    def _write(self, rows: Sequence[EnforcedRow]) -> None:
        later = self._file.write(rows)
        with self._turn:
            if isinstance(self._recalled, LoadedStates):
                self._recalled.add(later)

    def shown(self) -> Iterator[ShownState]:
        """Yield every entry, secrets masked; needs no key.

        Raises:
            StoreError: the file cannot be read.
        """
        return map(shown_state, (row for row in self._file.all() if row.entry.shown != NO_STATE))

    def known(self, besides: Collection[EntryKey] = ()) -> list[EnforcedRow]:
        """Return the entries of earlier runs and this one, of all environments, but some; needs no key.

        Raises:
            StoreError: the file cannot be read.
        """
        return self._look(lambda known: known.all(besides))

    def known_on(self, is_chosen: Callable[[str], bool]) -> list[EnforcedRow]:
        """Return the entries of the targets that are chosen by their names; see `known`."""
        return self._look(lambda known: known.on(is_chosen))

    def rewrite(self, rows: Sequence[EnforcedRow]) -> None:
        """Replace entries by what a run now knows of the same states; this blocks.

        Raises:
            StoreError: that cannot be written.
        """
        if rows:
            self._write(rows)
            self._last = None

    def forget(self, rows: Sequence[EnforcedRow]) -> None:
        """Remove entries; this blocks.

        Raises:
            StoreError: that cannot be written; nothing was removed.
        """
        if rows:
            self._file.remove(rows)

    def reseal(self) -> int:
        """Encrypt every secret entry with the project's current key; return how many there were.

        Raises:
            StoreError: an entry cannot be decrypted; nothing was changed.
        """
        sealed = [(row, row.entry.sealed) for row in self._file.all() if row.entry.sealed is not None]
        opened = [(row, self._vault.open(content, context=sealing_context(row))) for row, content in sealed]
        if opened:
            self._file.replace([self._rows.sealed(row, plain) for row, plain in opened])
        return len(opened)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _as_before(self, row: EnforcedRow) -> EnforcedRow:
        """Return a row that is a highstate's still if its state is applied by name, and that still owes."""
        before = self._row_of(row.key)
        if before is None:
            return row
        if before.entry.owed_since:
            row = owing_as(row, before.entry.owed_since, before.entry.owed_by)
        is_of_highstate = before.entry.by is not None and before.entry.by.highstate
        return with_declaration(row, highstate=True) if is_of_highstate else row

    def _renamed(self, skipped: Iterable[tuple[Return, EnforcedBy | None]]) -> Iterator[EnforcedRow]:
        """Yield the entries of skipped states that an earlier run knew by another ID."""
        for returned, by in skipped:
            row = self._entry_of(returned.identity)
            if row is not None and (row.scope, row.tag) != (returned.scope_identity, returned.tag):
                yield from self._rows.renamed(row, returned, by)

    def _newly_sealed(self, concealed: Mapping[StateIdentity, Sequence[str]]) -> Iterator[EnforcedRow]:
        """Yield, encrypted, the entries that have further secrets than when they were written."""
        for identity, paths in concealed.items():
            row = self._entry_of(identity)
            if row is None or set(paths) <= set(row.entry.sensitive):
                continue
            state = self._opened(row, identity)
            shown = encoded(hide_paths(msgspec.msgpack.decode(row.entry.shown), paths))
            entry = msgspec.structs.replace(row.entry, shown=shown, sensitive=state.sensitive)
            yield self._rows.sealed(msgspec.structs.replace(row, entry=entry), encoded(state.new_state))

    def _opened(self, row: EnforcedRow, identity: StateIdentity | None = None) -> EnforcedState:
        return self._rows.opened(row, self._concealed.get(identity or row.identity, ()))
