"""Translates names of a host's users and groups into the numbers of SFTP, and back.

/etc/passwd and /etc/group are read once. For a number that is not in them, getent is called. If a name is not
in them, they are read again, because it may be new.
"""

from __future__ import annotations

import asyncio
import errno
from typing import TYPE_CHECKING, Final, Literal

from ensue.core.model.numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

Table = Literal["passwd", "group"]
"""One of the two files."""

MOST_ACCOUNT_BYTES: Final = 4 << 20
"""The most that is read of /etc/passwd and /etc/group; name services answer for the rest."""


class RemoteAccounts:
    """Users and groups of one host.

    Args:
        read: reads a file of it; raises OSError.
        getent: queries its name services for one entry (`passwd`, `1000`); empty if there is none.
    """

    def __init__(
        self, read: Callable[[str], Awaitable[bytes]], getent: Callable[[Table, str], Awaitable[str]]
    ) -> None:
        self._read = read
        self._getent = getent
        self._lock = asyncio.Lock()
        self._names: dict[Table, dict[int, str]] = {}

    async def name(self, table: Table, number: int) -> str:
        """Return a name, or the number as text if it has none."""
        names = await self._loaded(table)
        if number not in names:
            accounts = _entries(await self._getent(table, str(number)))
            names[number] = accounts.get(number, str(number))
        return names[number]

    async def number(self, table: Table, name: str) -> int:
        """Return a number; a decimal name is already one.

        Raises:
            OSError: there is no such user or group.
        """
        if name.isdecimal():
            return int(name)
        for refresh in (False, True):
            names = await self._loaded(table, refresh=refresh)
            for number, known in names.items():
                if known == name:
                    return number
        for number in _entries(await self._getent(table, name)):
            names[number] = name
            return number
        raise OSError(errno.EINVAL, f"there is no {'user' if table == 'passwd' else 'group'} `{name}`")

    async def _loaded(self, table: Table, *, refresh: bool = False) -> dict[int, str]:
        if table in self._names and not refresh:
            return self._names[table]
        async with self._lock:
            if table not in self._names or refresh:
                # A caller that needs the one needs the other next.
                tables: tuple[Table, ...] = ("passwd", "group")
                texts = await asyncio.gather(*(self._text(each) for each in tables))
                self._names = {each: _entries(text) for each, text in zip(tables, texts, strict=True)}
            return self._names[table]

    async def _text(self, table: Table) -> str:
        try:
            return (await self._read(f"/etc/{table}")).decode("utf-8", "surrogateescape")
        except OSError:
            return ""


def _entries(text: str) -> dict[int, str]:
    """Return names by number; the first name of a number counts, as in getpwuid."""
    names: dict[int, str] = {}
    for line in text.splitlines():
        fields = line.split(":")
        number = whole_number(fields[2]) if len(fields) > 2 else None  # noqa: PLR2004 (name, password, number)
        if number is not None:
            names.setdefault(number, fields[0])
    return names
