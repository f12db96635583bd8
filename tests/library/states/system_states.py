"""Calling state functions of the system modules (`pkg`, `user`, `service`, …) the way the engine does."""

from __future__ import annotations

import asyncio
import inspect
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.new_state_tables import check_new_state

from ensue.core.errors import EnsueError
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.connection import Connection

MODULES = (
    "acl", "apache", "cmd", "config", "cron", "debconf", "disk", "docker", "environ", "grains", "group",
    "hosts", "ini", "iptables", "mount", "mysql", "pip", "pkg", "postgres", "rabbitmq", "service", "shadow",
    "supervisord", "sysctl", "sysrc", "tls", "user", "virtualenv", "x509", "zfs",
)  # fmt: skip
HERE = Srn("minion", "target")

needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may change users, packages and mounts; run the tests as root"
)


def functions() -> dict[str, Callable[..., Any]]:
    return {
        f"{module}.{name}": function
        for module in MODULES
        for name, function in import_module(f"ensue.library.modules.{module}").FUNCTIONS.items()
    }


def context(
    connection: Connection | None = None, *, test: bool = False, grains: dict[str, Any] | None = None
) -> FakeStateContext:
    return FakeStateContext(
        connection=connection or MinionConnection(HERE),
        test=test,
        grains_data={"os_family": "Debian", "shell": "/bin/sh", **(grains or {})},
        functions=functions(),
    )


def state(full_name: str, ctx: FakeStateContext, name: str, **arguments: Any) -> StateReturn:
    """Run a state function; what it raises is a result False."""
    module, _, function = full_name.rpartition(".")
    implementation = import_module(f"ensue.library.states.{module}").FUNCTIONS[function]

    async def run() -> StateReturn:
        try:
            returned = implementation(ctx, name, **arguments)
            return await returned if inspect.isawaitable(returned) else returned
        except EnsueError as error:
            return StateReturn(name=name, result=False, comment=str(error))

    returned = asyncio.run(run())
    check_new_state(full_name, returned, test=ctx.test)
    return returned


def execute(full_name: str, ctx: FakeStateContext, *args: Any, **kwargs: Any) -> Any:
    """Run an execution function."""
    return asyncio.run(ctx.call(full_name, *args, **kwargs))


def thrice(
    full_name: str, connection: Connection, name: str, **arguments: Any
) -> tuple[StateReturn, StateReturn]:
    """Plan, apply and apply again; return the plan and the first apply. The second changes nothing."""
    planned = state(full_name, context(connection, test=True), name, **arguments)
    done = state(full_name, context(connection), name, **arguments)
    again = state(full_name, context(connection), name, **arguments)
    assert (again.result, again.changes) == (True, {}), again.comment
    assert planned.new_state is None or planned.result
    return planned, done
