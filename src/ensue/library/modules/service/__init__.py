"""Execution module `service`: the target's services, through systemd or, without it, `/etc/init.d`.

A target with neither gets an error.

Args:
    name: the service.
    runtime: masked until the next boot rather than permanently.
    **kwargs: accepted as by Salt, without effect.

Source: Salt's execution module `service` (systemd_service, debian_service), 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import must
from ensue.library.modules.service.manager import is_offline, service_manager

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import FunctionContext

    Change = Callable[..., Awaitable[bool]]


async def available(ctx: FunctionContext, name: str) -> bool:
    """Return whether a service exists.

    Example:
        ensue call '*' service.available nginx
    """
    return await (await service_manager(ctx)).available(ctx, name)


async def offline(ctx: FunctionContext) -> bool:
    """Return whether the target is a system that systemd will boot later (a chroot, an image)."""
    return await is_offline(ctx)


async def missing(ctx: FunctionContext, name: str) -> bool:
    """Return whether a service does not exist.

    Example:
        ensue call '*' service.missing nginx
    """
    return not await available(ctx, name)


async def status(ctx: FunctionContext, name: str, sig: str | None = None) -> bool:
    """Return whether a service is running or starting.

    Args:
        sig: has no effect; the service manager is asked.

    Example:
        ensue call '*' service.status nginx
    """
    return await (await service_manager(ctx)).running(ctx, name)


async def enabled(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Return whether a service starts at boot.

    Example:
        ensue call '*' service.enabled nginx
    """
    return await (await service_manager(ctx)).enabled(ctx, name)


async def disabled(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Return whether a service does not start at boot.

    Example:
        ensue call '*' service.disabled nginx
    """
    return not await enabled(ctx, name, **kwargs)


async def get_all(ctx: FunctionContext) -> list[str]:
    """Return the names of all services, sorted."""
    return await (await service_manager(ctx)).names(ctx)


async def get_enabled(ctx: FunctionContext) -> list[str]:
    """Return the names of the services that start at boot, sorted."""
    return await (await service_manager(ctx)).names_enabled(ctx)


async def get_disabled(ctx: FunctionContext) -> list[str]:
    """Return the names of the services that do not start at boot, sorted."""
    return sorted({*await get_all(ctx)} - {*await get_enabled(ctx)})


async def masked(ctx: FunctionContext, name: str, runtime: bool = False) -> bool:
    """Return whether a service is masked.

    Example:
        ensue call '*' service.masked nginx

    Raises:
        StateFailedError: the target's service manager has no masks.
    """
    return await (await service_manager(ctx)).masked(ctx, name, runtime=runtime)


async def mask(ctx: FunctionContext, name: str, runtime: bool = False) -> bool:
    """Mask a service, so that nothing can start it; with `runtime` only until the next boot.

    Example:
        ensue call '*' service.mask nginx
    """
    await (await service_manager(ctx)).change(ctx, name, _with_runtime("mask", runtime), may_block=True)
    return True


async def unmask_(ctx: FunctionContext, name: str, runtime: bool = False) -> bool:
    """Unmask a service; with `runtime` remove a mask that lasts until the next boot.

    Example:
        ensue call '*' service.unmask nginx
    """
    await (await service_manager(ctx)).change(ctx, name, _with_runtime("unmask", runtime), may_block=True)
    return True


_VERBS: Final = ("disable", "enable", "force-reload", "reload", "restart", "start", "stop")
_DOCSTRING: Final = """Let the service manager {verb} a service.

Args:
    name: the service.
    no_block: return before the service manager is done.
    unmask: unmask the service first, if it is masked.
    **kwargs: accepted as by Salt, without effect.

Example:
    ensue call '*' service.restart nginx

Raises:
    StateFailedError: it could not; the text says why.
"""


def _change(verb: str) -> Change:
    async def change(
        ctx: FunctionContext, name: str, no_block: bool = False, unmask: bool = False, **kwargs: Any
    ) -> bool:
        manager = await service_manager(ctx)
        if unmask and await _is_masked(ctx, name):
            await manager.change(ctx, name, "unmask", may_block=True)
        await manager.change(ctx, name, verb, may_block=not no_block)
        return True

    change.__doc__ = _DOCSTRING.format(verb=verb)
    return change


async def systemctl_reload(ctx: FunctionContext) -> bool:
    """Make systemd reload its unit files.

    Raises:
        StateFailedError: systemd does not run on the target, or fails.
    """
    await must(ctx, "systemctl", "daemon-reload", what="reload the unit files")
    return True


async def _is_masked(ctx: FunctionContext, name: str) -> bool:
    try:
        return await masked(ctx, name) or await masked(ctx, name, runtime=True)
    except StateFailedError:  # no masks, so none to remove
        return False


def _with_runtime(verb: str, runtime: bool) -> str:
    return f"{verb} --runtime" if runtime else verb


FUNCTIONS: Final = by_name(
    available, disabled, enabled, get_all, get_disabled, get_enabled, mask, masked, missing, offline, status,
    systemctl_reload, unmask_, {verb.replace("-", "_"): _change(verb) for verb in _VERBS},
)  # fmt: skip
