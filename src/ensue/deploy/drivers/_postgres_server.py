"""Connections of the driver `postgres`, and messages for a server's errors.

psycopg is an optional dependency and is imported when a connection is needed. Messages quote the server's own
sentence, never the statement, which may contain the verifier of a password.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import math
import traceback
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ensue.core.errors import DriverError
from ensue.deploy.drivers._postgres_inputs import USUAL_MAINTENANCE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from psycopg import AsyncConnection

    from ensue.deploy.drivers._postgres_inputs import DatabaseServer, RequestedDatabase

    Rows: TypeAlias = AsyncConnection[tuple[Any, ...]]

_APPLICATION: Final = "ensue"
_SHORTEST_TIMEOUT_S: Final = 2
_ROLE: Final = "the role of `dbcredentials`"
"""Its name is a secret input, so that no message would show it."""


@contextlib.asynccontextmanager
async def server_errors(key: str, server: DatabaseServer) -> AsyncGenerator[None]:
    """Turn a server's errors into a `DriverError`, and cancel what takes too long (context manager).

    Args:
        key: the resource, as messages name it.
        server: the server.

    Raises:
        DriverError: psycopg is not installed, the server refuses something, or it takes too long.
    """
    psycopg = _psycopg(key)
    try:
        async with asyncio.timeout(server.timeout_s):
            yield
    except TimeoutError:
        took = f"took longer than {server.timeout_s:g} s (`timeout_s` is the limit)"
        message = f"{key}: {server.host} {took}"
    except DriverError as error:
        message = f"{key}: {error}"
    except psycopg.errors.InsufficientPrivilege as error:
        needs = f"{_ROLE} needs CREATEDB and CREATEROLE, or what docs/driver-postgres.md says"
        message = f"{key}: {_sentence(error)} ({needs})"
    except psycopg.Error as error:
        message = f"{key}: {_sentence(error)}"
    else:
        return
    # Without its cause, which has the connection and the statement.
    raise DriverError(message) from None


@contextlib.asynccontextmanager
async def connected(server: DatabaseServer, database: str = "") -> AsyncGenerator[Rows]:
    """Connect as the role that creates databases; each statement is its own transaction.

    Args:
        server: the server.
        database: the database; empty: the maintenance database.

    Raises:
        DriverError: the connection fails.
    """
    import psycopg

    name = database or server.maintenance
    try:
        connection = await _connect(server, server.username, server.password, name)
    except psycopg.OperationalError as error:
        message = f"cannot connect to {server.host} as {_ROLE}: {_sentence(error)}"
        if not database and await _lacks_maintenance(server):
            message += " (`name` is the database to connect to, `database` the one that is made)"
        raise DriverError(message) from None
    async with connection:
        yield connection


async def _lacks_maintenance(server: DatabaseServer) -> bool:
    """Return whether the server lets the role in, just not into the database that it is to connect to."""
    if server.maintenance == USUAL_MAINTENANCE:
        return False
    return await can_log_in(server, server.username, server.password, USUAL_MAINTENANCE)


async def take_turn(connection: Rows, requested: RequestedDatabase) -> None:
    """Wait until nobody else works on what a resource makes, and make others wait from then on.

    A server finishes the statement of a killed client, so a database may appear after it was looked for. The
    lock ends with its session, and so not before such a statement.

    Args:
        connection: its session holds the lock.
        requested: the resource; another one may have the same names, by mistake.
    """
    names = (requested.mark, f"database {requested.database}", f"role {requested.role}")
    keys = {int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True) for name in names}
    for key in sorted(keys):  # All in one order, so that no two wait for each other.
        await connection.execute("SELECT pg_advisory_lock(%s)", (key,))


async def can_log_in(server: DatabaseServer, role: str, password: str, database: str) -> bool:
    """Return whether a role can connect to a database with a password."""
    import psycopg

    try:
        connection = await _connect(server, role, password, database)
    except psycopg.OperationalError:
        return False
    await connection.close()
    return True


async def _connect(server: DatabaseServer, role: str, password: str, database: str) -> Rows:
    from psycopg import AsyncConnection

    try:
        return await AsyncConnection.connect(
            autocommit=True,
            host=server.host,
            port=server.port,
            user=server.login_name(role),
            password=password,
            dbname=database,
            # libpq counts whole seconds, and treats 1 as 2.
            connect_timeout=max(_SHORTEST_TIMEOUT_S, math.ceil(server.connect_timeout_s)),
            application_name=_APPLICATION,
            client_encoding="utf8",
            sslmode=server.ssl_mode or None,
            prepare_threshold=None,
        )
    except BaseException as error:
        # psycopg closes an attempt that was given up when nothing refers to it; the frames of the error do. A
        # server waits a minute for the client of an open one, and lets nobody drop a database meanwhile.
        traceback.clear_frames(error.__traceback__)
        raise


def _psycopg(key: str) -> Any:
    try:
        import psycopg
    except ImportError:
        message = f"{key}: the driver postgres needs psycopg: pip install 'ensue[postgres]'"
        raise DriverError(message) from None
    return psycopg


def _sentence(error: Any) -> str:
    """Return the message of the server, or of libpq if there is no server, without the statement."""
    message = error.diag.message_primary
    if message is None:
        return " ".join(str(error).split())
    detail = error.diag.message_detail
    return f"the server says: {message}{f' ({detail})' if detail else ''}"
