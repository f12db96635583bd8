"""Execution module `hosts`: the target's /etc/hosts. A change preserves all other lines.

Args:
    ip: the address.
    comment: the comment after them; None keeps an existing one.

Source: Salt's execution module `hosts`, 3008: names, return values, the form of a new line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_PATH: Final = "/etc/hosts"


@dataclass(frozen=True, slots=True, kw_only=True)
class _HostsLine:
    """One line of the file.

    Args:
        text: the line as it is in the file.
        ip: its address, empty if it has none.
        aliases: its names.
        comment: the comment after them.
    """

    text: str
    ip: str = ""
    aliases: tuple[str, ...] = ()
    comment: str = ""

    def changed(self, aliases: Iterable[str], comment: str | None = None) -> _HostsLine:
        """Return the line with other names.

        Raises:
            StateFailedError: a name or the comment cannot be written in one line.
        """
        names = tuple(aliases)
        remark = self.comment if comment is None else comment
        if "\n" in remark or any(not each.isprintable() or set(each) & set(" #") for each in names):
            raise StateFailedError(f"{' '.join(names)!r} # {remark!r} cannot be written to a line of {_PATH}")
        text = f"{self.ip}\t\t{' '.join(names)}" + (f"\t# {remark}" if remark else "")
        return replace(self, text=text, aliases=names, comment=remark)


async def list_hosts(ctx: FunctionContext) -> DataMap:
    """Return `{address: {aliases: […]}}`, with `comment` if a line has one."""
    addresses: DataMap = {}
    for line in await _read(ctx):
        if not line.ip:
            continue
        known = addresses.setdefault(line.ip, {"aliases": []})
        if isinstance(known, dict) and isinstance(known["aliases"], list):
            known["aliases"] += [*line.aliases]
            if line.comment:
                known["comment"] = line.comment
    return addresses


async def get_ip(ctx: FunctionContext, host: str) -> str:
    """Return the address of a name, empty if it has none.

    Args:
        host: the host name.

    Example:
        ensue call '*' hosts.get_ip web-01
    """
    return next((line.ip for line in await _read(ctx) if host in line.aliases), "")


async def get_alias(ctx: FunctionContext, ip: str) -> list[str]:
    """Return the names of an address.

    Example:
        ensue call '*' hosts.get_alias 10.0.0.5
    """
    return [alias for line in await _read(ctx) if line.ip == ip for alias in line.aliases]


async def has_pair(ctx: FunctionContext, ip: str, alias: str) -> bool:
    """Return whether an address has a name.

    Args:
        alias: a host name.

    Example:
        ensue call '*' hosts.has_pair 10.0.0.5 web-01
    """
    return alias in await get_alias(ctx, ip)


async def add_host(ctx: FunctionContext, ip: str, alias: str) -> bool:
    """Add a name to an address, unless it has it already.

    Args:
        alias: a host name.

    Example:
        ensue call '*' hosts.add_host 10.0.0.5 web-01
    """
    lines = await _read(ctx)
    if any(line.ip == ip and alias in line.aliases for line in lines):
        return True
    place = next((place for place, line in enumerate(lines) if line.ip == ip), None)
    if place is None:
        lines.append(_HostsLine(text="", ip=ip).changed([alias]))
    else:
        lines[place] = lines[place].changed([*lines[place].aliases, alias])
    await _write(ctx, lines)
    return True


async def rm_host(ctx: FunctionContext, ip: str, alias: str) -> bool:
    """Remove a name from an address; an address without names is removed.

    Args:
        alias: a host name.

    Example:
        ensue call '*' hosts.rm_host 10.0.0.5 web-01
    """
    return await _replace(ctx, ip, lambda line: [each for each in line.aliases if each != alias])


async def set_host(
    ctx: FunctionContext, ip: str, alias: str | Sequence[str], comment: str | None = None
) -> bool:
    """Set the names of an address, replacing all others; without names, remove the address.

    Args:
        alias: names, as a list or separated by blanks.

    Example:
        ensue call '*' hosts.set_host 10.0.0.5 web-01
    """
    names = alias.split() if isinstance(alias, str) else list(alias)
    lines = await _read(ctx)
    first = next((line for line in lines if line.ip == ip), _HostsLine(text="", ip=ip))
    place = next((place for place, line in enumerate(lines) if line.ip == ip), len(lines))
    rest = [line for line in lines if line.ip != ip]
    kept = sum(1 for line in lines[:place] if line.ip != ip)
    await _write(ctx, [*rest[:kept], *([first.changed(names, comment)] if names else []), *rest[kept:]])
    return True


async def set_comment(ctx: FunctionContext, ip: str, comment: str) -> bool:
    """Set the comment after the names of an address; return False if the address is missing.

    Example:
        ensue call '*' hosts.set_comment 10.0.0.5 'web server'
    """
    lines = await _read(ctx)
    place = next((place for place, line in enumerate(lines) if line.ip == ip), None)
    if place is None:
        return False
    if lines[place].comment != comment:
        lines[place] = lines[place].changed(lines[place].aliases, comment)
        await _write(ctx, lines)
    return True


async def _replace(ctx: FunctionContext, ip: str, names: Callable[[_HostsLine], list[str]]) -> bool:
    lines = await _read(ctx)
    changed = [
        line.changed(names(line)) if line.ip == ip and names(line) != list(line.aliases) else line
        for line in lines
    ]
    if changed != lines:
        await _write(ctx, [line for line in changed if not line.ip or line.aliases])
    return True


async def _read(ctx: FunctionContext) -> list[_HostsLine]:
    if await ctx.connection.stat(_PATH, follow=True) is None:
        return []
    text = (await ctx.connection.read(_PATH)).decode("utf-8", "surrogateescape")
    return [_parsed(line) for line in file_lines(text)]


def _parsed(text: str) -> _HostsLine:
    names, _, comment = text.partition("#")
    parts = names.split()
    if not parts:
        return _HostsLine(text=text)
    return _HostsLine(text=text, ip=parts[0], aliases=tuple(parts[1:]), comment=comment.strip())


async def _write(ctx: FunctionContext, lines: Sequence[_HostsLine]) -> None:
    text = "".join(f"{line.text}\n" for line in lines)
    await ctx.connection.write(_PATH, text.encode("utf-8", "surrogateescape"))


FUNCTIONS: Final = by_name(add_host, get_alias, get_ip, has_pair, list_hosts, rm_host, set_comment, set_host)
