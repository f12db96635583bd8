"""Execution functions that query containers: their list, their descriptions, their logs.

Source: Salt's extension `saltext-dockermod`, 0.1: names and return values.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.data import is_list
from ensue.library.modules.docker.client import (
    all_described,
    answered,
    checked,
    described,
    items,
    must_describe,
    output_of,
    part,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

RUNNING: Final = "running"
PAUSED: Final = "paused"
STOPPED: Final = "stopped"


async def inspect_container(ctx: FunctionContext, name: str) -> dict[str, Any]:
    """Return the engine's description of a container.

    Example:
        ensue call '*' docker.inspect_container web

    Raises:
        StateFailedError: there is no such container, or the engine does not answer.
    """
    return await must_describe(ctx, "container", name)


async def find_container(ctx: FunctionContext, name: str) -> dict[str, Any] | None:
    """Return the engine's description of a container, None if it does not exist; see `inspect_container`.

    Example:
        ensue call '*' docker.find_container web
    """
    return await described(ctx, "container", name)


async def exists(ctx: FunctionContext, name: str) -> bool:
    """Return whether a container exists; see `inspect_container`.

    Example:
        ensue call '*' docker.exists web
    """
    return await described(ctx, "container", name) is not None


async def state(ctx: FunctionContext, name: str) -> str:
    """Return the state of a container: `running`, `paused` or `stopped`; see `inspect_container`.

    Example:
        ensue call '*' docker.state web
    """
    return state_of(await inspect_container(ctx, name))


def state_of(about: Mapping[str, Any]) -> str:
    """Return the state of a container from its description."""
    now = part(about, "State")
    return PAUSED if now.get("Paused") else RUNNING if now.get("Running") else STOPPED


def name_of(about: Mapping[str, Any]) -> str:
    """Return the name of a container from its description."""
    return str(about.get("Name") or about.get("Id", "")).lstrip("/")


async def ps(
    ctx: FunctionContext,
    filters: dict[str, Any] | None = None,
    *,
    all: bool = False,  # noqa: A002 (Salt's name)
    verbose: bool = False,
    host: bool = False,
) -> DataMap:
    """Return the containers by id.

    Args:
        filters: filters of `docker ps`, each with a value or a list of values.
        all: include containers that are not running.
        verbose: add `Info`, the engine's full description.
        host: add `host`, the interfaces of the target.

    Returns:
        For each `Names`, `Image`, `ImageID`, `Command`, `State`, `Status`, `Labels`, `Ports`, `Networks` and
        the time of creation.

    Raises:
        StateFailedError: the engine does not answer.
    """
    rows: DataMap = {}
    for about in await every_container(ctx, filters, all_=all):
        rows[str(about["Id"])] = {**_row(about), **({"Info": about} if verbose else {})}
    if host:
        rows["host"] = {"interfaces": await ctx.call("network.interfaces")}
    return rows


async def every_container(
    ctx: FunctionContext, filters: dict[str, Any] | None = None, *, all_: bool = True
) -> list[dict[str, Any]]:
    """Return the engine's description of each container; see `ps`."""
    given = {key: value if is_list(value) else [value] for key, value in (filters or {}).items()}
    flags = [f"--filter={key}={value}" for key, values in given.items() for value in values]
    argv = ["container", "ls", "--quiet", "--no-trunc", *(["--all"] if all_ else []), *flags]
    ids = (await output_of(ctx, *argv, what="list containers")).split()
    return await all_described(ctx, "container", ids)


def _row(about: Mapping[str, Any]) -> DataMap:
    config, settings, now = (part(about, key) for key in ("Config", "NetworkSettings", "State"))
    return {
        "Names": [f"/{name_of(about)}"],
        "Image": config.get("Image"),
        "ImageID": about.get("Image"),
        "Command": " ".join([str(about.get("Path", "")), *map(str, items(about, "Args"))]).strip(),
        "State": now.get("Status"),
        "Status": now.get("Status"),
        "Labels": part(config, "Labels"),
        "Ports": part(settings, "Ports"),
        "Networks": [*sorted(part(settings, "Networks"))],
        "Time_Created_Local": about.get("Created"),
    }


async def list_containers(ctx: FunctionContext, *, all: bool = False) -> list[str]:  # noqa: A002 (Salt's name)
    """Return the names of the running containers, sorted; with `all` of all containers.

    Args:
        all: include containers that are not running.
    """
    return sorted(name_of(about) for about in await every_container(ctx, all_=all))


async def pid(ctx: FunctionContext, name: str) -> int:
    """Return the process id of a container's first process, 0 if the container is not running.

    Example:
        ensue call '*' docker.pid web
    """
    now = part(await inspect_container(ctx, name), "State")
    return int(now.get("Pid") or 0)


async def port(ctx: FunctionContext, name: str, private_port: str | int | None = None) -> DataMap:
    """Return the ports of a container and the host ports to which they are published.

    Args:
        name: its name, or a glob for several; the result of a glob is by name.
        private_port: only this port: `80` or `80/tcp`.

    Example:
        ensue call '*' docker.port web
    """
    is_glob = any(sign in name for sign in "*?[")
    names = fnmatch.filter(await list_containers(ctx, all=True), name) if is_glob else [name]
    port_pattern = "*" if private_port is None else str(private_port)
    pattern = port_pattern if "/" in port_pattern or port_pattern == "*" else f"{port_pattern}/*"
    ports_of: DataMap = {}
    for container in names:
        ports = part(part(await inspect_container(ctx, container), "NetworkSettings"), "Ports")
        ports_of[container] = {key: ports[key] for key in fnmatch.filter(ports, pattern)}
    only: Any = ports_of.get(name, {})
    return ports_of if is_glob else only


async def logs(
    ctx: FunctionContext,
    name: str,
    *,
    tail: str | int = "all",
    since: str | int | None = None,
    timestamps: bool = False,
) -> str:
    """Return the log of a container.

    Args:
        tail: the number of lines, from the end.
        since: the start time, as for `docker logs --since`.
        timestamps: put the time in front of each line.

    Example:
        ensue call '*' docker.logs web

    Raises:
        StateFailedError: there is no such container.
    """
    flags = [f"--tail={tail}", *([f"--since={since}"] if since is not None else [])]
    flags += ["--timestamps"] if timestamps else []
    answer = await answered(ctx, "logs", *flags, checked(name))
    if not answer.is_success:
        await inspect_container(ctx, name)
    return answer.stdout + answer.stderr


async def top(ctx: FunctionContext, name: str) -> list[dict[str, str]]:
    """Return the processes of a container, as `docker top` prints them.

    Example:
        ensue call '*' docker.top web
    """
    lines = (await output_of(ctx, "top", checked(name), what=f"list the processes of {name}")).splitlines()
    heads = lines[0].split() if lines else []
    return [dict(zip(heads, line.split(None, len(heads) - 1), strict=False)) for line in lines[1:]]


async def diff(ctx: FunctionContext, name: str) -> dict[str, list[str]]:
    """Return the changes to a container's files: `Added`, `Changed` and `Deleted`.

    Example:
        ensue call '*' docker.diff web
    """
    kinds = {"A": "Added", "C": "Changed", "D": "Deleted"}
    changes: dict[str, list[str]] = {}
    for line in (
        await output_of(ctx, "diff", checked(name), what=f"compare the files of {name}")
    ).splitlines():
        kind, _, path = line.partition(" ")
        changes.setdefault(kinds.get(kind, kind), []).append(path)
    return changes


FUNCTIONS: Final = by_name(
    diff, exists, find_container, inspect_container, list_containers, logs, pid, port, ps, state, top
)
