"""Queries a MySQL or MariaDB server through the target's client.

SQL goes to the client's standard input, never to its command line, where other users could see passwords.

Source: Salt's extension `saltext-mysql`, 1.1: the names of options; mysql(1), "--batch".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_PREFIX: Final = "connection_"
_IGNORED: Final = frozenset({"connection_conv", "connection_use_unicode", "saltenv"})
_PLAIN_LITERALS: Final = (
    "SET SESSION sql_mode ="
    " REPLACE(REPLACE(@@SESSION.sql_mode, 'NO_BACKSLASH_ESCAPES', ''), 'ANSI_QUOTES', '');"
)
_ESCAPES: Final = {"\\n": "\n", "\\t": "\t", "\\0": "\0", "\\\\": "\\"}
_ESCAPED: Final = re.compile(r"\\[nt0\\]")


class MysqlServer(msgspec.Struct, frozen=True, kw_only=True):
    """Address and credentials of a server; missing values come from the project's options (`mysql.host`).

    Args:
        host: its host name.
        port: its port.
        user: the user who logs in.
        passwd: the user's password.
        db: the default database.
        unix_socket: the path of its socket.
        default_file: an option file of the client.
        charset: the character set of the connection.
    """

    host: str | None = None
    port: str | int | None = None
    user: str | None = None
    passwd: str | None = None
    db: str | None = None
    unix_socket: str | None = None
    default_file: str | None = None
    charset: str | None = None

    @classmethod
    def read(cls, given: dict[str, Any]) -> MysqlServer:
        """Read keyword arguments with Salt's names (`connection_host`; the password is `connection_pass`).

        Raises:
            StateFailedError: an argument is unknown.
        """
        words = {word: value for word, value in given.items() if word not in _IGNORED}
        plain = {word.removeprefix(_PREFIX): value for word, value in words.items()}
        if "pass" in plain:
            plain["passwd"] = plain.pop("pass")
        unknown = sorted(word for word in words if not word.startswith(_PREFIX))
        unknown += sorted(plain.keys() - set(cls.__struct_fields__))
        if unknown:
            known = ", ".join(f"{_PREFIX}{word.replace('passwd', 'pass')}" for word in cls.__struct_fields__)
            raise StateFailedError(f"unknown argument {unknown[0]}; the arguments are {known}")
        return cls(**plain)


def name_of(identifier: str) -> str:
    """Quote an identifier for SQL."""
    return "`" + identifier.replace("`", "``") + "`"


def text_of(value: str) -> str:
    """Quote a string for SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def account_of(user: str, host: str) -> str:
    """Return an account as SQL, `'user'@'host'`."""
    return f"{text_of(user)}@{text_of(host)}"


async def rows(ctx: FunctionContext, server: MysqlServer, sql: str) -> list[dict[str, str | None]]:
    """Return the rows of a query, one mapping per row.

    Args:
        server: the server to query.
        sql: the query, or several statements of which only the last returns rows.

    Raises:
        StateFailedError: the server rejects the query or cannot be reached.
    """
    lines = (await run_sql(ctx, server, sql)).split("\n")
    if not lines[0]:
        return []
    columns = [_unescaped(name) for name in lines[0].split("\t")]
    return [
        {
            column: None if value == "NULL" else _unescaped(value)
            for column, value in zip(columns, line.split("\t"), strict=False)
        }
        for line in lines[1:]
        if line
    ]


async def run_sql(ctx: FunctionContext, server: MysqlServer, sql: str) -> str:
    """Run SQL statements and return the client's output."""
    options = {word: await _option(ctx, server, word) for word in server.__struct_fields__}
    argv = [f"--defaults-file={options['default_file']}"] if options["default_file"] else []
    argv += ["--batch", f"--default-character-set={options['charset'] or 'utf8'}"]
    for word in ("host", "port", "user"):
        argv += [f"--{word}={options[word]}"] if options[word] else []
    argv += [f"--socket={options['unix_socket']}"] if options["unix_socket"] else []
    argv += [f"--database={options['db']}"] if options["db"] else []
    if options["passwd"]:
        ctx.masker.add(options["passwd"])
    env = {"MYSQL_PWD": options["passwd"]} if options["passwd"] else None
    stdin = f"{_PLAIN_LITERALS}\n{sql}\n".encode()
    answer = await ask(ctx, "mysql", *argv, stdin=stdin, env=env)
    if answer.is_missing:
        raise StateFailedError(
            f"{ctx.srn} has no program `mysql`; install a client there (Debian: default-mysql-client)"
        )
    if not answer.is_success:
        # MariaDB's client repeats the statement, which may contain a password, before the message.
        errors = [line for line in answer.stderr.splitlines() if line.startswith("ERROR ")]
        raise StateFailedError("MySQL refused: " + ("\n".join(errors) or f"exit code {answer.returncode}"))
    return answer.stdout


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], value)


async def _option(ctx: FunctionContext, server: MysqlServer, word: str) -> str:
    given = getattr(server, word)
    if given is not None:
        return str(given)
    option = f"mysql.{'pass' if word == 'passwd' else word}"
    return str(await ctx.call("config.option", option) or "")
