"""The target's account databases, `passwd`, `group` and `shadow`, read through `getent`.

Without `getent` the file below /etc is read instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def entries(ctx: FunctionContext, database: str) -> list[list[str]]:
    """Return all entries, each as a list of its fields.

    Args:
        database: `passwd`, `group` or `shadow`.
    """
    answer = await ask(ctx, "getent", database)
    return _parsed(await _from_file(ctx, database) if answer.is_missing else answer.stdout)


async def entry(ctx: FunctionContext, database: str, name: str) -> list[str] | None:
    """Return the fields of one entry, None if there is no such entry.

    Args:
        database: `passwd`, `group` or `shadow`.
        name: the user or group; a number is not looked up as an id.
    """
    answer = await ask(ctx, "getent", database, name)
    text = await _from_file(ctx, database) if answer.is_missing else answer.stdout
    return next((fields for fields in _parsed(text) if fields[0] == name), None)


def number(field: str) -> int | str:
    """Return a field as a number if it is one, otherwise as it is."""
    return int(field) if field.lstrip("-").isdecimal() else field


async def _from_file(ctx: FunctionContext, database: str) -> str:
    return (await ctx.connection.read(f"/etc/{database}")).decode("utf-8", "replace")


def _parsed(text: str) -> list[list[str]]:
    return [line.split(":") for line in file_lines(text) if ":" in line]
