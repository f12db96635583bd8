"""Interfaces, routes and settings of the Red Hat family, in files below `/etc/sysconfig`.

Source: Salt's execution module `rh_ip`, 3008: files, their content, and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.library.modules._text_files import write_text
from ensue.library.modules.ip.files import bare_lines, bare_lines_of, install_missing, write_in_folder
from ensue.library.modules.ip.redhat_settings import fields_of, ifcfg, needs_hardware_address
from ensue.library.modules.ip.settings import (
    FALSE,
    TRUE,
    chosen,
    invalid_setting,
    is_address,
    is_one_of,
    routes_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext

_FOLDER: Final = "/etc/sysconfig/network-scripts"
_NETWORK: Final = "/etc/sysconfig/network"
_PACKAGES: Final = {"bridge": "bridge-utils", "team": "teamd"}
_BRIDGE_CONTROLS: Final = ("ip6tables", "iptables", "arptables")
_NETWORK_LINES: Final = (
    ("NETWORKING", "networking"), ("NETWORKING_IPV6", "networking_ipv6"), ("HOSTNAME", "hostname"),
    ("GATEWAY", "gateway"), ("GATEWAYDEV", "gatewaydev"), ("NISDOMAIN", "nisdomain"),
    ("NETWORKDELAY", "networkdelay"), ("DEVTIMEOUT", "devtimeout"), ("NOZEROCONF", "nozeroconf"),
)  # fmt: skip


async def build_interface(
    ctx: FunctionContext, iface: str, kind: str, *, is_enabled: bool, is_test: bool, settings: dict[str, Any]
) -> list[str]:
    """Write the file `ifcfg-…` of an interface.

    Args:
        kind: its type.
        is_enabled: whether it comes up at boot.

    Returns:
        Its lines, without line ends.

    Raises:
        StateFailedError: a setting is invalid, or the file cannot be written.
    """
    grains = await ctx.grains()
    fields = fields_of(
        iface,
        kind,
        settings,
        is_enabled=is_enabled,
        release=int(str(grains.get("osmajorrelease") or 0)),
        processors=int(str(grains.get("num_cpus") or 1)),
    )
    if needs_hardware_address(kind, settings) and (address := await ctx.call("network.hw_addr", iface)):
        fields["hwaddr"] = address
    text = ifcfg(fields)
    bypass = chosen(iface, "bypassfirewall", settings.get("bypassfirewall", True), yes="0", no="1")
    if not is_test:
        if kind in _PACKAGES:
            await install_missing(ctx, _PACKAGES[kind])
        for control in _BRIDGE_CONTROLS if kind == "bridge" else ():
            await ctx.call("sysctl.persist", f"net.bridge.bridge-nf-call-{control}", bypass)
        await write_in_folder(ctx, f"{_FOLDER}/ifcfg-{iface}", text)
    return bare_lines(text)


async def get_interface(ctx: FunctionContext, iface: str) -> list[str]:
    """Return the lines of the file of an interface, an empty list if there is no such file."""
    return await bare_lines_of(ctx, f"{_FOLDER}/ifcfg-{iface}")


async def build_routes(
    ctx: FunctionContext, iface: str, *, is_test: bool, settings: dict[str, Any]
) -> list[str]:
    """Write the files `route-…` and `route6-…` of an interface.

    Args:
        settings: `routes`, each with `ipaddr netmask gateway metric name`.

    Raises:
        StateFailedError: there are no routes, or the files cannot be written.
    """
    routes = routes_of(iface, settings)
    for route in routes:
        if not route.get("ipaddr"):
            raise StateFailedError("each route requires an ipaddr")
    six = [route for route in routes if is_address(route["ipaddr"], version=6)]
    texts = {
        f"{_FOLDER}/route-{iface}": _routes_text(iface, [each for each in routes if each not in six]),
        f"{_FOLDER}/route6-{iface}": _routes_text(iface, six),
    }
    if not is_test:
        for path, text in texts.items():
            await write_in_folder(ctx, path, text)
    return [line for text in texts.values() for line in bare_lines(text)]


async def get_routes(ctx: FunctionContext, iface: str) -> list[str]:
    """Return the lines of both files of an interface's routes."""
    lines = await bare_lines_of(ctx, f"{_FOLDER}/route-{iface}")
    return [*lines, *await bare_lines_of(ctx, f"{_FOLDER}/route6-{iface}")]


async def get_settings(ctx: FunctionContext) -> list[str]:
    """Return the lines of `/etc/sysconfig/network`."""
    return await bare_lines_of(ctx, _NETWORK)


async def build_settings(ctx: FunctionContext, settings: Mapping[str, Any], *, is_test: bool) -> list[str]:
    """Write `/etc/sysconfig/network`, and return its lines.

    Args:
        settings: `enabled`, `hostname`, `gateway`, `gatewaydev`, `nisdomain`, `nozeroconf`, …; with
            `retain_settings`, existing settings that are not given are kept.
        is_test: write nothing.

    Raises:
        StateFailedError: a setting is missing, or has an invalid value.
    """
    given = {word.lower(): value for word, value in settings.items()}
    now = _assignments(await get_settings(ctx))
    if "networking" not in now and "enabled" not in given:
        raise invalid_setting("networking", (*TRUE, *FALSE))
    networking = given.get("enabled", now.get("networking"))
    mark = "" if "enabled" in given else _quote_of(networking)
    hostname = given.get("hostname") or now.get("hostname")
    if not hostname:
        raise invalid_setting("hostname", ["server1.example.com"])
    values = dict(now) if given.get("retain_settings") else {}
    values["networking"] = f"{mark}{_switch('networking', networking)}{mark}"
    values["hostname"] = f"{mark}{_bare(hostname)}{mark}"
    for word, value in given.items():
        if word == "nozeroconf":
            values[word] = f"{mark}{_switch(word, value)}{mark}"
        elif word not in {"networking", "hostname"}:
            values[word] = f"{mark}{_bare(value)}{mark}"
    lines = [f"{written}={values[word]}" for written, word in _NETWORK_LINES if values.get(word)]
    lines += ['IPV6INIT="yes"'] if values.get("enable_ipv6") else []
    lines += [f'IPV6_DEFAULTGW="{values["ipv6gateway"]}"'] if values.get("ipv6gateway") else []
    if not is_test:
        await write_text(ctx, _NETWORK, "".join(f"{line}\n" for line in lines))
    return lines


def _routes_text(iface: str, routes: Sequence[dict[str, Any]]) -> str:
    text = ""
    for route in routes:
        name = f"# {route['name']}" if route.get("name") else ""
        netmask = f"/{route['netmask']}" if route.get("netmask") else ""
        where = f" via {route['gateway']}" if route.get("gateway") else f" dev {iface}"
        metric = f" metric {route['metric']}" if route.get("metric") else ""
        text += f"{name}\n{route['ipaddr']}{netmask}{where}{metric}\n"
    return text


def _assignments(lines: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for line in lines:
        word, mark, value = line.strip().partition("=")
        if mark and not word.startswith(("!", "#")):
            values[word.rstrip().lower()] = value.rstrip()
    return values


def _switch(word: str, value: Any) -> str:
    bare = _bare(value)
    if is_one_of(bare, TRUE):
        return "yes"
    if is_one_of(bare, FALSE):
        return "no"
    raise invalid_setting(word, (*TRUE, *FALSE))


def _quote_of(value: Any) -> str:
    is_quoted = isinstance(value, str) and value[:1] in {"'", '"'} and value[:1] == value[-1:]
    return value[0] if is_quoted else ""


def _bare(value: Any) -> Any:
    return value[1:-1] if _quote_of(value) else value
