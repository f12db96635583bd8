"""State module `docker_volume`: volumes of a container engine.

Source: Salt's extension `saltext-dockermod`, 0.1, which was Salt's state module `docker_volume`: arguments,
results, changes and comments. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def present(
    ctx: StateContext, name: str, driver: str | None = None, driver_opts: Any = None, *, force: bool = False
) -> StateReturn:
    """Create a volume.

    Args:
        name: its name.
        driver: its driver.
        driver_opts: options of the driver; those of an existing volume are not compared.
        force: replace a volume with another driver; its data is lost.

    Example:
        data:
          docker_volume.present:
            - driver: local

    Returns:
        `changes` has `created` (docker's description), and `removed` if a volume was replaced; `new_state`
        has `name driver mountpoint`.

    Raises:
        StateFailedError: docker reports an error, or does not answer.
    """
    volume: dict[str, Any] | None = await ctx.call("docker.find_volume", name)
    is_another = volume is not None and driver is not None and volume.get("Driver") != driver
    if volume is not None and not is_another:
        return StateReturn.unchanged(name, f"Volume '{name}' already exists.", _state(volume))
    if volume is not None and not force:
        comment = (
            f"Driver for existing volume '{name}' ('{volume.get('Driver')}') does not match specified driver"
            f" ('{driver}') and force is False"
        )
        return StateReturn.failed(name, comment)
    changes: DataMap = {"removed": True} if volume is not None else {}
    if ctx.test:
        comment = (
            f"The volume '{name}' will be replaced with a new one using the driver '{driver}'"
            if volume is not None
            else f"The volume '{name}' will be created"
        )
        return StateReturn.planned(name, comment, {**changes, "created": True})
    if volume is not None:
        await ctx.call("docker.remove_volume", name)
    made = await ctx.call("docker.create_volume", name, driver=driver, driver_opts=driver_opts)
    changes["created"] = made
    comment = f"Volume '{name}' was {'replaced' if volume is not None else 'created'}"
    return StateReturn.changed(name, comment, changes, _state(made))


async def absent(ctx: StateContext, name: str, driver: str | None = None) -> StateReturn:
    """Remove a volume with its data.

    Args:
        name: its name.
        driver: has no effect.

    Example:
        data:
          docker_volume.absent

    Returns:
        `changes` has `removed`; `new_state` has `name exists`.

    Raises:
        StateFailedError: a container uses it, or docker does not answer.
    """
    gone: DataMap = {"name": name, "exists": False}
    if await ctx.call("docker.find_volume", name) is None:
        return StateReturn.unchanged(name, f"Volume '{name}' already absent", gone)
    if ctx.test:
        return StateReturn.planned(name, f"Volume '{name}' will be removed", {"removed": True})
    changes: DataMap = {"removed": await ctx.call("docker.remove_volume", name)}
    return StateReturn.changed(name, f"Volume '{name}' was removed", changes, gone)


def _state(volume: dict[str, Any]) -> DataMap:
    return {
        "name": volume.get("Name"),
        "driver": volume.get("Driver"),
        "mountpoint": volume.get("Mountpoint"),
    }


FUNCTIONS: Final = by_name(absent, present)
