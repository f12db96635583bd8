"""Execution module `zfs`: ZFS file systems, through the target's `zfs`.

Source: Salt's execution module `zfs`, 3006, and zfs(8): names and arguments. Unlike in Salt, failures raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.zfs_values import shown
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext


async def exists(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Return whether a dataset exists.

    Args:
        name: the dataset.
        **kwargs: `type`: only a dataset of this type (`filesystem`, `volume`, `snapshot`).

    Example:
        ensue call '*' zfs.exists tank/www

    Raises:
        StateFailedError: the target has no program `zfs`.
    """
    of_type = ["-t", str(kwargs["type"])] if kwargs.get("type") else []
    answer = await ask(ctx, "zfs", "list", "-H", "-o", "name", *of_type, _checked(name))
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no program `zfs`")
    return answer.is_success


async def get(ctx: FunctionContext, name: str, *properties: str) -> dict[str, str]:
    """Return properties of a dataset, sizes in bytes.

    Args:
        name: the dataset.
        *properties: their names; none for all.

    Example:
        ensue call '*' zfs.get tank/www

    Raises:
        StateFailedError: zfs refuses it.
    """
    keys = ",".join(properties) or "all"
    answer = await must(
        ctx, "zfs", "get", "-H", "-p", "-o", "property,value", keys, _checked(name), what=f"read {name}"
    )
    pairs = (line.partition("\t") for line in answer.stdout.splitlines())
    return {each: value for each, tab, value in pairs if tab}


async def create(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Create a file system.

    Args:
        name: the file system.
        **kwargs: `properties`: a mapping; `create_parent`: also create missing parents.

    Example:
        ensue call '*' zfs.create tank/www

    Raises:
        StateFailedError: zfs refuses it.
    """
    parents = ["-p"] if kwargs.get("create_parent") else []
    words = _options(kwargs.get("properties"))
    await must(ctx, "zfs", "create", *parents, *words, _checked(name), what=f"create {name}")
    return True


async def clone(ctx: FunctionContext, name_a: str, name_b: str, **kwargs: Any) -> bool:
    """Create a file system from a snapshot.

    Args:
        name_a: the snapshot.
        name_b: the file system.
        **kwargs: see `create`.

    Example:
        ensue call '*' zfs.clone tank/data@monday tank/copy

    Raises:
        StateFailedError: zfs refuses it.
    """
    parents = ["-p"] if kwargs.get("create_parent") else []
    words = [*parents, *_options(kwargs.get("properties")), _checked(name_a), _checked(name_b)]
    await must(ctx, "zfs", "clone", *words, what=f"clone {name_a} as {name_b}")
    return True


async def set_(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Set properties of a dataset.

    Args:
        name: the dataset.
        **kwargs: the properties.

    Example:
        ensue call '*' zfs.set tank/www

    Raises:
        StateFailedError: zfs refuses a property.
    """
    pairs = [f"{key}={shown(value)}" for key, value in kwargs.items()]
    await must(ctx, "zfs", "set", *pairs, _checked(name), what=f"set properties of {name}")
    return True


async def destroy(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Destroy a dataset.

    Args:
        name: the dataset.
        **kwargs: `force`: unmount file systems in use; `recursive`: also destroy everything below it.

    Example:
        ensue call '*' zfs.destroy tank/www

    Raises:
        StateFailedError: zfs refuses it.
    """
    words = [word for word, key in (("-f", "force"), ("-r", "recursive")) if kwargs.get(key)]
    await must(ctx, "zfs", "destroy", *words, _checked(name), what=f"destroy {name}")
    return True


def _options(properties: Mapping[str, Any] | None) -> list[str]:
    return [word for key, value in (properties or {}).items() for word in ("-o", f"{key}={shown(value)}")]


def _checked(name: str) -> str:
    if not name or name.startswith("-"):
        raise StateFailedError(f"{name!r} is not a dataset name")
    return name


FUNCTIONS: Final = by_name(clone, create, destroy, exists, get, set_)
