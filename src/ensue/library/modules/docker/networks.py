"""Execution functions for networks and the containers that are connected to them.

Args:
    network_id: its name or id.
    container: name or id of the container.

Source: Salt's extension `saltext-dockermod`, 0.1: names, arguments and return values; docker-network(1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.library.modules.docker.client import (
    all_described,
    checked,
    described,
    must_describe,
    output_of,
    part,
)
from ensue.library.modules.docker.network_settings import NetworkSettings
from ensue.library.modules.docker.option_forms import pairs, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_ENDPOINT: Final = {
    "aliases": ("network-alias", "alias"),
    "links": ("link", "link"),
    "ipv4_address": ("ip", "ip"),
    "ipv6_address": ("ip6", "ip6"),
    "link_local_ips": ("link-local-ip", "link-local-ip"),
}
"""The options of `docker create` and of `docker network connect`, by setting."""


async def inspect_network(ctx: FunctionContext, network_id: str) -> dict[str, Any]:
    """Return the engine's description of a network.

    Example:
        ensue call '*' docker.inspect_network backend

    Raises:
        StateFailedError: there is no such network, or the engine does not answer.
    """
    return await must_describe(ctx, "network", network_id)


async def find_network(ctx: FunctionContext, name: str) -> dict[str, Any] | None:
    """Return the engine's description of a network, None if it does not exist; see `inspect_network`.

    Args:
        name: the network, by name or id.

    Example:
        ensue call '*' docker.find_network backend
    """
    return await described(ctx, "network", name)


async def networks(ctx: FunctionContext, names: Any = None, ids: Any = None) -> list[dict[str, Any]]:
    """Return all networks, or those with some names or ids; each as from `inspect_network`.

    Args:
        names: their names or ids.
        ids: their ids.

    Example:
        ensue call '*' docker.networks
    """
    text = await output_of(ctx, "network", "ls", "--quiet", "--no-trunc", what="list networks")
    descriptions = await all_described(ctx, "network", text.split())
    identifiers = {*map(str, words(names or [])), *map(str, words(ids or []))}
    return [
        about
        for about in descriptions
        if not identifiers or {str(about.get("Name")), str(about.get("Id"))} & identifiers
    ]


async def connected(ctx: FunctionContext, name: str, *, verbose: bool = False) -> DataMap | list[str]:
    """Return the containers that are connected to a network.

    Args:
        name: the network.
        verbose: return their addresses by name.

    Example:
        ensue call '*' docker.connected backend
    """
    containers = part(await inspect_network(ctx, name), "Containers")
    by_name: DataMap = {
        about.get("Name", identity): {**about, "Id": identity} for identity, about in containers.items()
    }
    return by_name if verbose else [*by_name]


async def create_network(ctx: FunctionContext, name: str, **settings: Any) -> DataMap:
    """Create a network.

    Args:
        name: its name.
        **settings: see `NetworkSettings`.

    Example:
        ensue call '*' docker.create_network backend

    Returns:
        `Id`.

    Raises:
        StateFailedError: docker refuses to create it.
    """
    flags = NetworkSettings.read(settings).flags()
    text = await output_of(ctx, "network", "create", *flags, checked(name), what=f"create the network {name}")
    return {"Id": text}


async def network_changes(ctx: FunctionContext, name: str, **settings: Any) -> DataMap | None:
    """Return how a network differs from settings, None if there is no such network.

    Args:
        name: its name.
        **settings: see `NetworkSettings`; only given settings are compared.

    Example:
        ensue call '*' docker.network_changes web
    """
    requested = NetworkSettings.read(settings)
    about = await described(ctx, "network", name)
    return None if about is None else requested.changes(about)


async def remove_network(ctx: FunctionContext, network_id: str) -> bool:
    """Remove a network.

    Example:
        ensue call '*' docker.remove_network backend

    Raises:
        StateFailedError: there is no such network, or containers are connected to it.
    """
    await output_of(ctx, "network", "rm", checked(network_id), what=f"remove the network {network_id}")
    return True


async def connect_container_to_network(
    ctx: FunctionContext, container: str, net_id: str, **settings: Any
) -> bool:
    """Connect a container to a network.

    Args:
        net_id: name or id of the network.
        **settings: `aliases`, `links`, `ipv4_address`, `ipv6_address`, `link_local_ips`.

    Example:
        ensue call '*' docker.connect_container_to_network web backend

    Raises:
        StateFailedError: docker refuses the connection.
    """
    argv = ["network", "connect", *endpoint_flags(settings), checked(net_id), checked(container)]
    await output_of(ctx, *argv, what=f"connect {container} to the network {net_id}")
    return True


async def disconnect_container_from_network(ctx: FunctionContext, container: str, network_id: str) -> bool:
    """Disconnect a container from a network; see `connect_container_to_network`.

    Example:
        ensue call '*' docker.disconnect_container_from_network web backend
    """
    argv = ["network", "disconnect", checked(network_id), checked(container)]
    await output_of(ctx, *argv, what=f"disconnect {container} from the network {network_id}")
    return True


async def disconnect_all_containers_from_network(ctx: FunctionContext, network_id: str) -> list[str]:
    """Disconnect all containers from a network and return their names; see `connect_container_to_network`.

    Example:
        ensue call '*' docker.disconnect_all_containers_from_network backend
    """
    names = [*await connected(ctx, network_id)]
    for name in names:
        await disconnect_container_from_network(ctx, name, network_id)
    return names


def endpoint_flags(settings: Mapping[str, Any], *, creating: bool = False) -> list[str]:
    """Return the settings of a container's connection to a network as flags.

    Args:
        settings: the settings of `connect_container_to_network`.
        creating: whether the flags are for `docker create`.

    Raises:
        StateFailedError: there is no such setting.
    """
    unknown = sorted(settings.keys() - _ENDPOINT.keys())
    if unknown:
        known = ", ".join(_ENDPOINT)
        raise StateFailedError(f"a network connection has no setting {unknown[0]!r}; it can have {known}")
    flags: list[str] = []
    for name, value in settings.items():
        flag = _ENDPOINT[name][0 if creating else 1]
        if name == "links":
            texts = [word for word in words(value) if not is_mapping(word)]
            texts += [f"{key}:{alias}" for key, alias in pairs(_mappings(value), ":", name).items()]
        else:
            texts = words(value)
        flags += [f"--{flag}={text}" for text in texts]
    return flags


def _mappings(value: Any) -> list[Any]:
    return [entry for entry in words(value) if is_mapping(entry)]


FUNCTIONS: Final = by_name(
    connect_container_to_network, connected, create_network, disconnect_all_containers_from_network,
    disconnect_container_from_network, find_network, inspect_network, network_changes, networks,
    remove_network,
)  # fmt: skip
