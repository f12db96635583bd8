"""Interfaces, bonds and routes on Debian, in the files of ifupdown.

Source: Salt's execution module `debian_ip`, 3008: files, their content, and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask
from ensue.library.modules._text_files import write_text
from ensue.library.modules.ip.debian_bonds import bond_options
from ensue.library.modules.ip.debian_reading import FILE, FOLDER, read_interfaces
from ensue.library.modules.ip.debian_settings import adapter_of
from ensue.library.modules.ip.debian_stanzas import source_lines, stanza
from ensue.library.modules.ip.files import install_missing, lines_of, write_in_folder
from ensue.library.modules.ip.pppoe import peer_file
from ensue.library.modules.ip.settings import routes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.library.modules.ip.debian_options import Adapter

_PACKAGES: Final = {"vlan": "vlan", "pppoe": "ppp", "bridge": "bridge-utils"}
_UBUNTU_WITHOUT_CARRIER: Final = 16
_UP: Final = "/etc/network/if-up.d"
_DOWN: Final = "/etc/network/if-down.d"


async def build_interface(
    ctx: FunctionContext, iface: str, kind: str, *, is_enabled: bool, is_test: bool, settings: dict[str, Any]
) -> list[str]:
    """Write the configuration of an interface to `/etc/network/interfaces`, or to the file in `filename`.

    Args:
        kind: its type.
        is_enabled: whether it comes up at boot.

    Returns:
        The lines of its stanzas, with line ends.

    Raises:
        StateFailedError: a setting is invalid, or the file cannot be written.
    """
    has_carrier = await _has_carrier_option(ctx)
    adapter = adapter_of(iface, kind, settings, is_enabled=is_enabled, has_carrier_option=has_carrier)
    lines = [f"{line}\n" for line in _text(iface, adapter).split("\n")]
    if is_test:
        return lines
    if kind in _PACKAGES:
        await install_missing(ctx, _PACKAGES[kind])
    if filename := settings.get("filename"):
        path = str(filename) if str(filename).startswith("/") else f"{FOLDER}/{filename}"
        await write_in_folder(ctx, path, _text(iface, adapter))
    else:
        there = (await read_interfaces(ctx)).adapters
        there[iface] = adapter
        text = "".join(
            _text(name, each) for name, each in there.items() if name != "source" or each is adapter
        )
        await write_in_folder(ctx, FILE, text)
    if kind == "pppoe":
        await _write_peer(ctx, adapter)
    return lines


async def get_interface(ctx: FunctionContext, iface: str, *more: str) -> list[str]:
    """Return the stanzas of an interface as Salt would write them, an empty list if it has none.

    Args:
        iface: the interface; `source` for the lines that include other files.
        *more: additional files to read.
    """
    adapter = (await read_interfaces(ctx, *more)).adapters.get(iface)
    return [f"{line}\n" for line in _text(iface, adapter).split("\n")] if adapter else []


async def lost_lines(ctx: FunctionContext) -> list[str]:
    """Return the lines of `/etc/network/interfaces` that are lost when an interface is written to it."""
    return [line.strip() for line in (await read_interfaces(ctx)).lost]


async def build_bond(
    ctx: FunctionContext, iface: str, *, is_test: bool, settings: dict[str, Any]
) -> list[str]:
    """Write the options of a bond for the kernel module, load the module, and install `ifenslave`.

    Args:
        iface: the bond.

    Raises:
        StateFailedError: a setting is invalid, or the file cannot be written.
    """
    options = bond_options(iface, settings, has_carrier_option=await _has_carrier_option(ctx))
    words = "".join(f"{option}={value} " for option, value in options.items())
    text = f"alias {iface} bonding\noptions {iface} {words}"
    if not is_test:
        await write_in_folder(ctx, _bond_file(iface), text)
        # A container or a chroot cannot load modules; the interface then fails to come up with a message.
        await ask(ctx, "modprobe", "--", "bonding")
        await install_missing(ctx, "ifenslave")
    return file_lines(text, keepends=True)


async def get_bond(ctx: FunctionContext, iface: str) -> list[str]:
    """Return the lines of a bond's file for the kernel module."""
    return await lines_of(ctx, _bond_file(iface))


async def build_routes(
    ctx: FunctionContext, iface: str, *, is_test: bool, settings: dict[str, Any]
) -> list[str]:
    """Write scripts that add routes when an interface comes up, and remove them when it goes down.

    Args:
        settings: `routes`, each with `ipaddr netmask gateway metric name`.

    Raises:
        StateFailedError: there are no routes, or the files cannot be written.
    """
    routes = routes_of(iface, settings)
    texts = [(_UP, _route_script(iface, "add", routes)), (_DOWN, _route_script(iface, "del", routes))]
    for folder, text in () if is_test else texts:
        path = _route_file(iface, folder)
        await write_in_folder(ctx, path, text, mode=0o755)
    return file_lines("".join(text for _, text in texts), keepends=True)


async def get_routes(ctx: FunctionContext, iface: str) -> list[str]:
    """Return the lines of both scripts of an interface's routes."""
    return [line for folder in (_UP, _DOWN) for line in await lines_of(ctx, _route_file(iface, folder))]


async def _has_carrier_option(ctx: FunctionContext) -> bool:
    grains = await ctx.grains()
    if grains.get("os") != "Ubuntu":
        return True
    return int(str(grains.get("osrelease", "0")).partition(".")[0]) < _UBUNTU_WITHOUT_CARRIER


async def _write_peer(ctx: FunctionContext, adapter: Adapter) -> None:
    options = adapter.families["inet"]
    provider = str(options.get("provider", ""))
    if not provider or "/" in provider:
        raise StateFailedError("pppoe: provider is the name of a file in /etc/ppp/peers")
    path = f"/etc/ppp/peers/{provider}"
    if options.get("password"):
        ctx.masker.add(str(options["password"]))
        if await ctx.connection.stat(path) is None:
            # Others must never be able to read the password, not even before the mode is set.
            await write_text(ctx, path, "", mode=0o600)
    await write_in_folder(ctx, path, peer_file(options))


def _text(iface: str, adapter: Adapter) -> str:
    return source_lines(adapter.sources) if adapter.sources else stanza(iface, adapter)


def _bond_file(iface: str) -> str:
    return f"/etc/modprobe.d/{iface}.conf"


def _route_file(iface: str, folder: str) -> str:
    # run-parts ignores files with dots in their names, which VLANs have.
    return f"{folder}/route-{iface.replace('.', '_')}"


def _route_script(iface: str, verb: str, routes: Sequence[dict[str, Any]]) -> str:
    lines = ["#!/bin/sh", f"# {verb}", f'test "${{IFACE}}" = "{iface}" || exit 0']
    for route in routes:
        lines += [f"# {route['name']}"] if route.get("name") else []
        netmask = f"/{route['netmask']}" if route.get("netmask") else ""
        via = f"via {route['gateway']}" if route.get("gateway") else ""
        metric = f" metric {route['metric']}" if route.get("metric") else ""
        lines.append(f"ip route {verb} {route.get('ipaddr') or ''}{netmask} {via} dev {iface}{metric}")
    return "".join(f"{line}\n" for line in lines)
