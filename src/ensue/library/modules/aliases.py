"""Execution module `aliases`: mail aliases of the target, `/etc/aliases`.

A change preserves all other lines. Afterwards `newaliases` runs if it exists.

Args:
    alias: the name.
    target: addresses, as a list or separated by commas.

Source: Salt's execution module `aliases`, 3008: names and return values; aliases(5).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask
from ensue.library.modules._text_files import text_of, write_text

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_OPTION: Final = "aliases.file"
_FILE: Final = "/etc/aliases"
_ENTRY: Final = re.compile(r"(?P<alias>[^:#\s][^:#]*?)\s*:\s*(?P<target>[^#]*?)(?P<comment>\s+#.*)?\Z")


async def list_aliases(ctx: FunctionContext) -> dict[str, str]:
    """Return all aliases with their targets."""
    matches = [_ENTRY.match(line) for line in await _lines(ctx)]
    return {entry["alias"]: entry["target"] for entry in matches if entry}


async def get_target(ctx: FunctionContext, alias: str) -> str:
    """Return the target of an alias, empty if it has none.

    Example:
        ensue call '*' aliases.get_target postmaster
    """
    return (await list_aliases(ctx)).get(alias, "")


async def has_target(ctx: FunctionContext, alias: str, target: str | list[str]) -> bool:
    """Return whether an alias has this target, or all of these targets.

    Example:
        ensue call '*' aliases.has_target postmaster root

    Raises:
        StateFailedError: the target is empty.
    """
    return (await list_aliases(ctx)).get(alias) == _joined(target)


async def set_target(ctx: FunctionContext, alias: str, target: str | list[str]) -> bool:
    """Set the target or targets of an alias, replacing those that it has.

    Example:
        ensue call '*' aliases.set_target postmaster root

    Raises:
        StateFailedError: a target is empty, or the line would be read as something else.
    """
    addresses = _joined(target)
    line = f"{alias}: {addresses}"
    entry = _ENTRY.match(line)
    if not entry or (entry["alias"], entry["target"]) != (alias, addresses) or "\n" in line:
        raise StateFailedError(f"{line!r} is not a line for {_FILE}")
    if await get_target(ctx, alias) == addresses:
        return True
    lines: list[str] = []
    is_there = False
    for old in await _lines(ctx):
        matches = _ENTRY.match(old)
        if not matches or matches["alias"] != alias:
            lines.append(old)
        elif not is_there:
            lines.append(f"{line}{matches['comment'] or ''}")
            is_there = True
    await _write(ctx, lines if is_there else [*lines, line])
    return True


async def rm_alias(ctx: FunctionContext, alias: str) -> bool:
    """Remove an alias.

    Example:
        ensue call '*' aliases.rm_alias postmaster
    """
    lines = await _lines(ctx)
    kept = [line for line in lines if not (matches := _ENTRY.match(line)) or matches["alias"] != alias]
    if kept != lines:
        await _write(ctx, kept)
    return True


def _joined(target: str | list[str]) -> str:
    joined = ", ".join(map(str, target)) if isinstance(target, list) else str(target)
    if not joined:
        raise StateFailedError("target can not be an empty string")
    return joined


async def _lines(ctx: FunctionContext) -> list[str]:
    return file_lines(await text_of(ctx, _path(ctx)) or "")


async def _write(ctx: FunctionContext, lines: list[str]) -> None:
    await write_text(ctx, _path(ctx), "".join(f"{line}\n" for line in lines))
    if ctx.connection.can_run:
        # Without a mail server the program does not exist and is not needed.
        await ask(ctx, "newaliases")


def _path(ctx: FunctionContext) -> str:
    return str(ctx.opts.get(_OPTION) or _FILE)


FUNCTIONS: Final = by_name(get_target, has_target, list_aliases, rm_alias, set_target)
