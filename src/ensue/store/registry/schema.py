"""The tables of the cross-run store, and how its database is opened.

The only module here that imports SQLAlchemy at its top; it is itself imported when a store is
opened, never before. Everything works with SQLite (the default) and PostgreSQL unless a
comment says otherwise.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError

from ensue.core.contracts.deadlines import CONNECT_S, KEEPALIVE_S
from ensue.core.errors import StoreError
from ensue.core.files import private_files
from ensue.store.registry.lock_waits import LIMIT_S
from ensue.store.registry.waiting_connection import connect, connect_existing

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from ensue.store.registry.lock_waits import LockWaits
    from ensue.store.registry.waiting_connection import WaitingConnection

SCHEMA_VERSION: Final = 4
"""Increased whenever the tables change; an older store is upgraded, a newer one is refused."""

_VERSION_FACT: Final = "schema_version"
_WITHOUT_DECLARATIONS: Final = "1"
_WITHOUT_ACTIVE: Final = "2"
_WITHOUT_DEPLOYMENTS: Final = "3"
_OLDER: Final = frozenset({_WITHOUT_DECLARATIONS, _WITHOUT_ACTIVE, _WITHOUT_DEPLOYMENTS})
_LARGEST_IDLE_LOG_BYTES: Final = 4 * 1024 * 1024
_WITH_LIBPQ: Final = frozenset({"psycopg", "psycopg_async", "psycopg2"})
_METADATA = sa.MetaData()
_LARGE = sa.LargeBinary().with_variant(sa.LargeBinary(2**32 - 1), "mysql", "mariadb")
_NAME = sa.Text().with_variant(sa.String(255), "mysql", "mariadb")

resources = sa.Table(
    "ensue_resource",
    _METADATA,
    sa.Column("id", _NAME, primary_key=True),
    sa.Column("type", _NAME, nullable=False),
    sa.Column("source", _NAME, nullable=True, index=True),
    sa.Column("config", sa.LargeBinary, nullable=False),
    sa.Column("watch", sa.Text, nullable=False),
    sa.Column("watched", sa.Text, nullable=False),
    sa.Column("minion", sa.Text, nullable=False),
    sa.Column("active", sa.SmallInteger, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("registered_at_s", sa.Double, nullable=False),
    sa.Column("seen_at_s", sa.Double, nullable=False),
    sa.Column("ttl_s", sa.Double, nullable=False),
    sa.Column("expires_at_s", sa.Double, nullable=False),
    sa.Column("orphaned", sa.SmallInteger, nullable=False, server_default="0"),
    sa.Column("declared_by", sa.Text, nullable=True),
    # The columns that targets need: read from the index alone, whatever else the rows hold.
    sa.Index("ensue_resource_names", "type", "active", "id"),
    sa.Index("ensue_resource_expiry", "active", "expires_at_s"),
)
"""One row per resource. The id alone is the key: ids are unique over all types."""

active_resources = sa.Table(
    "ensue_active",
    _METADATA,
    sa.Column("org", _NAME, primary_key=True),
    sa.Column("app", _NAME, primary_key=True),
    sa.Column("env", _NAME, primary_key=True),
    # The type, class and id of a resource, written as one: MySQL limits the length of a key.
    sa.Column("resource", _NAME, primary_key=True),
    sa.Column("definition", sa.Text, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("changed_at_s", sa.Double, nullable=False),
)
"""One row per active resource of the resource graph; `content` is sealed."""

deployments = sa.Table(
    "ensue_deployment",
    _METADATA,
    sa.Column("org", _NAME, primary_key=True),
    sa.Column("app", _NAME, primary_key=True),
    sa.Column("env", _NAME, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("record", sa.LargeBinary, nullable=False),
    sa.Column("content", _LARGE, nullable=False),
)
"""One row per deployment of an environment; `record` and `content`, its set, are sealed."""

facts = sa.Table(
    "ensue_fact",
    _METADATA,
    sa.Column("name", _NAME, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
"""Facts about the store itself: `schema_version`; `key_id`, the key it is encrypted with;
`fingerprint_key`, sealed, the key that watched grains are hashed with;
`store_id`, the id with which drivers mark what they make."""


def open_sqlite(path: Path, waits: LockWaits) -> sa.Engine:
    """Open the default store; create it if there is none.

    Args:
        path: the database file.
        waits: ends its waits for other processes.

    Raises:
        OSError: the file cannot be created.
        sqlalchemy.exc.DatabaseError: it is not a SQLite database.
        StoreError: it was written by a newer ensue.
    """
    if not path.exists():
        if not path.parent.is_dir():
            private_files.make_private_directory(path.parent)
        _create_sqlite(path, waits)
    engine = _sqlite_engine(path, lambda: connect_existing(path, waits))
    with _disposed_on_failure(engine):
        _check_version(engine)
    return engine


def open_url(url: str) -> sa.Engine:
    """Open a store on a database server; create its tables if there are none.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: there is no such server, driver or database.
        StoreError: it was written by a newer ensue.
    """
    parsed = sa.make_url(url)
    engine = sa.create_engine(
        parsed, connect_args=_deadlines(parsed), hide_parameters=True, pool_pre_ping=True
    )
    if engine.dialect.name == "postgresql":
        event.listen(engine, "connect", _prepare_postgresql)
    with _disposed_on_failure(engine):
        # Two processes may create the tables at once; the second one then finds them.
        with suppress(IntegrityError, OperationalError, ProgrammingError):
            _create_tables(engine)
        _check_version(engine)
    return engine


def _deadlines(url: sa.URL) -> dict[str, Any]:
    """Return what makes libpq give up a server that does not connect, or is gone; the URL has priority."""
    if url.get_driver_name() not in _WITH_LIBPQ:
        return {}
    idle_s = int(KEEPALIVE_S)
    deadlines = {
        "connect_timeout": int(CONNECT_S),
        "keepalives_idle": idle_s,
        "keepalives_interval": idle_s,
        "keepalives_count": 3,
        "tcp_user_timeout": 4 * idle_s * 1000,
    }
    return {name: value for name, value in deadlines.items() if name not in url.query}


@contextmanager
def _disposed_on_failure(engine: sa.Engine) -> Generator[None]:
    """Close an engine's connections if it turns out to be unusable."""
    try:
        yield
    except BaseException:
        engine.dispose()
        raise


def _create_sqlite(path: Path, waits: LockWaits) -> None:
    # Created under another name and linked into place, so nobody opens a store without its tables, and
    # one of two concurrent processes wins. The journal mode is kept in the file.
    temporary = private_files.beside(path)
    try:
        os.close(private_files.open_private_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        engine = _sqlite_engine(temporary, lambda: connect(temporary, waits))
        with _disposed_on_failure(engine):
            with engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            _create_tables(engine)
            with engine.connect() as connection:
                # Closing would do that as well, but not say that there was no room for it.
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        engine.dispose()
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        for suffix in ("", "-wal", "-shm"):
            temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)


def _create_tables(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        _METADATA.create_all(connection)
        connection.execute(sa.insert(facts), {"name": _VERSION_FACT, "value": str(SCHEMA_VERSION)})


def _sqlite_engine(path: Path, creator: Callable[[], WaitingConnection]) -> sa.Engine:
    url = sa.URL.create("sqlite", database=str(path))
    # The driver must not begin transactions by itself: `take_turn` begins its own.
    engine = sa.create_engine(url, creator=creator, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    try:
        # Enough against kill -9, and a database in WAL mode is not corrupted by a power cut either.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(f"PRAGMA journal_size_limit={_LARGEST_IDLE_LOG_BYTES}")
    except BaseException:
        # The file is not a database. The pool does not have the connection yet, so it is closed here.
        connection.close()
        raise


def _prepare_postgresql(connection: Any, _record: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = {int(LIMIT_S * 1000)}")
    connection.commit()


def _check_version(engine: sa.Engine) -> None:
    """Upgrade a store of an older version, and refuse what this ensue cannot read."""
    with engine.connect() as connection:
        stored_version = _version(connection)
    if stored_version in _OLDER:
        _bring_up_to_date(engine)
        return
    where = engine.url.render_as_string(hide_password=True)
    if stored_version is None:
        raise StoreError(f"{where}: the store has no version: it is damaged (restore it from a copy)")
    if stored_version != str(SCHEMA_VERSION):
        msg = (
            f"{where}: the store is of version {stored_version}, "
            f"this ensue knows {SCHEMA_VERSION} (use a newer ensue)"
        )
        raise StoreError(msg)


def _bring_up_to_date(engine: sa.Engine) -> None:
    """Add what later versions have.

    Version 2 says which declaration registered a resource, and whether it was orphaned; version 3 has the
    active resources of the resource graph, and version 4 the deployments of environments.
    """
    with engine.begin() as connection:
        take_turn(connection)
        # Of several processes that open the store at once, the first one does it.
        stored_version = _version(connection)
        if stored_version == _WITHOUT_DECLARATIONS:
            name = resources.name
            connection.exec_driver_sql(f"ALTER TABLE {name} ADD COLUMN orphaned SMALLINT DEFAULT 0 NOT NULL")
            connection.exec_driver_sql(f"ALTER TABLE {name} ADD COLUMN declared_by TEXT")
        for table in (active_resources, deployments):
            table.create(connection, checkfirst=True)
        version = sa.update(facts).where(facts.c.name == _VERSION_FACT)
        connection.execute(version.values(value=str(SCHEMA_VERSION)))


def _version(connection: sa.Connection) -> str | None:
    return connection.execute(sa.select(facts.c.value).where(facts.c.name == _VERSION_FACT)).scalar()


def take_turn(connection: sa.Connection) -> None:
    """Begin a transaction as a writer, so that what it reads cannot change before it writes."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        return
    statement = sa.select(facts.c.value).where(facts.c.name == _VERSION_FACT)
    connection.execute(statement.with_for_update())
