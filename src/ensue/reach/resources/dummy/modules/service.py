"""`service` for dummies: services are entries of a file.

Source: Salt 3008, resource type `dummy`, its module `service`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import FunctionContext
    from ensue.reach.resources.dummy.connection import DummyConnection


async def available(ctx: FunctionContext, name: str) -> bool:
    """Return whether a service exists."""
    return name in await _dummy(ctx).services()


async def missing(ctx: FunctionContext, name: str) -> bool:
    """Return whether a service does not exist."""
    return not await available(ctx, name)


async def status(ctx: FunctionContext, name: str, sig: str | None = None) -> bool:  # noqa: ARG001 (Salt's argument)
    """Return whether a service runs."""
    return await _has(ctx, name, "running")


async def enabled(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:  # noqa: ARG001 (Salt takes more)
    """Return whether a service starts with the dummy."""
    return await _has(ctx, name, "enabled")


async def disabled(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:  # noqa: ARG001 (Salt takes more)
    """Return whether a service does not start with the dummy."""
    return not await _has(ctx, name, "enabled")


async def get_all(ctx: FunctionContext) -> list[str]:
    """Return the names of all services, sorted."""
    return sorted(await _dummy(ctx).services())


async def get_enabled(ctx: FunctionContext) -> list[str]:
    """Return the names of the services that start with the dummy, sorted."""
    return sorted(name for name, service in (await _dummy(ctx).services()).items() if service["enabled"])


async def get_disabled(ctx: FunctionContext) -> list[str]:
    """Return the names of the services that do not start with the dummy, sorted."""
    return sorted({*await get_all(ctx)} - {*await get_enabled(ctx)})


async def masked(ctx: FunctionContext, name: str, runtime: bool = False) -> bool:  # noqa: ARG001 (every function is given it)
    """Return False: a dummy's services are never masked."""
    return False


def _change(**marks: bool) -> Callable[..., Awaitable[bool]]:
    async def change(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:  # noqa: ARG001 (Salt takes more)
        await _dummy(ctx).change_service(name, **marks)
        return True

    change.__doc__ = f"Set {', '.join(f'{mark} to {value}' for mark, value in marks.items())}."
    return change


async def _has(ctx: FunctionContext, name: str, mark: str) -> bool:
    return (await _dummy(ctx).services()).get(name, {}).get(mark, False)


def _dummy(ctx: FunctionContext) -> DummyConnection:
    return cast("DummyConnection", ctx.connection)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "available": available,
    "disable": _change(enabled=False),
    "disabled": disabled,
    "enable": _change(enabled=True),
    "enabled": enabled,
    "force_reload": _change(running=True),
    "get_all": get_all,
    "get_disabled": get_disabled,
    "get_enabled": get_enabled,
    "masked": masked,
    "missing": missing,
    "reload": _change(running=True),
    "restart": _change(running=True),
    "start": _change(running=True),
    "status": status,
    "stop": _change(running=False),
}
