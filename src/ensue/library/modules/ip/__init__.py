"""Execution module `ip`: configuration files of a target's network, and the programs that apply them.

Debian's ifupdown and the `ifcfg` files of the Red Hat family are supported. Netplan and keyfiles of
NetworkManager are left out. The module `network` reads the current state of the kernel.

Args:
    iface_type: its type: `eth`, `bond`, `bridge`, `slave`, `vlan`, `pppoe`, `source`; in the Red Hat
        family also `team`, `teamport`, `ipip`, `ib`, `alias`.
    iface: the interface.
    is_test: return the lines, and write nothing.
    settings: its settings.

Source: Salt's execution modules `debian_ip` and `rh_ip`, 3008: names, arguments and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must
from ensue.library.modules.ip import debian, debian_network, redhat
from ensue.library.modules.ip.settings import TRUE, is_one_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_WITHOUT_PROGRAMS: Final = frozenset({"slave", "source", "teamport"})
_RELEASE_OF_NETWORK_MANAGER: Final = 8
_RESTART: Final = 'PATH="$PATH:/usr/sbin:/sbin"; trap "" HUP; ifdown "$1"; ifup "$1"'


async def build_interface(
    ctx: FunctionContext, iface: str, iface_type: str, enabled: bool, **settings: Any
) -> list[str]:
    """Write the configuration of an interface.

    Args:
        enabled: bring it up at boot.
        **settings: its settings; with `test` nothing is written.

    Example:
        ensue call '*' ip.build_interface eth0 eth true

    Returns:
        The lines of its configuration.

    Raises:
        StateFailedError: a setting is invalid, or a file cannot be written.
    """
    is_test = _is_test(ctx, settings)
    given = {word: value for word, value in settings.items() if word != "test"}
    build = debian.build_interface if await _is_debian(ctx) else redhat.build_interface
    kind = iface_type.lower()
    return await build(ctx, iface, kind, is_enabled=bool(enabled), is_test=is_test, settings=given)


async def get_interface(ctx: FunctionContext, iface: str, filename: str | None = None) -> list[str]:
    """Return the lines of an interface's configuration, an empty list if there is none.

    Args:
        filename: on Debian: a file with its configuration besides `/etc/network/interfaces` and
            `interfaces.d`.

    Example:
        ensue call '*' ip.get_interface eth0
    """
    if not await _is_debian(ctx):
        return await redhat.get_interface(ctx, iface)
    if filename is None or not filename.startswith("/"):
        return await debian.get_interface(ctx, iface)
    return await debian.get_interface(ctx, iface, filename)


async def lost_lines(ctx: FunctionContext) -> list[str]:
    """Return the lines that are lost when an interface is written, because they are not understood."""
    return await debian.lost_lines(ctx) if await _is_debian(ctx) else []


async def build_bond(ctx: FunctionContext, iface: str, **settings: Any) -> list[str]:
    """Write the options of a bond for the kernel module (Debian only); see `build_interface`.

    Args:
        iface: the bond.
        **settings: `mode` and its options; with `test` nothing is written.

    Example:
        ensue call '*' ip.build_bond eth0

    Raises:
        StateFailedError: a setting is invalid, the file cannot be written, or the target is not Debian.
    """
    await _must_be_debian(ctx)
    return await debian.build_bond(ctx, iface, is_test=_is_test(ctx, settings), settings=settings)


async def get_bond(ctx: FunctionContext, iface: str) -> list[str]:
    """Return the lines of a bond's options for the kernel module (Debian only).

    Example:
        ensue call '*' ip.get_bond eth0

    Raises:
        StateFailedError: the target is not Debian.
    """
    await _must_be_debian(ctx)
    return await debian.get_bond(ctx, iface)


async def build_routes(ctx: FunctionContext, iface: str, **settings: Any) -> list[str]:
    """Write the routes of an interface.

    Args:
        **settings: `routes`, each with `ipaddr`, `netmask`, `gateway`, `metric` and `name`; with `test`
            nothing is written.

    Example:
        ensue call '*' ip.build_routes eth0

    Raises:
        StateFailedError: there are no routes, or a file cannot be written.
    """
    build = debian.build_routes if await _is_debian(ctx) else redhat.build_routes
    return await build(ctx, iface, is_test=_is_test(ctx, settings), settings=settings)


async def get_routes(ctx: FunctionContext, iface: str) -> list[str]:
    """Return the lines of an interface's routes.

    Example:
        ensue call '*' ip.get_routes eth0
    """
    get = debian.get_routes if await _is_debian(ctx) else redhat.get_routes
    return await get(ctx, iface)


async def build_network_settings(ctx: FunctionContext, **settings: Any) -> list[str]:
    """Write the global network settings.

    Args:
        **settings: `enabled`, `hostname`, `search`, …; with `test` nothing is written.

    Raises:
        StateFailedError: a setting is invalid, or a file cannot be written.
    """
    build = debian_network.build_settings if await _is_debian(ctx) else redhat.build_settings
    return await build(ctx, settings, is_test=_is_test(ctx, settings))


async def get_network_settings(ctx: FunctionContext) -> list[str]:
    """Return the global network settings as lines."""
    get = debian_network.get_settings if await _is_debian(ctx) else redhat.get_settings
    return await get(ctx)


async def apply_network_settings(ctx: FunctionContext, **settings: Any) -> bool:
    """Restart the network, unless a reboot is required.

    Args:
        **settings: with `require_reboot` nothing is restarted; `apply_hostname` sets `hostname` first.

    Raises:
        StateFailedError: the network does not restart.
    """
    is_named = True
    if is_one_of(settings.get("apply_hostname"), TRUE):
        is_named = "hostname" in settings
        if is_named:
            await ctx.call("network.mod_hostname", settings["hostname"])
    if is_one_of(settings.get("require_reboot"), TRUE):
        return is_named
    service = "networking"
    if not await _is_debian(ctx):
        release = int(str((await ctx.grains()).get("osmajorrelease") or 0))
        service = "NetworkManager" if release >= _RELEASE_OF_NETWORK_MANAGER else "network"
    if await ctx.call("service.offline"):
        return is_named
    return bool(await ctx.call("service.restart", service)) and is_named


async def up(ctx: FunctionContext, iface: str, iface_type: str = "eth") -> str | None:
    """Bring an interface up with `ifup`; return None for a type that another interface brings up.

    Example:
        ensue call '*' ip.up eth0

    Raises:
        StateFailedError: the interface does not come up.
    """
    return await _run(ctx, "ifup", iface, iface_type)


async def down(ctx: FunctionContext, iface: str, iface_type: str = "eth") -> str | None:
    """Take an interface down with `ifdown`; return None for a type that another interface takes down.

    Example:
        ensue call '*' ip.down eth0

    Raises:
        StateFailedError: the interface does not go down.
    """
    return await _run(ctx, "ifdown", iface, iface_type)


async def restart(ctx: FunctionContext, iface: str, iface_type: str = "eth") -> str | None:
    """Take an interface down and up again in one command, so that a connection through it survives.

    Example:
        ensue call '*' ip.restart eth0

    Raises:
        StateFailedError: the interface does not come up again.
    """
    if iface_type.lower() in _WITHOUT_PROGRAMS:
        return None
    what = f"restart {iface}"
    return (await must(ctx, "sh", "-c", _RESTART, "sh", iface, what=what)).stdout.strip()


async def enslave(ctx: FunctionContext, iface: str, slaves: list[str]) -> list[str]:
    """Add interfaces to a bond with `ifenslave`; return those that it did not have, sorted.

    Args:
        iface: the bond.
        slaves: the interfaces.

    Example:
        ensue call '*' ip.enslave bond0 '[eth0, eth1]'

    Raises:
            StateFailedError: the bond does not accept them.
    """
    there = await ask(ctx, "cat", f"/sys/class/net/{iface}/bonding/slaves")
    missing = sorted({*slaves} - {*there.stdout.split()})
    if missing:
        await must(
            ctx, "ifenslave", iface, *missing, what=f"add interfaces to {iface} (ifenslave is required)"
        )
    return missing


async def _run(ctx: FunctionContext, program: str, iface: str, kind: str) -> str | None:
    if kind.lower() in _WITHOUT_PROGRAMS:
        return None
    return (await must(ctx, program, iface, what=f"run {program} {iface}")).stdout.strip()


async def _is_debian(ctx: FunctionContext) -> bool:
    family = (await ctx.grains()).get("os_family")
    if family == "Debian":
        has_netplan = await ctx.connection.stat("/etc/netplan", follow=True) is not None
        if has_netplan and await ctx.call("cmd.which", "netplan"):
            raise StateFailedError(
                f"{ctx.srn} is configured by netplan, which reads no /etc/network/interfaces; manage a file"
                " of /etc/netplan with file.managed, and run `netplan apply`"
            )
    elif family != "RedHat":
        raise StateFailedError(
            f"{ctx.srn} is in the OS family {family!s}; ip and network support Debian and Red Hat"
        )
    return family == "Debian"


async def _must_be_debian(ctx: FunctionContext) -> None:
    if not await _is_debian(ctx):
        raise StateFailedError("the options of a bond are in its ifcfg file here; see ip.get_interface")


def _is_test(ctx: FunctionContext, settings: dict[str, Any]) -> bool:
    return bool(settings.get("test")) or bool(getattr(ctx, "test", False))


FUNCTIONS: Final = by_name(
    apply_network_settings, build_bond, build_interface, build_network_settings, build_routes, down,
    enslave, get_bond, get_interface, get_network_settings, get_routes, lost_lines, restart, up,
)  # fmt: skip
