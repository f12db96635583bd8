"""Services of a system that systemd will boot later: a chroot or an image, in which no init runs.

No service runs there, and none can be started. Whether a service starts at boot depends on symlinks, which
`systemctl` creates without a running systemd.

Source: systemctl(1), `SYSTEMD_OFFLINE`; Salt's execution module `systemd_service`, 3008 (`offline`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_OFFLINE: Final = {"SYSTEMD_OFFLINE": "1"}
_LIST: Final = ("list-unit-files", "--no-legend", "--no-pager", "--plain")
_MADE_OF_SYMLINKS: Final = frozenset({"enable", "disable", "mask", "unmask"})


async def available(ctx: FunctionContext, name: str) -> bool:
    """Return whether a unit exists."""
    answer = await ask(ctx, "systemctl", *_LIST, "--", _unit(name), env=_OFFLINE)
    return any(line.split()[:1] == [_unit(name)] for line in answer.stdout.splitlines())


async def running(ctx: FunctionContext, name: str) -> bool:
    """Return False: nothing runs."""
    return False


async def enabled(ctx: FunctionContext, name: str) -> bool:
    """Return whether a unit will start at boot."""
    return (await ask(ctx, "systemctl", "is-enabled", "--", _unit(name), env=_OFFLINE)).is_success


async def names(ctx: FunctionContext) -> list[str]:
    """Return the names of all services, sorted."""
    return await _listed(ctx)


async def names_enabled(ctx: FunctionContext) -> list[str]:
    """Return the names of the services that are enabled, sorted."""
    return await _listed(ctx, "--state=enabled")


async def masked(ctx: FunctionContext, name: str, *, runtime: bool) -> bool:
    """Return whether a unit is masked."""
    state = (await ask(ctx, "systemctl", "is-enabled", "--", _unit(name), env=_OFFLINE)).stdout.strip()
    return state == ("masked-runtime" if runtime else "masked")


async def change(ctx: FunctionContext, name: str, verb: str, *, may_block: bool) -> None:
    """Enable, disable, mask or unmask a unit.

    Raises:
        StateFailedError: the verb requires a running system, or systemctl fails.
    """
    verb, _, runtime = verb.partition(" ")
    if verb not in _MADE_OF_SYMLINKS:
        raise StateFailedError(f"cannot {verb} {name} on {ctx.srn}: systemd does not run there")
    flags = [runtime] if runtime else []
    await must(
        ctx, "systemctl", *flags, verb, "--", _unit(name), what=f"{verb} the service {name}", env=_OFFLINE
    )


async def _listed(ctx: FunctionContext, *flags: str) -> list[str]:
    answer = await ask(ctx, "systemctl", *_LIST, "--type=service", *flags, env=_OFFLINE)
    units = [line.split()[0] for line in answer.stdout.splitlines() if line.strip()]
    return sorted(unit.removesuffix(".service") for unit in units)


def _unit(name: str) -> str:
    return name if "." in name else f"{name}.service"
