"""Execution module `service`: the target's services, by systemd. A target without it is told so.

Source: Salt's execution module `service` (systemd_service), 3008: names and what they return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.errors import NotAvailableError
from ensue.modules._programs import Answer, ask, must

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.contracts.context import FunctionContext

    Change = Callable[..., Awaitable[bool]]

_UNIT_TYPES: Final = (
    ".service", ".socket", ".device", ".mount", ".automount", ".swap", ".target", ".path", ".timer", ".slice",
    ".scope",
)  # fmt: skip


async def available(ctx: FunctionContext, name: str) -> bool:
    """Say whether there is such a service."""
    said = await _systemctl(ctx, "show", "--property=LoadState", "--value", _unit(name))
    return said.stdout.strip() not in {"", "not-found", "bad-setting", "error"}


async def missing(ctx: FunctionContext, name: str) -> bool:
    """Say whether there is no such service."""
    return not await available(ctx, name)


async def status(ctx: FunctionContext, name: str, sig: str | None = None) -> bool:  # noqa: ARG001 (Salt's argument)
    """Say whether a service runs or is about to."""
    said = await _systemctl(ctx, "is-active", _unit(name))
    return said.stdout.strip() in {"active", "activating", "reloading"}


async def enabled(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:  # noqa: ARG001 (Salt takes more)
    """Say whether a service starts with the system."""
    return (await _systemctl(ctx, "is-enabled", _unit(name))).is_success


async def disabled(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Say whether a service does not start with the system."""
    return not await enabled(ctx, name, **kwargs)


async def get_all(ctx: FunctionContext) -> list[str]:
    """Return the names of all services, sorted."""
    said = await _systemctl(ctx, "list-unit-files", "--type=service", "--no-legend", "--no-pager", "--plain")
    units = [line.split()[0] for line in said.stdout.splitlines() if line.strip()]
    return sorted(unit.removesuffix(".service") for unit in units)


async def masked(ctx: FunctionContext, name: str) -> bool:
    """Say whether a service is masked."""
    said = await _systemctl(ctx, "is-enabled", _unit(name))
    return said.stdout.strip().startswith("masked")


def _change(verb: str, *, may_wait: bool = True) -> Change:
    async def change(
        ctx: FunctionContext,
        name: str,
        no_block: bool = False,
        unmask: bool = False,
        **kwargs: Any,  # noqa: ARG001 (Salt takes more)
    ) -> bool:
        await _need_systemd(ctx)
        what = f"{verb} the service {name}"
        if unmask and await masked(ctx, name):
            await must(ctx, "systemctl", "unmask", _unit(name), what=what)
        flags = ["--no-block"] if no_block and may_wait else []
        await must(ctx, "systemctl", *flags, verb, _unit(name), what=what)
        return True

    change.__doc__ = f"Let systemd {verb} a service; StateFailedError says why it could not."
    return change


async def _systemctl(ctx: FunctionContext, *arguments: str) -> Answer:
    await _need_systemd(ctx)
    return await ask(ctx, "systemctl", *arguments)


async def _need_systemd(ctx: FunctionContext) -> None:
    if not ctx.connection.can_run:
        raise NotAvailableError(f"service is not available for {ctx.srn.type}: it runs no commands")
    if await ctx.connection.stat("/run/systemd/system") is None:
        raise NotAvailableError(
            f"service is not available for {ctx.srn}: systemd does not run there (no /run/systemd/system), "
            "and ensue knows no other service manager; use cmd.run with the one that it has"
        )


def _unit(name: str) -> str:
    return name if name.endswith(_UNIT_TYPES) else f"{name}.service"


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "available": available,
    "disable": _change("disable", may_wait=False),
    "disabled": disabled,
    "enable": _change("enable", may_wait=False),
    "enabled": enabled,
    "force_reload": _change("force-reload"),
    "get_all": get_all,
    "masked": masked,
    "missing": missing,
    "reload": _change("reload"),
    "restart": _change("restart"),
    "start": _change("start"),
    "status": status,
    "stop": _change("stop"),
}
