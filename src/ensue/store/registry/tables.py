"""Entries in a database: the statements of one transaction or one reading.

Only SQL that SQLite and PostgreSQL both know. What the statements are for is decided elsewhere.
"""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING, Any, Final

import msgspec
import sqlalchemy as sa

from ensue.core.errors import TamperedError
from ensue.core.model.resource import DeclaredBy
from ensue.core.model.srn import Srn
from ensue.store.registry.active_tables import ActiveRows
from ensue.store.registry.deployment_tables import DeploymentRows
from ensue.store.registry.entry import NEVER_S, RegistryEntry, SourceRecord
from ensue.store.registry.schema import facts, resources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_CHUNK_ROWS: Final = 500
_WATCH_DECODER: Final = msgspec.json.Decoder(tuple[str, ...])
_DECLARED_BY_DECODER: Final = msgspec.json.Decoder(DeclaredBy)
_WATCHED_DECODER: Final = msgspec.json.Decoder(tuple[tuple[str, str], ...])
_C = resources.c

_BEFORE_CONFIG: Final = (_C.id, _C.type, _C.source)
_AFTER_CONFIG: Final = (
    _C.watch, _C.watched, _C.minion, _C.active, _C.reason, _C.registered_at_s, _C.seen_at_s, _C.ttl_s,
    _C.expires_at_s, _C.orphaned, _C.declared_by,
)  # fmt: skip
_SELECT: Final = sa.select(*_BEFORE_CONFIG, _C.config, *_AFTER_CONFIG)
_NEXT_EXPIRY: Final = sa.select(sa.func.min(_C.expires_at_s)).where(_C.active == 1)
_SELECT_ONE: Final = _SELECT.add_columns(_NEXT_EXPIRY.scalar_subquery()).where(_C.id == sa.bindparam("key"))
_SELECT_MANY: Final = _SELECT.where(_C.id.in_(sa.bindparam("keys", expanding=True)))
_SELECT_DERIVED: Final = _SELECT.where(_C.source.in_(sa.bindparam("keys", expanding=True)))
_SELECT_EXPIRED: Final = _SELECT.where(_C.active == 1, _C.expires_at_s <= sa.bindparam("now_s"))
_SELECT_NOTED: Final = (
    sa.select(_C.watch, _C.watched).where(_C.source == sa.bindparam("key"), _C.active == 1).distinct()
)
_IDS: Final = (
    sa.select(_C.id)
    .where(_C.type == sa.bindparam("type"), _C.active == sa.bindparam("active"))
    .order_by(_C.id)
)
_NEXT_TYPE: Final = sa.select(sa.func.min(_C.type)).where(_C.type > sa.bindparam("after"))
_UPDATE_WHOLE: Final = (
    sa.update(resources)
    .where(_C.id == sa.bindparam("key"))
    .values({column.name: sa.bindparam(column.name) for column in resources.columns if column.name != "id"})
)
_DECLARATIONS: Final = (
    sa.select(_C.declared_by, _C.type, _C.id)
    .where(
        _C.declared_by.is_not(None), _C.active == sa.bindparam("active"), _C.minion == sa.bindparam("minion")
    )
    .where(_C.orphaned == sa.bindparam("orphaned"))
    .order_by(_C.declared_by)
)
_STANDING: Final = (
    "watched", "active", "reason", "seen_at_s", "ttl_s", "expires_at_s", "orphaned", "declared_by",
)  # fmt: skip
_UPDATE_STANDING: Final = (
    sa.update(resources)
    .where(_C.id == sa.bindparam("key"))
    .values({name: sa.bindparam(name) for name in _STANDING})
)
_UPDATE_CONFIG: Final = (
    sa.update(resources)
    .where(_C.id == sa.bindparam("key"))
    .values(config=sa.bindparam("config", type_=sa.LargeBinary))
)
_SELECT_FACT: Final = sa.select(facts.c.value).where(facts.c.name == sa.bindparam("key"))
_DELETE: Final = sa.delete(resources).where(_C.id.in_(sa.bindparam("keys", expanding=True)))
_NO_CONFIG: Final = sa.literal(b"", sa.LargeBinary)


def _paged(statement: sa.Select[*tuple[Any, ...]]) -> sa.Select[*tuple[Any, ...]]:
    limit = sa.bindparam("limit", type_=sa.Integer)
    return statement.where(_C.id > sa.bindparam("after")).order_by(_C.id).limit(limit)


_SELECT_WITHOUT_CONFIG: Final = sa.select(*_BEFORE_CONFIG, _NO_CONFIG, *_AFTER_CONFIG)
_SELECT_SOME: Final = _SELECT_WITHOUT_CONFIG.where(_C.id.in_(sa.bindparam("keys", expanding=True)))
_SELECT_SOURCES: Final = sa.select(_C.type, _C.id, _C.source).where(
    _C.id.in_(sa.bindparam("keys", expanding=True)), _C.source.is_not(None)
)
_PAGE: Final = _paged(_SELECT)
_PAGE_WITHOUT_CONFIGS: Final = _paged(_SELECT_WITHOUT_CONFIG)


class StoredEntries:
    """The store's entries over one connection.

    Args:
        connection: inside a transaction when anything is to be written.
    """

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    @property
    def active(self) -> ActiveRows:
        """The active resources of the resource graph."""
        return ActiveRows(self._connection)

    @property
    def deployments(self) -> DeploymentRows:
        """The deployments of environments."""
        return DeploymentRows(self._connection)

    def find_one(self, key: str) -> tuple[RegistryEntry | None, float]:
        """Return an entry by id, and the time at which the next entry of the store expires.

        The time is returned only with an entry: without one, nothing can have expired.
        """
        row = self._connection.execute(_SELECT_ONE, {"key": key}).first()
        if row is None:
            return None, NEVER_S
        return _entry(row), NEVER_S if row[-1] is None else row[-1]

    def find(self, keys: Iterable[str], *, with_configs: bool = True) -> list[RegistryEntry]:
        """Return entries by id; ids without an entry are left out."""
        return self._chunked(_SELECT_MANY if with_configs else _SELECT_SOME, keys)

    def sources(self, keys: Iterable[str]) -> dict[Srn, Srn]:
        """Return the sources of entries by id; those without one are left out."""
        results = (self._connection.execute(_SELECT_SOURCES, {"keys": chunk}) for chunk in _chunks(keys))
        return {Srn(type_, key): _srn(source) for rows in results for type_, key, source in rows}

    def derived_from(self, sources: Iterable[Srn]) -> list[RegistryEntry]:
        """Return the entries that have one of these as their source."""
        return self._chunked(_SELECT_DERIVED, map(str, sources))

    def expired(self, now_s: float) -> list[RegistryEntry]:
        """Return the active entries that have expired."""
        return [_entry(row) for row in self._connection.execute(_SELECT_EXPIRED, {"now_s": now_s})]

    def noted(self, source: Srn) -> set[SourceRecord]:
        """Return the distinct `SourceRecord` of the active entries with this source."""
        rows = self._connection.execute(_SELECT_NOTED, {"key": str(source)})
        return {SourceRecord("cache", _watch(watch), _watched(watched)) for watch, watched in rows}

    def declarations(self, minion: str, *, orphaned: bool) -> dict[DeclaredBy, list[Srn]]:
        """Return the active or orphaned resources that a minion registered through declarations."""
        chosen = {"minion": minion, "active": int(not orphaned), "orphaned": int(orphaned)}
        rows = self._connection.execute(_DECLARATIONS, chosen)
        return {
            _DECLARED_BY_DECODER.decode(text): [Srn(type_, key) for _, type_, key in group]
            for text, group in itertools.groupby(rows, key=operator.itemgetter(0))
        }

    def next_expiry_s(self) -> float:
        """Return the time at which the next active entry expires."""
        earliest = self._connection.execute(_NEXT_EXPIRY).scalar()
        return NEVER_S if earliest is None else earliest

    def types(self) -> list[str]:
        """Return the types that have an entry; takes a few index lookups, however many entries there are."""
        types_: list[str] = []
        while (after := self._next_type(types_[-1] if types_ else "")) is not None:
            types_.append(after)
        return types_

    def _next_type(self, after: str) -> str | None:
        return self._connection.execute(_NEXT_TYPE, {"after": after}).scalar()

    def ids(self, resource_type: str, *, active: bool) -> list[str]:
        """Return the ids of a type's entries that are active, or of those that are not."""
        parameters = {"type": resource_type, "active": int(active)}
        return list(self._connection.execute(_IDS, parameters).scalars())

    def pages(self, *, with_configs: bool = True) -> Iterator[list[RegistryEntry]]:
        """Return every entry, by id, in pages, so that they need not all be in memory at once."""
        statement = _PAGE if with_configs else _PAGE_WITHOUT_CONFIGS
        after = ""
        while rows := self._connection.execute(statement, {"after": after, "limit": _CHUNK_ROWS}).all():
            yield [_entry(row) for row in rows]
            after = rows[-1][0]

    def insert(self, entries: Sequence[RegistryEntry]) -> None:
        """Add entries whose ids are new."""
        if entries:
            self._connection.execute(sa.insert(resources), [_row(entry) for entry in entries])

    def update(self, entries: Sequence[RegistryEntry]) -> None:
        """Replace entries by their ids."""
        if entries:
            self._connection.execute(_UPDATE_WHOLE, [_keyed(entry) for entry in entries])

    def update_standing(self, entries: Sequence[RegistryEntry]) -> None:
        """Write the status and expiry of entries, and leave their configurations alone."""
        if entries:
            self._connection.execute(_UPDATE_STANDING, [_standing(entry) for entry in entries])

    def remove(self, keys: Iterable[str]) -> None:
        """Remove entries by id."""
        for chunk in _chunks(keys):
            self._connection.execute(_DELETE, {"keys": chunk})

    def fact(self, name: str) -> str | None:
        """Return a fact about the store by its name."""
        return self._connection.execute(_SELECT_FACT, {"key": name}).scalar()

    def update_configs(self, entries: Sequence[RegistryEntry]) -> None:
        """Write entries' configurations and nothing else."""
        if entries:
            rows = [{"key": entry.srn.id, "config": entry.config} for entry in entries]
            self._connection.execute(_UPDATE_CONFIG, rows)

    def set_fact(self, name: str, value: str) -> None:
        """Write a fact about the store."""
        self._connection.execute(sa.delete(facts).where(facts.c.name == name))
        self._connection.execute(sa.insert(facts), {"name": name, "value": value})

    def _chunked(self, statement: sa.Select[*tuple[Any, ...]], keys: Iterable[str]) -> list[RegistryEntry]:
        results = (self._connection.execute(statement, {"keys": chunk}).all() for chunk in _chunks(keys))
        return [_entry(row) for rows in results for row in rows]


def _chunks(keys: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(keys)
    while chunk := list(itertools.islice(rest, _CHUNK_ROWS)):
        yield chunk


def _entry(row: Sequence[Any]) -> RegistryEntry:
    try:
        return _read_entry(row)
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        msg = f"{row[1]}:{row[0]}: its row in the store was changed (restore the store from a copy)"
        raise TamperedError(msg) from error


def _read_entry(row: Sequence[Any]) -> RegistryEntry:
    key, type_, source, config, watch, watched, minion, active, reason = row[:9]
    registered, seen, ttl, expires, orphaned, declared_by = row[9:15]
    return RegistryEntry(
        srn=Srn(type_, key),
        scope="cache",
        config=bytes(config),
        source=None if source is None else _srn(source),
        watch=_watch(watch),
        watched=_watched(watched),
        minion=minion,
        active=bool(active),
        reason=reason,
        registered_at_s=float(registered),
        seen_at_s=float(seen),
        ttl_s=float(ttl),
        expires_at_s=float(expires),
        orphaned=bool(orphaned),
        declared_by=None if declared_by is None else _DECLARED_BY_DECODER.decode(declared_by),
    )


def _srn(text: str) -> Srn:
    type_, _, key = text.partition(":")
    return Srn(type_, key)


def _watch(text: str) -> tuple[str, ...]:
    return _WATCH_DECODER.decode(text)


def _watched(text: str) -> tuple[tuple[str, str], ...]:
    return _WATCHED_DECODER.decode(text)


def _row(entry: RegistryEntry) -> dict[str, Any]:
    return {
        "id": entry.srn.id,
        "type": entry.srn.type,
        "source": None if entry.source is None else str(entry.source),
        "config": entry.config,
        "watch": msgspec.json.encode(entry.watch).decode(),
        "minion": entry.minion,
        "registered_at_s": entry.registered_at_s,
        **_standing_columns(entry),
    }


def _keyed(entry: RegistryEntry) -> dict[str, Any]:
    row = _row(entry)
    row["key"] = row.pop("id")
    return row


def _standing(entry: RegistryEntry) -> dict[str, Any]:
    return {"key": entry.srn.id, **_standing_columns(entry)}


def _standing_columns(entry: RegistryEntry) -> dict[str, Any]:
    return {
        "watched": msgspec.json.encode(entry.watched).decode(),
        "active": int(entry.active),
        "reason": entry.reason,
        "seen_at_s": entry.seen_at_s,
        "ttl_s": entry.ttl_s,
        "expires_at_s": entry.expires_at_s,
        "orphaned": int(entry.orphaned),
        "declared_by": None if entry.declared_by is None else _declared_by(entry.declared_by),
    }


def _declared_by(declaration: DeclaredBy) -> str:
    return msgspec.json.encode(declaration).decode()
