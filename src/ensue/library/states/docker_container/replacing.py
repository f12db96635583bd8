"""Compares a container with the requested one, removes it, and updates its networks.

Source: Salt's extension `saltext-dockermod`, 0.1: which differences lead to a new container.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.library.states._docker import part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext

_NEVER_COMPARED: Final = ("Hostname", "MacAddress")
_OF_ITS_OWN: Final = ("none", "host", "container:", "ns:")
_AUTOMATIC: Final = ("IPAddress", "Gateway", "GlobalIPv6Address", "IPv6Gateway")


class RequestedContainer(msgspec.Struct, frozen=True, kw_only=True):
    """The requested container.

    Args:
        name: its name.
        image: its image.
        options: arguments of `docker.create`.
        force: whether it is replaced in any case.
        start: whether it must run.
        signal: signal to send if it is not replaced; empty for none.
        stop_timeout_s: how long a replaced container may take to stop; None is the timeout it was created
            with.
    """

    name: str
    image: str
    options: dict[str, Any]
    force: bool
    start: bool
    signal: str
    stop_timeout_s: int | None

    @property
    def is_networked(self) -> bool:
        """Whether the state says which networks the container is connected to."""
        return self.options.get("networks") is not None


async def differences(
    ctx: StateContext, requested: RequestedContainer, other: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the differences between two containers, in their configuration and networks.

    Args:
        requested: the requested container; networks are compared only if it names them.
        other: a container with the requested options.
    """
    ignored = ",".join(_NEVER_COMPARED)
    differing: dict[str, Any] = await ctx.call(
        "docker.compare_containers", requested.name, other, ignore=ignored
    )
    if not requested.is_networked:
        return differing, {}
    mode = differing.get("HostConfig", {}).get("NetworkMode")
    if mode is not None and not any(str(mode[side]).startswith(_OF_ITS_OWN) for side in ("old", "new")):
        # Networks are connected and disconnected without a new container; which one came first is irrelevant.
        del differing["HostConfig"]["NetworkMode"]
        differing = {side: changes for side, changes in differing.items() if changes}
    return differing, await ctx.call("docker.compare_container_networks", requested.name, other)


async def remove_old(ctx: StateContext, requested: RequestedContainer) -> list[str]:
    """Stop and remove the container that is replaced; return its id in a list."""
    limits = {} if requested.stop_timeout_s is None else {"timeout": requested.stop_timeout_s}
    removed: list[str] = await ctx.call("docker.rm", requested.name, stop=True, **limits)
    return removed


async def update_networks(
    ctx: StateContext, requested: RequestedContainer, changes: Mapping[str, Any]
) -> list[str]:
    """Connect a container to missing networks and disconnect it from others; return the comments.

    Raises:
        StateFailedError: docker reports an error; the text includes what was done before.
    """
    settings: dict[str, Any] = (
        await ctx.call("docker.network_settings", requested.options["networks"]) if changes else {}
    )
    about: dict[str, Any] = await ctx.call("docker.inspect_container", requested.name) if changes else {}
    connected = part(about, "NetworkSettings", "Networks")
    done: list[str] = []
    for net in sorted(changes):
        try:
            if net in connected:
                await ctx.call("docker.disconnect_container_from_network", requested.name, net)
            if net in settings:
                await ctx.call("docker.connect_container_to_network", requested.name, net, **settings[net])
        except StateFailedError as fault:
            raise StateFailedError(". ".join([*done, str(fault)])) from None
        if net not in settings:
            done.append(f"Disconnected from network '{net}'")
        elif net in connected:
            done.append(f"Reconnected to network '{net}' with updated configuration")
        else:
            done.append(f"Connected to network '{net}'")
    return done


def with_addresses(changes: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """Add the addresses of the running container to the changes of its networks."""
    networks = part(about, "NetworkSettings", "Networks")
    for net, change in changes.get("container", {}).get("Networks", {}).items():
        if change.get("IPConfiguration", {}).get("new") != "automatic":
            continue
        differing = {key: value for key in _AUTOMATIC if (value := part(networks, net).get(key))}
        if differing:
            del change["IPConfiguration"]
            change |= {key: {"old": None, "new": value} for key, value in differing.items()}
