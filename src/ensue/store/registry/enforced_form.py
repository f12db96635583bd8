"""The stored form of enforced states: single entries, and blobs of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from ensue.core.model.enforced import EnforcedBy  # noqa: TC001 - msgspec resolves it
from ensue.core.model.state_identity import StateIdentity

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_STATE: Final = b"\xc0"
"""MessagePack of null: a new state that is null is not kept."""


class EntryKey(msgspec.Struct, frozen=True, gc=False):
    """What an entry is found by: a state in an environment.

    Args:
        target: SRN, as text.
        scope: the identity of its scope (`state_identity`); empty at the top.
        tag: the chunk's tag.
        environment: what selected the environments of SLS and pillar (`environment_of_values`); empty if
            nothing did.
    """

    target: str
    scope: str
    tag: str
    environment: str

    @property
    def place(self) -> Place:
        """Its target in its environment."""
        return self.target, self.environment


def key_of(identity: StateIdentity, environment: str) -> EntryKey:
    """Return what the entry of a state in an environment is found by."""
    return EntryKey(identity.target, identity.scope, identity.tag, environment)


class EnforcedEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One enforced state as it is stored.

    Args:
        module: module path.
        function: the function in it.
        id: the declaration's ID.
        name: the state's name.
        sls: its SLS.
        shown: MessagePack of the new state, secrets masked; `NO_STATE` if only a reaction is owed.
        sensitive: paths into it.
        sealed: the new state in the clear, encrypted; None where there is no secret in it.
        cut: paths of the values that were shortened.
        path: the path of its scope, as users see it; empty at the top. Entries of ensue 0.1.0 have none, not
            even those in a scope.
        by: the declaration that enforced it. Entries of ensue 0.1.0 have none.
        arguments: the fingerprint of the arguments of the call. Entries of ensue 0.1.0 have none.
        things: what the state is about (`made_thing`); None: what its name names.
        superseded_by: scope and tag of the entry on this target that was enforced later about the same thing,
            and its environment if that is another one; None if this entry is the last one.
        is_absence: whether its function makes absent what the state is about.
        is_former: whether the state is about something else by now (`superseded.left_behind`).
        owed_since: the run since which a reaction of the state to a change is owed; empty: none is.
        owed_by: the declaration of that reaction.
        passed_on: the things that entries enforced later are about; empty although it is superseded: all.
    """

    module: str
    function: str
    id: str
    name: str
    sls: str
    shown: bytes
    sensitive: tuple[str, ...] = ()
    sealed: bytes | None = None
    cut: tuple[tuple[str, ...], ...] = ()
    path: str = ""
    by: EnforcedBy | None = None
    arguments: int | None = None
    things: tuple[str, ...] | None = None
    superseded_by: tuple[str, ...] | None = None
    is_absence: bool = False
    is_former: bool = False
    owed_since: str = ""
    owed_by: EnforcedBy | None = None
    passed_on: tuple[str, ...] = ()


class EnforcedRow(msgspec.Struct, frozen=True):
    """An entry with the keys that it is found by.

    Args:
        target: SRN, as text.
        scope: the identity of its scope (`state_identity`); empty at the top.
        tag: the chunk's tag.
        run_id: the run that last wrote it.
        entry: the entry.
        environment: the environment that it belongs to.
    """

    target: str
    scope: str
    tag: str
    run_id: str
    entry: EnforcedEntry
    environment: str = ""

    @property
    def key(self) -> EntryKey:
        """What it is found by."""
        return EntryKey(self.target, self.scope, self.tag, self.environment)

    @property
    def identity(self) -> StateIdentity:
        """The state that it is the entry of."""
        return StateIdentity(self.target, self.scope, self.tag)

    @property
    def superseded_by(self) -> EntryKey | None:
        """The entry that was enforced later about the same thing; None if this one is the last."""
        by = self.entry.superseded_by
        return None if by is None else EntryKey(self.target, *(*by, self.environment)[:3])

    def superseded(self, key: EntryKey) -> EnforcedRow:
        """Return the row as it is once another entry is enforced about the same thing."""
        elsewhere = () if key.environment == self.environment else (key.environment,)
        by = (key.scope, key.tag, *elsewhere)
        return msgspec.structs.replace(self, entry=msgspec.structs.replace(self.entry, superseded_by=by))

    @property
    def is_readable(self) -> bool:
        """Whether it is the value of one state.

        ensue 0.1.0 wrote entries for the path of a scope, which may be that of another scope now.
        """
        return (
            self.entry.shown != NO_STATE
            and not self.entry.is_former
            and (not self.scope or bool(self.entry.path))
        )

    @property
    def declared_id(self) -> str:
        """The ID as its SLS has it, without the ids of the targets that a run puts before it."""
        by, id_ = self.entry.by, self.entry.id
        targets = () if by is None else (self.target if by.is_fanned_out else "", by.on)
        for target in filter(None, targets):
            id_ = id_.removeprefix(f"{target.partition(':')[2]} ")
        return id_


Kept: TypeAlias = "tuple[str, bytes]"
"""The run that last wrote an entry, and the encoded entry: most entries are only compared."""

Place: TypeAlias = "tuple[str, str]"
"""A target in an environment."""

States: TypeAlias = "dict[Place, dict[str, dict[str, Kept]]]"
"""By target and environment, scope and tag."""

encode_entry: Final = msgspec.msgpack.Encoder().encode
OWES_NOTHING: Final = b"\xa0\xc0\x90"
"""How an entry ends that owes and has passed on nothing, in MessagePack: such entries need not be decoded."""

decode_entry: Final = msgspec.msgpack.Decoder(EnforcedEntry).decode
encode_states: Final = msgspec.msgpack.Encoder().encode
decode_states: Final = msgspec.msgpack.Decoder(
    dict[tuple[str, str], dict[str, dict[str, tuple[str, bytes]]]]
).decode


def row_of(place: Place, scope: str, tag: str, kept: Kept) -> EnforcedRow:
    """Return the row of what is kept under a tag."""
    target, environment = place
    return EnforcedRow(target, scope, tag, kept[0], decode_entry(kept[1]), environment)


def owing_as(row: EnforcedRow, since: str, by: EnforcedBy | None) -> EnforcedRow:
    """Return a row whose state owes a reaction since a run, by a declaration; since no run: owes none."""
    entry = msgspec.structs.replace(row.entry, owed_since=since, owed_by=by if since else None)
    return msgspec.structs.replace(row, entry=entry)


def merge(states: States, later: States) -> None:
    """Put later entries into a collection; they replace those of the same state."""
    for place, scopes in later.items():
        mine = states.setdefault(place, {})
        for scope, entries in scopes.items():
            mine.setdefault(scope, {}).update(entries)


def encoded_rows(rows: Iterable[EnforcedRow]) -> States:
    """Return rows as they are kept; the last row of a state counts.

    States whose names differ only in a secret have the same name once it is masked.
    """
    states: States = {}
    for row in rows:
        entries = states.setdefault(row.key.place, {}).setdefault(row.scope, {})
        entries[row.tag] = (row.run_id, encode_entry(row.entry))
    return states


def differing(later: States, states: States) -> States:
    """Return the entries that differ from those of a collection, or are not in it."""
    changed: States = {}
    for place, scopes in later.items():
        for scope, entries in scopes.items():
            known = states.get(place, {}).get(scope, {})
            own = {tag: kept for tag, kept in entries.items() if tag not in known or known[tag][1] != kept[1]}
            if own:
                changed.setdefault(place, {})[scope] = own
    return changed
