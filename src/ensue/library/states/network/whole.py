"""`network.routes` and `network.system`: settings whose change restarts the whole network.

Source: Salt's state module `network`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.model.returns import StateReturn
from ensue.library.states.network.lines import difference, planned
from ensue.library.states.network.words import OF_ROUTES, OF_SYSTEM

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_WARNING: Final = (
    "The network of the target is restarted: connections to it, including this run, are interrupted; with "
    "`require_reboot: true` only its files are written."
)
_TRUE: Final = (True, "yes", "on", "true", "1")


@also_takes(*OF_ROUTES)
async def routes(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Configure the routes of an interface.

    Args:
        name: the interface.
        **kwargs: `routes`, each with `ipaddr`, `netmask`, `gateway`, `metric` and `name`; with
            `require_reboot: true`, the network is not restarted.

    Example:
        eth0:
          network.routes:
            - routes: [{name: office, ipaddr: 192.168.10.0, netmask: 255.255.255.0, gateway: 10.0.0.2}]

    Returns:
        `changes` has `network_routes`, a diff; `new_state` has `name routes`.

    Raises:
        StateFailedError: there are no routes, or a program fails.
    """
    new_state: DataMap = {"name": name, "routes": kwargs.get("routes")}
    what = f"Interface {name} routes"
    new: list[str] = await ctx.call("ip.build_routes", name, **{**kwargs, "test": True})
    old: list[str] = await ctx.call("ip.get_routes", name)
    if old == new:
        return StateReturn.unchanged(name, f"{what} are up to date.", new_state)
    warnings = await _warnings(ctx, kwargs)
    if ctx.test:
        return StateReturn.planned(name, planned(f"{what} are", old, new), warnings=warnings)
    await ctx.call("ip.build_routes", name, **kwargs)
    await _apply(ctx, kwargs)
    text = difference(old, new) if old else f"Added interface {name} routes."
    return StateReturn.changed(
        name,
        f"{what} {'updated' if old else 'added'}.",
        {"network_routes": text},
        new_state,
        warnings=warnings,
    )


@also_takes(*OF_SYSTEM)
async def system(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Configure the settings of the whole network.

    Args:
        name: any name.
        **kwargs: `enabled`, `hostname` (set with `apply_hostname`), `search`, and on Red Hat's family the
            settings of `/etc/sysconfig/network`; with `require_reboot: true`, the network is not restarted.

    Example:
        system:
          network.system:
            - enabled: true
            - hostname: web-01.example.com
            - apply_hostname: true

    Returns:
        `changes` has `network_settings`, a diff; `new_state` has `name settings`.

    Raises:
        StateFailedError: a setting is invalid, or a program fails.
    """
    new: list[str] = await ctx.call("ip.build_network_settings", **{**kwargs, "test": True})
    old: list[str] = await ctx.call("ip.get_network_settings")
    comment = "Global network settings are up to date."
    pairs = [line.strip().partition("=") for line in new]
    settings: DataMap = {word: value.strip("\"'") for word, mark, value in pairs if mark}
    new_state: DataMap = {"name": name, "settings": settings}
    if old == new:
        return StateReturn.unchanged(name, comment, new_state)
    warnings = await _warnings(ctx, kwargs)
    if ctx.test:
        return StateReturn.planned(name, planned("Global network settings are", old, new), warnings=warnings)
    await ctx.call("ip.build_network_settings", **kwargs)
    await _apply(ctx, kwargs)
    text = difference(old, new) if old else "Added global network settings."
    return StateReturn.changed(name, comment, {"network_settings": text}, new_state, warnings=warnings)


async def _warnings(ctx: StateContext, given: dict[str, Any]) -> tuple[str, ...]:
    if given.get("require_reboot") in _TRUE or await ctx.call("service.offline"):
        return ()
    return (_WARNING,)


async def _apply(ctx: StateContext, given: dict[str, Any]) -> None:
    await ctx.call("ip.apply_network_settings", **given)
    await ctx.grains_changed()
