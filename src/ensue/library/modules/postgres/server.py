"""Queries a PostgreSQL server through the target's `psql`.

SQL goes to psql's standard input, never to its command line, where other users could see passwords.

Source: Salt's execution module `postgres`, 3008: its user and its defaults for connections; psql(1).
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_OPTIONS: Final = ("user", "host", "port", "maintenance_db", "password", "runas")
_SYSTEM_USER: Final = "postgres"
_NOT_FOUND: Final = 127


class PostgresServer(msgspec.Struct, frozen=True, kw_only=True):
    """Address and credentials of a server.

    Args:
        user: the role; None for the role named like the user who runs psql.
        host: its host name, or the folder of its socket.
        port: its port.
        maintenance_db: the database to connect to.
        password: the role's password.
        runas: the user of the target who runs psql; None for `postgres`, unless the server is remote.
    """

    user: str | None = None
    host: str | None = None
    port: str | int | None = None
    maintenance_db: str | None = None
    password: str | None = None
    runas: str | None = None

    @classmethod
    def read(cls, given: dict[str, Any]) -> PostgresServer:
        """Read keyword arguments with Salt's names.

        Raises:
            StateFailedError: an argument is unknown.
        """
        unknown = sorted(given.keys() - set(_OPTIONS))
        if unknown:
            raise StateFailedError(f"unknown argument {unknown[0]}; the arguments are {', '.join(_OPTIONS)}")
        return cls(**given)


def name_of(identifier: str) -> str:
    """Quote an identifier for SQL."""
    return '"' + identifier.replace('"', '""') + '"'


def text_of(value: str) -> str:
    """Quote a string for SQL."""
    return "'" + value.replace("'", "''") + "'"


async def rows_by_name(ctx: FunctionContext, server: PostgresServer, sql: str) -> dict[str, dict[str, str]]:
    """Return the rows of a query by their column `Name`, each with the other columns.

    Args:
        server: the server to query.
        sql: the query.

    Raises:
        StateFailedError: the server rejects the query or cannot be reached.
    """
    records = await rows(ctx, server, sql)
    return {each["Name"]: {word: value for word, value in each.items() if word != "Name"} for each in records}


async def rows(ctx: FunctionContext, server: PostgresServer, sql: str) -> list[dict[str, str]]:
    """Return the rows of a query, one mapping per row; NULL becomes an empty string.

    Args:
        server: the server to query.
        sql: the query.

    Raises:
        StateFailedError: the server rejects the query or cannot be reached.
    """
    return list(csv.DictReader(io.StringIO(await run_sql(ctx, server, sql))))


async def run_sql(ctx: FunctionContext, server: PostgresServer, sql: str, *, whole: bool = True) -> str:
    """Run SQL statements and return the output of psql.

    Args:
        server: the server to query.
        sql: the statements.
        whole: run them in one transaction, in which databases can be neither created nor dropped.
    """
    options = {word: await _option(ctx, server, word) for word in ("user", "host", "port", "maintenance_db")}
    is_elsewhere = bool(options["host"]) and not options["host"].startswith("/")
    runas = server.runas or (None if is_elsewhere else _SYSTEM_USER)
    argv = [
        "psql", "--no-psqlrc", "--no-password", "--csv", "--quiet", "--set=ON_ERROR_STOP=1",
        "--file=-", *(["--single-transaction"] if whole else []),
    ]  # fmt: skip
    role = options["user"] or runas
    argv += [f"--username={role}"] if role else []
    argv += [f"--{word}={options[word]}" for word in ("host", "port") if options[word]]
    argv += [f"--dbname={options['maintenance_db'] or 'postgres'}"]
    env = {"PGPASSWORD": server.password} if server.password else None
    if server.password:
        ctx.masker.add(server.password)
    done = await ctx.connection.run(
        Command(
            argv=argv, stdin=sql.encode(), user=runas, env=env, cwd="/"
        )  # a folder that every user may enter
    )
    if done.returncode == _NOT_FOUND:
        raise StateFailedError(f"{ctx.srn} has no program `psql`; install postgresql-client there")
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().replace("psql:<stdin>:", "line ")
        raise StateFailedError(f"PostgreSQL refused: {message or f'exit code {done.returncode}'}")
    return done.stdout.decode("utf-8", "replace")


async def _option(ctx: FunctionContext, server: PostgresServer, word: str) -> str:
    given = getattr(server, word)
    return str(given if given is not None else await ctx.call("config.option", f"postgres.{word}") or "")
