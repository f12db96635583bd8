"""Resource type `dummy`: resources that exist only as files below the cachedir, for tests and tutorials.

A dummy has files, packages and services, which persist between runs; it runs no commands.
docs/resource-types.md has an example.

Args:
    grains: a mapping that is added to the grains of the resource
    reachable: `false`: it does not answer (`true`)

Example:
    resources:
      dummy:
        web-01: {grains: {role: web}}

Source: Salt 3008, resource type `dummy`: its packages and services.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ensue.reach.resources.config_check import unknown_keys, wrong_kinds
from ensue.reach.resources.dummy.connection import DummyConnection

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.resource_type import ResourceContext
    from ensue.core.model.data import DataMap, ReadOnlyDataMap

_KINDS = {"grains": (dict,), "reachable": (bool,)}


def check(config: ReadOnlyDataMap) -> list[str]:
    """Return what is wrong with a configuration."""
    return unknown_keys(config, _KINDS) + wrong_kinds(config, _KINDS)


def connect(context: ResourceContext) -> Connection:
    """Return the connection; does no I/O."""
    reachable = context.config.get("reachable", True) is not False
    return cast("Connection", DummyConnection(context.srn, context.cache_dir, reachable=reachable))


async def ping(connection: DummyConnection) -> bool:
    """Return True: the dummy answers.

    Raises:
        UnreachableError: its configuration says `reachable: false`.
    """
    connection.must_be_reachable()
    return True


async def grains(connection: DummyConnection, context: ResourceContext) -> DataMap:
    """Return the grains of its configuration."""
    connection.must_be_reachable()
    given = context.config.get("grains")
    return dict(given) if isinstance(given, dict) else {}
