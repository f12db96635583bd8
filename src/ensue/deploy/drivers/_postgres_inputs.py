"""The inputs of the driver `postgres`: the server, and the database that is requested there.

This module connects to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_encodable, is_list, is_mapping
from ensue.core.model.numbers import whole_number
from ensue.core.model.option_kinds import Either, KnownKeys, ListOf, MappingOf, OneOf, WordOption
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.drivers._inputs import SECONDS, SWITCH, TEXT, wrong_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.contracts.driver import DriverRequest

LONGEST_NAME_BYTES: Final = 63
"""PostgreSQL cuts longer names to this length, without an error."""

DEFAULT_PORT: Final = 5432
USUAL_MAINTENANCE: Final = "postgres"
"""The database that every server has unless somebody has dropped it."""
_HIGHEST_PORT: Final = 65535
_MARK: Final = "ensue resource "
_OF_STORE: Final = " of store "
_SSL_MODES: Final = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")


class DatabaseServer(msgspec.Struct, frozen=True, kw_only=True):
    """A server, and the role that connects to it to create databases.

    Args:
        host: its name or address, or the folder of its socket.
        port: its port.
        maintenance: the database to connect to while another one is created or removed.
        username: the role that connects.
        password: the password of that role.
        ssl_mode: as libpq has it; empty: libpq's own default.
        connect_timeout_s: how long connecting may take.
        timeout_s: how long a whole operation may take.
        has_host_in_user: roles log in as `ROLE@SERVER`, the first label of the host.
    """

    host: str
    port: int
    maintenance: str
    username: str
    password: str
    ssl_mode: str
    connect_timeout_s: float
    timeout_s: float
    has_host_in_user: bool

    def login_name(self, role: str) -> str:
        """Return the name with which a role logs in."""
        suffix = f"@{self.host.partition('.')[0]}"
        return f"{role}{suffix}" if self.has_host_in_user and not role.endswith(suffix) else role


class DatabaseExtension(msgspec.Struct, frozen=True, kw_only=True):
    """An extension that a database must have.

    Args:
        name: its name.
        schema: the schema of its objects; empty: the extension's default.
        version: its version; empty: the server's default on installation, and any afterwards.
    """

    name: str
    schema: str = ""
    version: str = ""


class RequestedDatabase(msgspec.Struct, frozen=True, kw_only=True):
    """A database as the inputs request it.

    Args:
        server: where it is.
        database: its name.
        role: the role that is created for it.
        owner: an existing role that owns it; empty: `role`.
        schema: a schema for the role; empty: `public`.
        extensions: the extensions that it must have.
        connection_limit: connections at once; -1: no limit.
        template: the database that it is a copy of; empty: the server's default.
        force_delete: whether a deletion ends the connections of others.
        instance: passed on as an output; empty: there is none.
        mark: what the comments on database and role begin with: the resource.
        store: the id of the store that has the resource.
    """

    server: DatabaseServer
    database: str
    role: str
    owner: str
    schema: str
    extensions: list[DatabaseExtension]
    connection_limit: int
    template: str
    force_delete: bool
    instance: str
    mark: str
    store: str = ""

    @property
    def comment(self) -> str:
        """The comment that marks database and role as this resource's, and as this store's."""
        return f"{self.mark}{_OF_STORE}{self.store}"

    def store_in(self, comment: str) -> str | None:
        """Return the store in a comment; empty: it names none, None: it does not mark this resource."""
        resource, _, store = comment.partition(_OF_STORE)
        return store if resource == self.mark else None


def wrong_postgres(request: DriverRequest) -> Iterator[str]:
    """Yield one sentence per error in the inputs."""
    values, secrets = _given(request.values), _given(request.secrets)
    yield from wrong_inputs(_VALUES, values, "values")
    yield from wrong_inputs(_SECRETS, secrets, "secrets", is_secret=True)
    if is_mapping(values) and "host" not in values:
        yield "values.host is missing (the name or address of the server)"
    if is_mapping(secrets):
        credentials = secrets.get("dbcredentials", {})
        for name in ("username", "password"):
            if is_mapping(credentials) and credentials.get(name) is None:
                yield f"secrets.dbcredentials.{name} is missing (the role that creates the database)"
    extensions = request.params.get("extensions") if is_mapping(request.params) else None
    if extensions is not None:
        yield from wrong_inputs(_EXTENSIONS, extensions, "params.extensions")


def wanted_of(request: DriverRequest) -> RequestedDatabase:
    """Return what the inputs request.

    Args:
        request: the resource; its inputs are valid and all known.
    """
    values: Any = _given(request.values)
    params: Any = request.params if is_mapping(request.params) else {}
    credentials: Any = _given(request.secrets)["dbcredentials"]
    host, port, database, role = _place(values, request.guresid)
    return RequestedDatabase(
        server=DatabaseServer(
            host=host,
            port=int(port),
            maintenance=values.get("name", USUAL_MAINTENANCE),
            username=credentials["username"],
            password=credentials["password"],
            ssl_mode=values.get("ssl_mode", ""),
            connect_timeout_s=float(values.get("connect_timeout_s", 10)),
            timeout_s=float(values.get("timeout_s", 600)),
            has_host_in_user=values.get("append_host_to_user", False),
        ),
        database=database,
        role=role,
        owner=values.get("owner", ""),
        schema=values.get("schema", ""),
        extensions=_extensions(values.get("extensions"), params.get("extensions")),
        connection_limit=values.get("connection_limit", -1),
        template=values.get("template_name", ""),
        force_delete=values.get("force_delete", False),
        instance=values.get("instance", ""),
        mark=f"{_MARK}{request.guresid}",
        store=request.owner,
    )


def maker_in(comment: str) -> str:
    """Return the mark in a comment that some resource has written; empty: it is no such comment."""
    return comment if comment.startswith(_MARK) else ""


def requested_place(request: DriverRequest) -> tuple[str, int, str, str] | None:
    """Return host, port, database and role that the inputs request; None: they are not known yet.

    Args:
        request: the resource; its inputs are valid.
    """
    if not is_mapping(request.values):
        return None
    place = _place(_given(request.values), request.guresid)
    host, port, database, role = place
    return None if unknowns_in(list(place)) else (host, int(port), database, role)


def _place(values: Any, guresid: str) -> tuple[Any, Any, Any, Any]:
    """Return host, port, database and role, as they are given or by default."""
    names = values.get("database", f"db_{guresid}"), values.get("user", f"user_{guresid}")
    return values["host"], values.get("port", DEFAULT_PORT), *names


def _extensions(*sources: Any) -> list[DatabaseExtension]:
    database_extensions: dict[str, DatabaseExtension] = {}
    for source in sources:
        if is_list(source):
            database_extensions |= {name: DatabaseExtension(name=name) for name in source}
        elif is_mapping(source):
            for name, options in source.items():
                given: Any = _given(options)
                database_extensions[name] = DatabaseExtension(
                    name=name, schema=given.get("schema", ""), version=str(given.get("version", ""))
                )
    return [database_extensions[name] for name in sorted(database_extensions)]


def _given(inputs: Any) -> Any:
    """Return inputs without those that are null, which means the same as left out."""
    if is_mapping(inputs):
        return {name: value for name, value in inputs.items() if value is not None}
    return {} if inputs is None else inputs


def _is_name(name: str) -> bool:
    return bool(name) and "\0" not in name and is_encodable(name) and len(name.encode()) <= LONGEST_NAME_BYTES


def _is_port(port: int | str) -> bool:
    return 0 < (whole_number(str(port)) or 0) <= _HIGHEST_PORT


_NAME: Final = OneOf(f"a name of 1 to {LONGEST_NAME_BYTES} bytes, as PostgreSQL does", (str,), _is_name)
_EXTENSION_OPTIONS: Final = Either(
    "a mapping of `schema` and `version`, which may be empty",
    {
        dict: KnownKeys(
            "a mapping",
            {
                "schema": OneOf(_NAME.takes, (str, type(None)), _is_name),
                "version": OneOf("a text or a number", (str, int, float, type(None))),
            },
        ),
        type(None): OneOf("nothing", (type(None),)),
    },
)
_EXTENSIONS: Final = Either(
    "a list of names, or a mapping of names to options",
    {
        list: ListOf("a list of names", _NAME),
        dict: MappingOf("a mapping of names to options", _EXTENSION_OPTIONS),
    },
)
_VALUES: Final = KnownKeys(
    "a mapping",
    {
        "host": TEXT,
        "port": OneOf(f"a port from 1 to {_HIGHEST_PORT}", (int, str), _is_port),
        "name": _NAME,
        "append_host_to_user": SWITCH,
        "template_name": _NAME,
        "instance": TEXT,
        "database": _NAME,
        "user": _NAME,
        "owner": _NAME,
        "schema": _NAME,
        "extensions": _EXTENSIONS,
        "connection_limit": OneOf("a number from 0, or -1 for no limit", (int,), lambda limit: limit >= -1),
        "ssl_mode": WordOption(_SSL_MODES),
        "connect_timeout_s": SECONDS,
        "timeout_s": SECONDS,
        "force_delete": SWITCH,
    },
)
_SECRETS: Final = KnownKeys(
    "a mapping",
    {
        "dbcredentials": KnownKeys("`username` and `password`", {"username": TEXT, "password": TEXT}),
        # Humanitec's access to closed networks; ensue connects from the machine that it runs on.
        "agent_url": TEXT,
    },
)
