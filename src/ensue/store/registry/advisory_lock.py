"""A lock of a PostgreSQL server, held by a connection of its own; a fact in the store names the holder.

The server releases it when the connection ends: when its holder ends, or when the network between them fails.
So `confirm` asks the server whether the lock is still held. A connection pooler that exchanges connections
between transactions (PgBouncer with `pool_mode = transaction`) cannot hold it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from ensue.core.errors import StoreError
from ensue.store.registry.lock import Lock
from ensue.store.registry.lock_holder import LockHolder, read_holder

if TYPE_CHECKING:
    from ensue.store.registry.store import CrossRunStore

_SETTINGS: Final = (
    "SET lock_timeout = 0",
    # A firewall may forget a connection that is silent for long.
    "SET tcp_keepalives_idle = 60",
)
_OF_NEWER_SERVERS: Final = (
    "SET idle_session_timeout = 0",
    # So that a server does not give the lock to a process that has ended while it waited.
    "SET client_connection_check_interval = '5s'",
)
_TRY: Final = sa.text("SELECT pg_try_advisory_lock(:key)")
_WAIT: Final = sa.text("SELECT pg_advisory_lock(:key)")
_HELD: Final = (
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND (classid::bigint << 32 | objid::bigint) = :key"
)
_HOLDER: Final = sa.text(_HELD)
_OWN: Final = sa.text(f"{_HELD} AND pid = pg_backend_pid()")
_PID: Final = sa.text("SELECT pg_backend_pid()")


class AdvisoryLock(Lock):
    """A lock of the server that a store is on.

    Args:
        store: the store.
        key: the number of the lock, of 64 bits with a sign.
        activity: what its holder does, as messages say it.
    """

    def __init__(self, store: CrossRunStore, key: int, activity: str) -> None:
        super().__init__(activity)
        self._store = store
        self._key = key
        self._session: sa.Connection | None = None

    def confirm(self) -> None:
        """Ask the server whether the lock is still held.

        Raises:
            StoreError: it is lost, because the connection to the server was.
        """
        with suppress(SQLAlchemyError):
            if self._session is not None and self._asked(_OWN) is not None:
                return
        raise StoreError(
            f"{self._store.label}: the connection to the server was lost, and with it the lock"
            " (nothing further was begun; run the command again)"
        )

    def release(self) -> None:
        """Release the lock and close its connection; releasing it again does nothing. This blocks."""
        session, self._session = self._session, None
        if session is None:
            return
        with suppress(SQLAlchemyError), session:
            # The end of the connection would do, but the server would notice it a moment later.
            session.exec_driver_sql("SELECT pg_advisory_unlock_all()")

    def _try(self) -> bool:
        with self._store.guarded():
            self._session = self._store.session()
            for setting in _SETTINGS:
                self._session.exec_driver_sql(setting)
            for setting in _OF_NEWER_SERVERS:
                with suppress(SQLAlchemyError):
                    self._session.exec_driver_sql(setting)
            return bool(self._asked(_TRY))

    def _wait(self) -> None:
        with self._store.guarded():
            self._asked(_WAIT)

    def _holder(self) -> LockHolder:
        with self._store.guarded():
            backend = self._asked(_HOLDER)
        with self._store.reading() as entries:
            noted, _, note = (entries.fact(self._fact) or "").partition(" ")
        # A note that another connection has written is that of an earlier holder.
        return read_holder(note) if noted == str(backend) else LockHolder()

    def _note(self, holder: LockHolder) -> None:
        with self._store.guarded():
            backend = self._asked(_PID)
        with self._store.transaction() as entries:
            entries.set_fact(self._fact, f"{backend} {msgspec.json.encode(holder).decode()}")

    @property
    def _fact(self) -> str:
        return f"lock:{self._key}"

    def _asked(self, statement: sa.TextClause) -> int | bool | None:
        assert self._session is not None  # noqa: S101 -- `_try` comes first
        parameters = {} if statement is _PID else {"key": self._key}
        answer: int | bool | None = self._session.execute(statement, parameters).scalar()
        return answer
