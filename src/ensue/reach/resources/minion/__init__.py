"""Resource type `minion`: the machine that ensue runs on, or a folder of it.

docs/resources.md has an example.

Args:
    root: absolute path of the folder that contains all files of the target (`/`)
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ensue.core.model.own_grains import own_grains_path
from ensue.reach.resources.config_check import unknown_keys, wrong_kinds

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.resource_type import ResourceContext
    from ensue.core.model.data import DataMap, ReadOnlyDataMap

SECRET_KEYS: frozenset[str] = frozenset()
"""No key of this type's configuration is a secret."""

_KEYS = frozenset({"root"})


def check(config: ReadOnlyDataMap) -> list[str]:
    """Return what is wrong with a configuration."""
    faults = unknown_keys(config, _KEYS) + wrong_kinds(config, {"root": (str,)})
    root = config.get("root")
    if isinstance(root, str) and not os.path.isabs(root):  # noqa: PTH117 (a string)
        faults.append(f"`root` must be an absolute path, not {root!r}")
    return faults


def connect(context: ResourceContext) -> Connection:
    """Return the connection; the only I/O is reading the symlinks of the root."""
    from ensue.reach.resources.minion.connection import MinionConnection

    root = context.config.get("root")
    root = root if isinstance(root, str) else "/"
    return MinionConnection(context.srn, root=root, leftovers=context.leftovers)


async def ping(connection: Connection) -> bool:
    """Return whether the target answers: this machine always does, a root if it is a folder."""
    status = await connection.stat("/", follow=True)
    return status is not None and status.kind == "directory"


async def grains(connection: Connection, context: ResourceContext) -> DataMap:
    """Gather the grains of this machine."""
    from ensue.reach.resources.minion.connection import MinionConnection
    from ensue.reach.resources.minion.gathering import minion_grains
    from ensue.reach.resources.posix_grains import project_grains

    root = connection.root if isinstance(connection, MinionConnection) else ""
    grains_ = minion_grains(context.srn.id, root=root, own_grains_file=own_grains_path(context.opts))
    return project_grains(context.opts) | grains_
