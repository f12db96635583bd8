"""The steps that bring a server to what the inputs request, each with its description.

A plan shows the descriptions; `create` and `update` run the statements. Names and texts are inserted with
psycopg's composition, never by formatting.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.deploy.drivers._postgres_found import FoundInside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.deploy.drivers._postgres_found import FoundDatabase, FoundOnServer
    from ensue.deploy.drivers._postgres_inputs import DatabaseExtension, RequestedDatabase
    from ensue.deploy.drivers._postgres_server import Rows


_PAST: Final[Mapping[str, str]] = MappingProxyType(
    {
        "become": "became",
        "close": "closed",
        "create": "created",
        "give": "gave",
        "grant": "granted",
        "install": "installed",
        "let": "let",
        "mark": "marked",
        "set": "set",
        "take": "took",
        "update": "updated",
    }
)
"""The verbs of the steps, and their past tense."""


class DatabaseStep(msgspec.Struct, frozen=True, kw_only=True):
    """One change to make.

    Args:
        words: its description, which follows `would`; empty: it belongs to the previous step.
        statements: composed statements; several form one transaction.
    """

    words: str
    statements: list[Any]

    @property
    def done(self) -> str:
        """Its description once it has run."""
        verb, _, rest = self.words.partition(" ")
        return f"{_PAST[verb]} {rest}" if verb else ""


def role_steps(
    requested: RequestedDatabase, existing: FoundOnServer, verifier: str
) -> Iterator[DatabaseStep]:
    """Yield the steps for the role.

    Args:
        requested: what the inputs request.
        existing: what exists.
        verifier: the form in which the server is to store the role's password.
    """
    role = existing.role
    if role is None:
        statements = [
            _sql("CREATE ROLE {} LOGIN PASSWORD {}", [requested.role], verifier),
            _sql("COMMENT ON ROLE {} IS {}", [requested.role], requested.comment),
        ]
        if not existing.is_superuser:
            statements.append(_sql("GRANT {} TO CURRENT_USER", [requested.role]))
        again = " again (removed by someone else)" if existing.was_made else ""
        yield DatabaseStep(words=f"create its role{again}", statements=statements)
        return
    if not role.is_member:
        grant = _sql("GRANT {} TO CURRENT_USER", [requested.role])
        yield DatabaseStep(words="become a member of its role", statements=[grant])
    if role.store != requested.store:
        comment = _sql("COMMENT ON ROLE {} IS {}", [requested.role], requested.comment)
        yield DatabaseStep(words=_mark_words("its role", role.store), statements=[comment])
    if not role.can_log_in:
        alter = _sql("ALTER ROLE {} LOGIN", [requested.role])
        yield DatabaseStep(words="let its role log in", statements=[alter])
    if not role.has_password:
        alter = _sql("ALTER ROLE {} PASSWORD {}", [requested.role], verifier)
        yield DatabaseStep(words="set the password of its role", statements=[alter])


def database_steps(requested: RequestedDatabase, existing: FoundOnServer) -> Iterator[DatabaseStep]:
    """Yield the steps for the database itself, which run outside it."""
    name, database = requested.database, existing.database
    if database is None:
        create = _sql("CREATE DATABASE {} OWNER {}", [name, requested.role])
        if requested.template:
            create += _sql(" TEMPLATE {}", [requested.template])
        content = f"as a copy of {requested.template}" if requested.template else "empty"
        again = f" again, {content} (removed by someone else)" if existing.was_made else ""
        yield DatabaseStep(words=f"create the database {name}{again}", statements=[create])
    if database is None or database.store != requested.store:
        comment = _sql("COMMENT ON DATABASE {} IS {}", [name], requested.comment)
        words = _mark_words(f"the database {name}", database.store) if database else ""
        yield DatabaseStep(words=words, statements=[comment])
    if database is None or database.is_public:
        revoke = _sql("REVOKE ALL ON DATABASE {} FROM PUBLIC", [name])
        words = f"close the database {name} to other roles" if database else ""
        yield DatabaseStep(words=words, statements=[revoke])
    yield from _owner_steps(requested, database)
    if (database.connection_limit if database else -1) != requested.connection_limit:
        limit = _sql("ALTER DATABASE {} CONNECTION LIMIT {}", [name], requested.connection_limit)
        yield DatabaseStep(
            words=f"set the connection limit to {requested.connection_limit}", statements=[limit]
        )
    if requested.schema and not (database and database.has_search_path):
        names = [requested.role, name, requested.schema]
        path = _sql("ALTER ROLE {} IN DATABASE {} SET search_path TO {}, public", names)
        yield DatabaseStep(words=f"set the search path to {requested.schema}", statements=[path])


def inside_steps(requested: RequestedDatabase, found_inside: FoundInside | None) -> Iterator[DatabaseStep]:
    """Yield the steps within the database; None: there is no database yet."""
    inside = found_inside or FoundInside()
    for schema, is_granted in inside.schemas.items():
        if not is_granted:
            grant = _sql("GRANT ALL ON SCHEMA {} TO {}", [schema, requested.role])
            yield DatabaseStep(words=f"grant its role the schema {schema}", statements=[grant])
    if requested.schema and requested.schema not in inside.schemas:
        create = _sql("CREATE SCHEMA {} AUTHORIZATION {}", [requested.schema, requested.role])
        yield DatabaseStep(words=f"create the schema {requested.schema}", statements=[create])
    for extension in requested.extensions:
        yield from _extension_steps(extension, inside.extensions.get(extension.name))


async def run_steps(connection: Rows, steps: Iterable[DatabaseStep]) -> list[str]:
    """Run steps and return what was done, an empty text for a step that belongs to the previous one."""
    words: list[str] = []
    for step in steps:
        if len(step.statements) == 1:
            await connection.execute(step.statements[0])
        else:
            async with connection.transaction():
                for statement in step.statements:
                    await connection.execute(statement)
        words.append(step.done)
    return words


def drop_database(name: str, *, force: bool) -> Any:
    """Return the statement that removes a database.

    Args:
        name: the database.
        force: whether connections to it are ended.
    """
    return _sql("DROP DATABASE {} WITH (FORCE)" if force else "DROP DATABASE {}", [name])


def drop_role(name: str) -> Any:
    """Return the statement that removes a role."""
    return _sql("DROP ROLE {}", [name])


def _owner_steps(requested: RequestedDatabase, database: FoundDatabase | None) -> Iterator[DatabaseStep]:
    # A database is created with the role as owner, which identifies it until it has its comment.
    owner = requested.owner or requested.role
    if (database.owner if database else requested.role) != owner:
        alter = _sql("ALTER DATABASE {} OWNER TO {}", [requested.database, owner])
        whom = "its role" if owner == requested.role else owner
        yield DatabaseStep(words=f"give the database {requested.database} to {whom}", statements=[alter])
    if owner != requested.role and not (database and database.owner == owner and database.is_granted):
        grant = _sql("GRANT ALL ON DATABASE {} TO {}", [requested.database, requested.role])
        yield DatabaseStep(words=f"grant its role the database {requested.database}", statements=[grant])


def _extension_steps(extension: DatabaseExtension, installed: str | None) -> Iterator[DatabaseStep]:
    name = extension.name
    if installed is None:
        create = _sql("CREATE EXTENSION IF NOT EXISTS {}", [name])
        if extension.schema:
            create += _sql(" SCHEMA {}", [extension.schema])
        if extension.version:
            create += _sql(" VERSION {}", [extension.version])
        yield DatabaseStep(words=f"install the extension {name}", statements=[create + _sql(" CASCADE", [])])
    elif extension.version not in {"", installed}:
        update = _sql("ALTER EXTENSION {} UPDATE TO {}", [name, extension.version])
        yield DatabaseStep(words=f"update the extension {name} to {extension.version}", statements=[update])


def _mark_words(what: str, former: str | None) -> str:
    """Return what a new mark means: of something without an owner, or of something of another store."""
    return f"take over {what} from the store {former}" if former else f"mark {what}"


def _sql(statement: Any, names: list[str], *literals: str | int) -> Any:
    """Compose a statement: names first, then literals."""
    from psycopg import sql

    parts = [*map(sql.Identifier, names), *map(sql.Literal, literals)]
    return sql.SQL(statement).format(*parts)
