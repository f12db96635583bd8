"""The enforced state: the last `new_state` of every state of a project, kept for later runs.

There is one entry per state, target and scope. A `new_state` that holds a secret is encrypted with the
project's key, and kept in masked form too, which can be shown without the key. The names of entries are also
masked, since a name may contain a secret.

Implements `ensue.core.contracts.enforced`.

Source: Idem's enforced state management (ESM).
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from ensue.core.errors import StoreError
from ensue.core.model.enforced import EnforcedState
from ensue.core.model.kept_output import KEEP_OUTPUT_BYTES, shortened
from ensue.core.model.sensitive_paths import changed_paths, hide_paths, values_at
from ensue.store.registry.enforced_file import EnforcedFile
from ensue.store.registry.enforced_form import EnforcedEntry, EnforcedRow, encoded_state
from ensue.store.registry.former_states import former_state, like, moved_row
from ensue.store.registry.loaded_states import LoadedStates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.data import Data
    from ensue.core.model.enforced import EnforcedBy, FormerState
    from ensue.core.model.kept_output import DataPath
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.core.model.state_identity import StateIdentity
    from ensue.store.registry.lock_waits import LockWaits

MOST_PENDING: Final = 1000
"""How many entries wait to be written before they are; about as many are lost if an apply is killed."""

Found = TypeVar("Found")

_DECODE: Final = msgspec.msgpack.decode


class ShownState(msgspec.Struct, frozen=True, kw_only=True):
    """An entry in the form that is shown to users.

    Args:
        target: the SRN, as text.
        scope: the path of its scope.
        identity: the identity of its scope.
        state: the entry, secrets masked.
        run_id: the run that last wrote it.
    """

    target: str
    scope: str
    identity: str
    state: EnforcedState
    run_id: str


class EnforcedStore:
    """The enforced states of one project.

    Args:
        cachedir: the project's cachedir.
        vault: encrypts what is secret.
        masker: masks the secrets of this process; learns those that are decrypted.
        keep_output_bytes: how much of a long text is kept.
        waits: ends its waits for other processes.
    """

    def __init__(
        self,
        cachedir: Path,
        *,
        vault: Vault,
        masker: Masker,
        keep_output_bytes: int = KEEP_OUTPUT_BYTES,
        waits: LockWaits | None = None,
    ) -> None:
        self._file = EnforcedFile(cachedir, waits)
        self._vault = vault
        self._masker = masker
        self._waits = waits
        self._recalled: LoadedStates | StoreError | None = None
        self._pending: list[tuple[Return, EnforcedBy | None]] = []
        self._turn = threading.Lock()
        self._run_id = ""
        self._has_left: Callable[[EnforcedRow], bool] | None = None
        self._keep_output_bytes = keep_output_bytes

    def begin_run(self, run_id: str) -> None:
        """Set the run that the following entries belong to, and read what earlier runs enforced; this blocks.

        Until `end_run`, lookups do no I/O; they find what earlier runs and this one enforced. If that cannot
        be read, each lookup raises the error.
        """
        self._run_id = run_id
        try:
            self._recalled = self._file.copy()
        except StoreError as error:
            self._recalled = error
        except OSError as error:
            self._recalled = StoreError(f"{self._file.path}: it cannot be read: {error.strerror}")

    def end_run(self) -> None:
        """Have later lookups read the file again."""
        self._recalled = None
        self._has_left = None

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
        rows = self._look(lambda known: known.named(str(target), scope, word))
        return [
            self._opened(row)
            for row in rows
            if f"{row.entry.module}.".startswith(f"{path}.") and not row.is_unidentified
        ]

    def of_state(self, identity: StateIdentity) -> EnforcedState | None:
        """Return one state's entry from the last apply that ran it, this run included; None if there is none.

        Raises:
            StoreError: the file cannot be read, or the entry cannot be decrypted.
        """
        with self._turn:
            pending = self._pending[::-1]
        for returned, _ in pending:
            if returned.tag == identity.tag and returned.identity == identity:
                return _state_of(returned)
        tag, scope = identity.tag, identity.scope
        if self._masker.tag(tag) != tag or self._masker.name(scope) != scope:
            return None  # Several states may have the same name once secrets are masked.
        row = self._look(lambda known: known.one(identity.target, scope, tag))
        if row is None:
            row = moved_row(self._formers(identity), identity)
        return None if row is None or row.is_unidentified else self._opened(row)

    def former(self, identity: StateIdentity) -> FormerState | None:
        """Return what ran under the ID or the name of a state that has no value; see the contract."""
        return former_state(self._formers(identity), identity)

    def judged_by(self, has_left: Callable[[EnforcedRow], bool]) -> None:
        """Set what tells until `end_run` whether a state is declared no more."""
        self._has_left = has_left

    def _formers(self, identity: StateIdentity) -> list[EnforcedRow]:
        """Return the states of the ID or the name of a state, and its function, that are declared no more.

        Raises:
            StoreError: what earlier runs enforced cannot be read.
        """
        if self._has_left is None or identity.scope or not isinstance(self._recalled, LoadedStates):
            return []  # A state of another scope never stands in for one of a block.
        return like(identity, partial(self._of_top_scope, identity.target), self._has_left)

    def _of_top_scope(self, target: str, word: str) -> list[EnforcedRow]:
        return self._look(lambda known: known.named(target, "", word))

    def note(self, returned: Return, by: EnforcedBy | None = None) -> None:
        """Record a state's `new_state`; `flush` writes it.

        Args:
            returned: the return of the state.
            by: its declaration; None if that is not known.
        """
        if returned.result is True and returned.new_state is not None:
            with self._turn:
                self._pending.append((returned, by))

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
        if not pending:
            return
        rows = [self._row(returned, by) for returned, by in pending]
        self._file.write(rows)
        with self._turn:
            if isinstance(self._recalled, LoadedStates):
                self._recalled.add(rows)
            del self._pending[: len(pending)]

    def shown(self) -> Iterator[ShownState]:
        """Yield every entry, secrets masked; needs no key.

        Raises:
            StoreError: the file cannot be read.
        """
        return map(_shown, self._file.all())

    def known(self) -> list[EnforcedRow]:
        """Return the entries of earlier runs and what this one has written; needs no key.

        Raises:
            StoreError: the file cannot be read.
        """
        return self._look(lambda known: known.all())

    def note_reported(self, rows: Iterable[EnforcedRow]) -> None:
        """Record that an apply has reported these entries as no longer declared; this blocks.

        Raises:
            StoreError: that cannot be written.
        """
        self._file.write([_with_by(row, is_reported=True) for row in rows])

    def reseal(self) -> int:
        """Encrypt every secret entry with the project's current key; return how many there were.

        Raises:
            StoreError: an entry cannot be decrypted; nothing was changed.
        """
        sealed = [(row, row.entry.sealed) for row in self._file.all() if row.entry.sealed is not None]
        opened = [(row, self._vault.open(content, context=_context(row))) for row, content in sealed]
        if opened:
            self._file.replace([self._sealed(row, plain) for row, plain in opened])
        return len(opened)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _row(self, returned: Return, by: EnforcedBy | None) -> EnforcedRow:
        return self._kept_highstate(self._row_of(returned, by))

    def _kept_highstate(self, row: EnforcedRow) -> EnforcedRow:
        """Return a row that is a highstate's still, if its state is applied by name in between."""
        by = row.entry.by
        if by is None or by.highstate:
            return row
        before = self._look(lambda known: known.one(row.target, row.scope, row.tag))
        if before is None or before.entry.by is None or not before.entry.by.highstate:
            return row
        return _with_by(row, highstate=True)

    def _row_of(self, returned: Return, by: EnforcedBy | None) -> EnforcedRow:
        new_state, cut = self._kept(returned.new_state)
        if not self._masker.knows_secrets and not returned.sensitive:
            module, function, sls = returned.module, returned.function, returned.sls
            path, arguments = returned.scope, returned.fingerprint
            entry = EnforcedEntry(
                module,
                function,
                returned.id,
                returned.name,
                sls,
                new_state,
                cut=cut,
                path=path,
                by=by,
                arguments=arguments,
            )
            return EnforcedRow(returned.target, returned.scope_identity, returned.tag, self._run_id, entry)
        paths, shown = self._masked(returned)
        masker = self._masker
        id_ = masker.name(returned.id)
        name = id_ if returned.name == returned.id else masker.text(returned.name)
        shown, _ = self._kept(shown)
        entry = EnforcedEntry(
            returned.module,
            returned.function,
            id_,
            name,
            returned.sls,
            shown,
            paths,
            cut=cut,
            path=masker.name(returned.scope),
            by=by,
            arguments=returned.fingerprint,
        )
        identity, tag = masker.name(returned.scope_identity), masker.tag(returned.tag)
        row = EnforcedRow(returned.target, identity, tag, self._run_id, entry)
        return self._sealed(row, new_state) if paths else row

    def _kept(self, new_state: Data) -> tuple[bytes, tuple[DataPath, ...]]:
        """Return a new state as it is written, and where it is cut."""
        encoded = encoded_state(new_state)
        if len(encoded) <= self._keep_output_bytes:
            return encoded, ()
        kept, cut = shortened(new_state, self._keep_output_bytes)
        return (encoded_state(kept), tuple(cut)) if cut else (encoded, ())

    def _sealed(self, row: EnforcedRow, plain: bytes) -> EnforcedRow:
        sealed = self._vault.seal(plain, context=_context(row))
        return msgspec.structs.replace(row, entry=msgspec.structs.replace(row.entry, sealed=sealed))

    def _masked(self, returned: Return) -> tuple[tuple[str, ...], Data]:
        """Return the paths of secrets, including those the state did not report, and the masked data."""
        masked = self._masker.data(returned.new_state)
        found = () if masked is returned.new_state else tuple(changed_paths(returned.new_state, masked))
        paths = tuple(dict.fromkeys((*returned.sensitive, *found)))
        return paths, hide_paths(masked, paths)

    def _opened(self, row: EnforcedRow) -> EnforcedState:
        sealed = row.entry.sealed
        plain = row.entry.shown if sealed is None else self._vault.open(sealed, context=_context(row))
        state = _state(row, plain)
        self._masker.add(*values_at(state.new_state, state.sensitive))
        return state


def _context(row: EnforcedRow) -> str:
    return f"enforced:{row.target}:{row.scope}:{row.tag}"


def _with_by(row: EnforcedRow, **changes: bool) -> EnforcedRow:
    """Return a row with changes to what it says of its declaration."""
    by = row.entry.by
    if by is None:
        return row
    by = msgspec.structs.replace(by, **changes)
    return msgspec.structs.replace(row, entry=msgspec.structs.replace(row.entry, by=by))


def _shown(row: EnforcedRow) -> ShownState:
    return ShownState(
        target=row.target,
        scope=row.entry.path or row.scope,
        identity=row.scope,
        state=_state(row, row.entry.shown),
        run_id=row.run_id,
    )


def _state(row: EnforcedRow, new_state: bytes) -> EnforcedState:
    entry = row.entry
    return EnforcedState(
        tag=row.tag,
        module=entry.module,
        function=entry.function,
        id=entry.id,
        name=entry.name,
        sls=entry.sls,
        new_state=_DECODE(new_state),
        sensitive=entry.sensitive,
        cut=entry.cut,
        arguments=entry.arguments,
    )


def _state_of(returned: Return) -> EnforcedState:
    return EnforcedState(
        tag=returned.tag,
        module=returned.module,
        function=returned.function,
        id=returned.id,
        name=returned.name,
        sls=returned.sls,
        new_state=returned.new_state,
        sensitive=returned.sensitive,
        arguments=returned.fingerprint,
    )
