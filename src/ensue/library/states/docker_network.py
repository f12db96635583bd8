"""State module `docker_network`: networks of a container engine, and the containers connected to them.

Source: Salt's extension `saltext-dockermod`, 0.1, which was Salt's state module `docker_network`: arguments,
results, changes and comments. Unlike Salt's, a plan has `changes`. Only the settings in the SLS are compared
with those of an existing network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.returns import StateReturn
from ensue.library.states._docker import SETTINGS, part

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@also_takes(*SETTINGS)
async def present(
    ctx: StateContext,
    name: str,
    *,
    skip_translate: Any = None,  # options are not translated for a library
    ignore_collisions: bool = False,  # an alias means the same as its option
    validate_ip_addrs: bool = True,  # docker checks them
    containers: Any = None,
    reconnect: bool = True,
    **kwargs: Any,
) -> StateReturn:
    """Create a network, and connect containers to it.

    Args:
        name: its name.
        skip_translate: has no effect.
        ignore_collisions: has no effect.
        validate_ip_addrs: has no effect, because docker checks addresses.
        containers: the containers to connect. Those that do not run or do not exist are skipped with a
            warning.
        reconnect: without `containers`, reconnect the containers of a replaced network.
        **kwargs: settings of the network, as for `docker.create_network`.

    Example:
        backend:
          docker_network.present:
            - subnet: 10.20.0.0/24
            - containers: [web]

    Returns:
        `changes` has the differences, by the network's name, and `created` or `recreated`, `connected`,
        `reconnected`, `disconnected`; `new_state` has `name id driver subnets containers`.

    Raises:
        StateFailedError: docker reports an error, or does not answer.
    """
    network: dict[str, Any] | None = await ctx.call("docker.find_network", name)
    there, warnings = await _running(ctx, containers)
    differing: dict[str, Any] = (await ctx.call("docker.network_changes", name, **kwargs)) or {}
    is_due = network is None or bool(differing)
    connected = _connected(network)
    if is_due:
        to_connect = there if containers is not None or not reconnect else connected
    else:
        to_connect = {container: label for container, label in there.items() if container not in connected}
    changes: DataMap = {name: differing} if differing else {}
    if is_due:
        changes["created" if network is None else "recreated"] = True
    changes |= _moved(connected if differing else {}, to_connect)
    if ctx.test and changes:
        return StateReturn.planned(name, _plan(network, differing), changes, warnings=warnings)
    comment = await _carried_out(ctx, name, network, differing, kwargs)
    for container in to_connect:
        await ctx.call("docker.connect_container_to_network", container, name)
    about = await ctx.call("docker.inspect_network", name) if changes else network
    return StateReturn.changed(name, comment, changes, _state(about), warnings=warnings)


async def _running(ctx: StateContext, containers: Any) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the names of running containers by id, and warnings about the others."""
    names: list[Any] = containers if is_list(containers) else str(containers or "").split(",")
    there: dict[str, str] = {}
    missing: list[str] = []
    resting: list[str] = []
    for container in [str(name).strip() for name in names if str(name).strip()]:
        about: dict[str, Any] | None = await ctx.call("docker.find_container", container)
        if about is None:
            missing.append(container)
        elif not part(about, "State").get("Running"):
            resting.append(container)
        else:
            there[str(about["Id"])] = container
    warnings = [f"The following containers do not exist: {', '.join(missing)}."] if missing else []
    warnings += [f"The following containers are not running: {', '.join(resting)}."] if resting else []
    return there, tuple(warnings)


def _connected(network: dict[str, Any] | None) -> dict[str, str]:
    containers = part(network, "Containers")
    return {container: str(part(containers, container).get("Name", container)) for container in containers}


def _moved(lost: dict[str, str], to_connect: dict[str, str]) -> DataMap:
    """Return the names of containers, by what is done with them.

    Args:
        lost: names of the containers whose network is removed, by id.
        to_connect: names of the containers to connect, by id.
    """
    network: dict[str, list[Data]] = {
        "connected": [label for container, label in to_connect.items() if container not in lost],
        "reconnected": [label for container, label in to_connect.items() if container in lost],
        "disconnected": [label for container, label in lost.items() if container not in to_connect],
    }
    return {word: labels for word, labels in network.items() if labels}


def _plan(network: dict[str, Any] | None, differing: dict[str, Any]) -> str:
    if network is None:
        return "Network will be created"
    return "Network would be recreated with new config" if differing else "Containers would be connected"


async def _carried_out(
    ctx: StateContext,
    name: str,
    network: dict[str, Any] | None,
    differing: dict[str, Any],
    settings: dict[str, Any],
) -> str:
    """Create or replace the network if necessary; return the comment."""
    if network is not None and not differing:
        return f"Network '{name}' already exists, and is configured as specified"
    if network is not None:
        await _removed(ctx, name, network)
    await ctx.call("docker.create_network", name, **settings)
    return f"Network '{name}' {'created' if network is None else 'was replaced with updated config'}"


async def _removed(ctx: StateContext, name: str, network: dict[str, Any]) -> list[str]:
    """Remove a network; return the names of the containers that were connected to it."""
    connected = _connected(network)
    for container in connected:
        await ctx.call("docker.disconnect_container_from_network", container, name)
    await ctx.call("docker.remove_network", name)
    return [*connected.values()]


def _state(about: dict[str, Any] | None) -> DataMap:
    network = about or {}
    pools: list[dict[str, Any]] = part(network, "IPAM").get("Config") or []
    return {
        "name": network.get("Name"),
        "id": network.get("Id"),
        "driver": network.get("Driver"),
        "subnets": [pool["Subnet"] for pool in pools if pool.get("Subnet")],
        "containers": [*sorted(_connected(network).values())],
    }


async def absent(ctx: StateContext, name: str) -> StateReturn:
    """Remove a network, and disconnect its containers.

    Args:
        name: its name.

    Example:
        backend:
          docker_network.absent

    Returns:
        `changes` has `removed`, and `disconnected` with names of containers; `new_state` has `name exists`.

    Raises:
        StateFailedError: docker reports an error, or does not answer.
    """
    network: dict[str, Any] | None = await ctx.call("docker.find_network", name)
    gone: DataMap = {"name": name, "exists": False}
    if network is None:
        return StateReturn.unchanged(name, f"Network '{name}' already absent", gone)
    connected = [*_connected(network).values()]
    changes: DataMap = {"removed": True, **({"disconnected": [*connected]} if connected else {})}
    if ctx.test:
        return StateReturn.planned(name, f"Network '{name}' will be removed", changes)
    try:
        await _removed(ctx, name, network)
    except StateFailedError as fault:
        return StateReturn.failed(name, f"Failed to remove network: {fault}")
    return StateReturn.changed(name, f"Removed network '{name}'", changes, gone)


FUNCTIONS: Final = by_name(absent, present)
