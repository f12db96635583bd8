"""The interface of a service manager, and the choice of the one that a target has."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from ensue.core.errors import NotAvailableError, NotOfferedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


class ServiceManager(Protocol):
    """A service manager: a module with these functions."""

    async def available(self, ctx: FunctionContext, name: str) -> bool:
        """Return whether a service exists."""
        ...

    async def running(self, ctx: FunctionContext, name: str) -> bool:
        """Return whether a service is running or starting."""
        ...

    async def enabled(self, ctx: FunctionContext, name: str) -> bool:
        """Return whether a service starts at boot."""
        ...

    async def names(self, ctx: FunctionContext) -> list[str]:
        """Return the names of all services, sorted."""
        ...

    async def names_enabled(self, ctx: FunctionContext) -> list[str]:
        """Return the names of the services that start at boot, sorted."""
        ...

    async def masked(self, ctx: FunctionContext, name: str, *, runtime: bool) -> bool:
        """Return whether a service is masked; StateFailedError if the manager has no masks."""
        ...

    async def change(self, ctx: FunctionContext, name: str, verb: str, *, may_block: bool) -> None:
        """Start, stop, restart, reload, force-reload, enable, disable, mask or unmask a service."""
        ...


async def is_offline(ctx: FunctionContext) -> bool:
    """Return whether the target is a system that systemd will boot later: a chroot, an image.

    Raises:
        NotAvailableError: the target cannot run commands.

    Source: Salt's execution module `systemd_service`, 3008: systemd does not run, `systemctl` exists.
    """
    if not ctx.connection.can_run:
        raise NotOfferedError("run", target_type=ctx.srn.type)
    if await ctx.connection.stat("/run/systemd/system", follow=True) is not None:
        return False
    return bool(await ctx.call("cmd.which", "systemctl"))


def _manager(name: str) -> ServiceManager:
    return cast("ServiceManager", importlib.import_module(f"ensue.library.modules.service.{name}"))


async def service_manager(ctx: FunctionContext) -> ServiceManager:
    """Return the target's service manager.

    That is systemd if it runs, else the scripts in `/etc/init.d`, else systemd in an unbooted system.

    Raises:
        NotAvailableError: the target has neither, or cannot run commands.
    """
    if not ctx.connection.can_run:
        raise NotOfferedError("run", target_type=ctx.srn.type)
    for path, name in (("/run/systemd/system", "systemd"), ("/etc/init.d", "sysv")):
        if await ctx.connection.stat(path, follow=True) is not None:
            return _manager(name)
    if await ctx.call("cmd.which", "systemctl"):
        return _manager("offline")
    raise NotAvailableError(
        f"service is not available for {ctx.srn}: systemd is not there (no /run/systemd/system, and no "
        "systemctl), there is no /etc/init.d, and ensue knows no other service manager; use cmd.run with "
        "the one that it has"
    )
