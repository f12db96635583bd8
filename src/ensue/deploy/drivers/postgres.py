"""Driver `postgres`: a database with a role of its own on a PostgreSQL server.

The role's password is generated here and kept in the cookie. The server gets only its SCRAM verifier, so the
password is in no log of the server. docs/driver-postgres.md has the inputs, outputs and required rights.

Args:
    values.host: required: name or address of the server, or the folder of its socket
    values.port: its port (5432)
    values.name: the database to connect to while databases are created and removed (`postgres`); not the
        new one
    values.append_host_to_user: `true`: roles log in as `ROLE@SERVER`
    values.template_name: the database that the new one is a copy of
    values.instance: passed on as an output
    values.database: the name of the new database; default: `db_` and the globally unique id of the resource
    values.user: the name of the new role; default: `user_` and that id
    values.owner: an existing role that owns the database
    values.schema: a schema for the role; default: `public`
    values.extensions: extensions to install: a list of names, or a mapping of names to `schema` and
        `version`
    values.connection_limit: connections at once (-1: no limit)
    values.ssl_mode: `disable`, `allow`, `prefer`, `require`, `verify-ca` or `verify-full`
    values.connect_timeout_s: seconds that connecting may take (10)
    values.timeout_s: seconds that a whole create, update or delete may take (600)
    values.force_delete: `true`: a deletion ends the connections of others
    secrets.dbcredentials: required: `username` and `password` of the role that creates the database
    secrets.agent_url: accepted and not used

Example:
    kind: Definition
    metadata: {id: postgres}
    entity:
      type: postgres
      driver_type: postgres
      driver_inputs:
        values: {host: db.internal}
        secret_refs:
          dbcredentials:
            username: {value: admin}
            password: {store: environment, ref: ADMIN_PASSWORD}
      criteria: [{}]

Source: resource graph document, "Resource references"; Humanitec, "PostgreSQL" (driver) and "postgres"
(resource type).
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

import msgspec

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.contracts.managed_objects import ManagedObject
from ensue.core.errors import DriverError
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.drivers._inputs import refuse_wrong
from ensue.deploy.drivers._postgres_found import count_connections, find, find_inside
from ensue.deploy.drivers._postgres_inputs import (
    DatabaseServer,
    RequestedDatabase,
    requested_place,
    wanted_of,
    wrong_postgres,
)
from ensue.deploy.drivers._postgres_server import connected, server_errors, take_turn
from ensue.deploy.drivers._postgres_steps import (
    database_steps,
    drop_database,
    drop_role,
    inside_steps,
    role_steps,
    run_steps,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.driver import DriverRequest
    from ensue.core.model.data import DataMap
    from ensue.deploy.drivers._postgres_found import ForeignObject, FoundOnServer
    from ensue.deploy.drivers._postgres_server import Rows

ALWAYS_CALLED: Final = True
KEEPS_FIRST: Final = True
OUTPUTS: Final = frozenset({"host", "port", "name", "instance", "username", "password", "connection"})
"""An update checks the server even if no input has changed, and changes what differs."""

ROTATES: Final = True
"""An update makes a new password for the role, if it is asked to."""

_PASSWORD_BYTES: Final = 24


class PostgresCookie(msgspec.Struct, frozen=True, kw_only=True):
    """The cookie: what an update and a deletion need.

    Args:
        wanted: what the inputs requested, including server and credentials.
        password: the role's password.
        verifier: the form in which the server stores it.
        is_made: whether everything was created.
    """

    wanted: RequestedDatabase
    password: str
    verifier: str
    is_made: bool = False

    def place(self) -> tuple[str, int, str, str]:
        """Return what cannot change: its server and its names."""
        return _place(self.wanted)


def check(request: DriverRequest) -> list[str]:
    """Return what is wrong with the inputs, one sentence per error."""
    return list(wrong_postgres(request))


def manages(request: DriverRequest) -> Sequence[ManagedObject]:
    """Return the database and the role that the inputs request, as far as they are known."""
    place = None if check(request) else requested_place(request)
    return () if place is None else _objects(*place)


def destroys(cookie: DataMap | None) -> Sequence[ManagedObject]:
    """Return the database and the role that a deletion removes.

    There is no `managed`: the address in an old record may lead to another server now, and the mark on the
    server protects what another resource has from a deletion.
    """
    return () if cookie is None else _objects(*msgspec.convert(cookie, PostgresCookie).place())


def _objects(host: str, port: int, database: str, role: str) -> Sequence[ManagedObject]:
    server = (host if host.startswith("/") else host.lower(), str(port))
    return [
        ManagedObject(
            place=(*server, kind, name), name=f"the {kind} {name} on {host}:{port}", ownership="first"
        )
        for kind, name in (("database", database), ("role", role))
    ]


async def create(request: DriverRequest) -> Provisioned:
    """Bring the database and the role to the inputs; what does not exist is created.

    Raises:
        DriverError: the inputs are wrong, the server refuses, a name would change, or one belongs to
            somebody else.
    """
    refuse_wrong(request, check(request))
    requested, kept = wanted_of(request), _kept(request)
    _mask(request, requested)
    if kept is not None and not kept.is_made and kept.place() != _place(requested):
        # What an interrupted create left under other names, or on another server.
        await _remove(request, kept)
        kept = None
    async with server_errors(request.key, requested.server):
        async with connected(requested.server) as connection:
            await take_turn(connection, requested)
            existing = await _find(connection, request, requested, kept)
            former, kept = kept, _renewed(connection, request, requested, kept)
            # First of all: if this is killed, the next update gives the server this password.
            await request.services.keep(msgspec.to_builtins(kept))
            if former is not None and former.password != kept.password:
                existing = existing.without_password()
            done = await run_steps(connection, role_steps(requested, existing, kept.verifier))
            done += await run_steps(connection, database_steps(requested, existing))
        async with connected(requested.server, requested.database) as connection:
            await take_turn(connection, requested)
            inside = await find_inside(connection, requested)
            done += await run_steps(connection, inside_steps(requested, inside))
    return _provisioned(requested, msgspec.structs.replace(kept, is_made=True), done)


update = create


async def delete(request: DriverRequest) -> None:
    """Remove the database and the role.

    Raises:
        DriverError: others are connected to the database and `force_delete` is not set; the server refuses;
            or what has these names was not created here, or belongs to another store.
    """
    kept = _kept(request)
    if kept is not None:
        await _remove(request, kept)


async def plan(request: DriverRequest) -> Planned:
    """Look at the server and return what would be done.

    Raises:
        DriverError: the inputs are wrong, the server cannot be reached, or a name belongs to somebody else.
    """
    refuse_wrong(request, check(request))
    unknown = unknowns_in([request.params, request.values, request.secrets])
    if unknown:
        what = "create a database" if request.cookie is None else "look at the database"
        return Planned(comment=f"would {what} once {unknown[0].reference} is known")
    requested, kept = wanted_of(request), _kept(request)
    _mask(request, requested)
    async with server_errors(request.key, requested.server):
        words = await _planned_words(request, requested, kept)
    outputs = None if kept is None or request.rotates else _provisioned(requested, kept)
    if not words:
        comment = f"the database {requested.database} is as it should be"
        return Planned(comment=comment, would_change=False, outputs=outputs)
    return Planned(comment=f"would {', '.join(words)}", outputs=outputs)


async def _planned_words(
    request: DriverRequest, requested: RequestedDatabase, kept: PostgresCookie | None
) -> list[str]:
    async with connected(requested.server) as connection:
        existing = await _find(connection, request, requested, kept)
    inside = None
    if existing.database is not None and existing.role is not None:
        async with connected(requested.server, requested.database) as connection:
            inside = await find_inside(connection, requested)
    if request.rotates:
        existing = existing.without_password()
    verifier = kept.verifier if kept else ""
    steps = [
        *role_steps(requested, existing, verifier),
        *database_steps(requested, existing),
        *inside_steps(requested, inside),
    ]
    return [step.words for step in steps if step.words]


async def _find(
    connection: Rows, request: DriverRequest, requested: RequestedDatabase, kept: PostgresCookie | None
) -> FoundOnServer:
    """Look at the server, and refuse changes that would lose the data of an existing database."""
    has_moved = kept is not None and kept.is_made and kept.place() != _place(requested)
    if kept is not None and has_moved and kept.place()[2:] != _place(requested)[2:]:
        raise DriverError(
            f"its database is {kept.wanted.database} with the role {kept.wanted.role}, and is not renamed to "
            f"{requested.database} with {requested.role} (keep the names, or delete the resource first)"
        )
    password, verifier = (kept.password, kept.verifier) if kept else ("", "")
    existing = await find(
        connection, requested, request, password=password, verifier=verifier, is_recorded=kept is not None
    )
    if existing.foreign:
        raise DriverError("; ".join(_in_the_way(each, requested.server) for each in existing.foreign))
    if kept is not None and has_moved and existing.database is None:
        server = kept.wanted.server
        raise DriverError(
            f"its database {requested.database} is on {server.host}:{server.port}, and is not moved to "
            f"{requested.server.host}:{requested.server.port} "
            "(move it yourself, or delete the resource first)"
        )
    return msgspec.structs.replace(existing, was_made=kept is not None and kept.is_made)


def _in_the_way(foreign: ForeignObject, server: DatabaseServer) -> str:
    return (
        f"{server.host} has a {foreign.name} already, and {foreign.words} "
        f"(choose another name with `{foreign.option}`; ensue takes over only what it has made)"
    )


async def _remove(request: DriverRequest, kept: PostgresCookie) -> None:
    requested = msgspec.structs.replace(kept.wanted, store=request.owner)
    async with server_errors(request.key, requested.server), connected(requested.server) as connection:
        await take_turn(connection, requested)
        existing = await find(connection, requested, request, password="", verifier="", is_recorded=True)
        if existing.foreign and kept.is_made:
            # What has not been made yet is somebody else's; but what had been made has been replaced.
            raise DriverError("; ".join(f"the {each.name} stays: {each.words}" for each in existing.foreign))
        if existing.database is not None:
            await _remove_database(connection, requested)
        if existing.role is not None:
            await connection.execute(drop_role(requested.role))


async def _remove_database(connection: Rows, requested: RequestedDatabase) -> None:
    from psycopg.errors import ObjectInUse

    try:
        # The server itself waits a few seconds for connections that are about to end.
        await connection.execute(drop_database(requested.database, force=requested.force_delete))
    except ObjectInUse:
        count = await count_connections(connection, requested.database)
        raise DriverError(_connected_clients(count, requested.database)) from None


def _connected_clients(count: int, database: str) -> str:
    clients = "1 client is" if count == 1 else f"{count} clients are"
    return (
        f"{clients} connected to the database {database} "
        "(stop them; or deploy with `force_delete: true` first, which ends them)"
    )


def _renewed(
    connection: Rows, request: DriverRequest, requested: RequestedDatabase, kept: PostgresCookie | None
) -> PostgresCookie:
    """Return what is kept from now on: the former password, or a new one the first time and on request."""
    if kept is not None and not request.rotates:
        return msgspec.structs.replace(kept, wanted=requested)
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    request.services.masker.add(password)
    role = requested.role.encode()
    verifier = connection.pgconn.encrypt_password(password.encode(), role, b"scram-sha-256").decode()
    request.services.masker.add(verifier)
    is_made = kept is not None and kept.is_made
    return PostgresCookie(wanted=requested, password=password, verifier=verifier, is_made=is_made)


def _kept(request: DriverRequest) -> PostgresCookie | None:
    if request.cookie is None:
        return None
    try:
        kept = msgspec.convert(request.cookie, PostgresCookie)
    except msgspec.ValidationError:
        raise DriverError(f"{request.key}: its cookie is not one of the driver postgres") from None
    request.services.masker.add(kept.password, kept.verifier)
    _mask(request, kept.wanted)
    return kept


def _provisioned(
    requested: RequestedDatabase, kept: PostgresCookie, done: list[str] | None = None
) -> Provisioned:
    server = requested.server
    username = server.login_name(requested.role)
    values: DataMap = {
        "host": server.host,
        "port": server.port,
        "name": requested.database,
        "username": username,
    }
    if requested.instance:
        values["instance"] = requested.instance
    return Provisioned(
        values=values,
        secrets={
            "password": kept.password,
            "connection": _url(server, username, kept.password, requested.database),
        },
        cookie=msgspec.to_builtins(kept),
        changed=bool(done),
        comment=", ".join(filter(None, done or ())),
    )


def _url(server: DatabaseServer, username: str, password: str, database: str) -> str:
    options = {"sslmode": server.ssl_mode} if server.ssl_mode else {}
    user = f"{quote(username, safe='')}:{quote(password, safe='')}"
    if server.host.startswith("/"):
        place = ""
        options = {"host": server.host, "port": str(server.port), **options}
    else:
        host = f"[{server.host}]" if ":" in server.host else server.host
        place = f"{host}:{server.port}"
    query = f"?{urlencode(options)}" if options else ""
    return f"postgresql://{user}@{place}/{quote(database, safe='')}{query}"


def _place(requested: RequestedDatabase) -> tuple[str, int, str, str]:
    return requested.server.host, requested.server.port, requested.database, requested.role


def _mask(request: DriverRequest, requested: RequestedDatabase) -> None:
    request.services.masker.add(requested.server.password)
