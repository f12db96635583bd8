"""Reads the configuration of each interface from `/etc/network/interfaces` and the files of `interfaces.d`.

Lines that are not understood are returned, too, because a file loses them when it is written.

Source: Salt's execution module `debian_ip`, 3008: which lines count; interfaces(5).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._text_files import text_of
from ensue.library.modules.ip.debian_options import ETHTOOL, HOOKS, Adapter, checked, is_option

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

FILE: Final = "/etc/network/interfaces"
FOLDER: Final = "/etc/network/interfaces.d"
_OFF_BY_ETHTOOL: Final = frozenset(ETHTOOL.values())
_IFACE_WORDS: Final = 4


class Interfaces(msgspec.Struct, kw_only=True):
    """All interfaces of a target.

    Args:
        adapters: the configuration of each, in the order of first mention.
        lost: lines of `/etc/network/interfaces` that ifupdown understands and this module does not.
    """

    adapters: dict[str, Adapter]
    lost: list[str]


async def read_interfaces(ctx: FunctionContext, *more: str) -> Interfaces:
    """Read all files with the configuration of interfaces.

    Args:
        *more: additional files, which may be missing.

    Raises:
        StateFailedError: an `iface` line does not have four words.
    """
    result = Interfaces(adapters={}, lost=[])
    folder = await ctx.connection.stat(FOLDER, follow=True)
    names = (
        sorted(await ctx.connection.list_directory(FOLDER)) if folder and folder.kind == "directory" else []
    )
    paths = [FILE, *(f"{FOLDER}/{name}" for name in names)]
    for path in dict.fromkeys([*paths, *more]):
        reader = _InterfacesReader(result, await text_of(ctx, path) or "")
        reader.read()
        if path == FILE:
            result.lost += reader.lost
    for name, adapter in [*result.adapters.items()]:
        if not adapter.families and not adapter.sources:
            del result.adapters[name]
    return result


class _InterfacesReader:
    """Reads one file; keeps the current stanza."""

    def __init__(self, result: Interfaces, text: str) -> None:
        self._adapters = result.adapters
        self._lines = file_lines(text)
        self._family: dict[str, Any] = {}
        self._name = ""
        self.lost: list[str] = []

    def read(self) -> None:
        for line in self._lines:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            if line[0].isspace():
                self._option(*[*line.split(None, 1), ""][:2], line=line)
            else:
                self._top(line)

    def _top(self, line: str) -> None:
        words = line.split()
        if line.startswith("iface"):
            if len(words) != _IFACE_WORDS:
                raise StateFailedError(f"Interface file malformed: {words}.")
            _, iface, self._name, method = words
            self._family = self._adapter(iface).families.setdefault(self._name, {})
            self._family |= {"addrfam": self._name, "proto": method}
        elif line.startswith("auto"):
            for iface in words[1:]:
                self._adapter(iface).is_enabled = True
        elif line.startswith("allow-hotplug"):
            for iface in words[1:]:
                self._adapter(iface).is_hotplugged = True
        elif words[0] == "source" and len(words) > 1:
            self._adapter("source").sources.append(words[1])
        else:
            self.lost.append(line)

    def _adapter(self, iface: str) -> Adapter:
        return self._adapters.setdefault(iface, Adapter())

    def _option(self, option: str, value: str, *, line: str) -> None:
        value = value.rstrip()
        hook = f"{option.replace('-', '_')}_cmds"
        if is_option(option):
            self._address_option(option.replace("-", "_"), checked(option, value, self._name)[1])
        elif option in _OFF_BY_ETHTOOL:
            self._family.setdefault("ethtool", {})[option] = value
        elif (match := re.fullmatch(r"(bond|bridge)[^_-]*[_-](.+)", option)) is not None:
            group = "bonding" if match[1] == "bond" else "bridging"
            self._family.setdefault(group, {})[match[2]] = value
        elif hook in HOOKS:
            self._family.setdefault(hook, []).append(value)
        else:
            self.lost.append(line)

    def _address_option(self, option: str, value: Any) -> None:
        if option == "address" and "address" in self._family:
            self._family.setdefault("addresses", []).append(value)
        else:
            self._family[option] = value
