"""Execution functions for volumes.

Source: Salt's extension `saltext-dockermod`, 0.1: names, arguments and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.docker.client import all_described, checked, described, must_describe, output_of
from ensue.library.modules.docker.option_forms import pairs

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def volumes(ctx: FunctionContext, filters: dict[str, Any] | None = None) -> DataMap:
    """Return all volumes, as `Volumes`.

    Args:
        filters: filters of `docker volume ls`.

    Example:
        ensue call '*' docker.volumes
    """
    flags = [f"--filter={key}={value}" for key, value in (filters or {}).items()]
    text = await output_of(ctx, "volume", "ls", "--quiet", *flags, what="list volumes")
    return {"Volumes": [*await all_described(ctx, "volume", text.split())], "Warnings": None}


async def inspect_volume(ctx: FunctionContext, name: str) -> dict[str, Any]:
    """Return the engine's description of a volume.

    Args:
        name: its name.

    Example:
        ensue call '*' docker.inspect_volume data

    Raises:
        StateFailedError: there is no such volume, or the engine does not answer.
    """
    return await must_describe(ctx, "volume", name)


async def find_volume(ctx: FunctionContext, name: str) -> dict[str, Any] | None:
    """Return the engine's description of a volume, None if it does not exist; see `inspect_volume`.

    Args:
        name: the volume.

    Example:
        ensue call '*' docker.find_volume data
    """
    return await described(ctx, "volume", name)


async def create_volume(
    ctx: FunctionContext, name: str, driver: str | None = None, driver_opts: Any = None
) -> DataMap:
    """Create a volume.

    Args:
        name: its name.
        driver: its driver.
        driver_opts: the driver's options.

    Example:
        ensue call '*' docker.create_volume data

    Returns:
        The engine's description of the volume.

    Raises:
        StateFailedError: docker refuses to create it.
    """
    flags = [f"--driver={driver}"] if driver else []
    flags += [f"--opt={key}={value}" for key, value in pairs(driver_opts or {}, "=", "driver_opts").items()]
    await output_of(ctx, "volume", "create", *flags, checked(name), what=f"create the volume {name}")
    return await inspect_volume(ctx, name)


async def remove_volume(ctx: FunctionContext, name: str) -> bool:
    """Remove a volume.

    Args:
        name: its name.

    Example:
        ensue call '*' docker.remove_volume data

    Raises:
        StateFailedError: there is no such volume, or a container uses it.
    """
    await output_of(ctx, "volume", "rm", checked(name), what=f"remove the volume {name}")
    return True


FUNCTIONS: Final = by_name(create_volume, find_volume, inspect_volume, remove_volume, volumes)
