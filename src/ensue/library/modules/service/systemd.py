"""Services managed by systemd.

Source: systemctl(1); Salt's execution module `systemd_service`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_UNIT_TYPES: Final = (
    ".service", ".socket", ".device", ".mount", ".automount", ".swap", ".target", ".path", ".timer", ".slice",
    ".scope",
)  # fmt: skip
_LIST: Final = ("list-unit-files", "--type=service", "--no-legend", "--no-pager", "--plain")
_AT_ONCE: Final = frozenset({"enable", "disable", "mask", "unmask"})


async def available(ctx: FunctionContext, name: str) -> bool:
    """Return whether a unit exists."""
    answer = await ask(ctx, "systemctl", "show", "--property=LoadState", "--value", _unit(name))
    return answer.stdout.strip() not in {"", "not-found", "bad-setting", "error"}


async def running(ctx: FunctionContext, name: str) -> bool:
    """Return whether a unit is active or activating."""
    answer = await ask(ctx, "systemctl", "is-active", _unit(name))
    return answer.stdout.strip() in {"active", "activating", "reloading"}


async def enabled(ctx: FunctionContext, name: str) -> bool:
    """Return whether a unit starts at boot."""
    return (await ask(ctx, "systemctl", "is-enabled", _unit(name))).is_success


async def names(ctx: FunctionContext) -> list[str]:
    """Return the names of all services, sorted."""
    return await _listed(ctx)


async def names_enabled(ctx: FunctionContext) -> list[str]:
    """Return the names of the services that are enabled, sorted."""
    return await _listed(ctx, "--state=enabled")


async def masked(ctx: FunctionContext, name: str, *, runtime: bool) -> bool:
    """Return whether a unit is masked; with `runtime` only until the next boot."""
    state = (await ask(ctx, "systemctl", "is-enabled", _unit(name))).stdout.strip()
    return state == ("masked-runtime" if runtime else "masked")


async def change(ctx: FunctionContext, name: str, verb: str, *, may_block: bool) -> None:
    """Apply a verb of systemctl to a unit.

    Raises:
        StateFailedError: systemctl fails; the text says why.
    """
    verb, _, runtime = verb.partition(" ")
    flags = ["--no-block"] if not may_block and verb not in _AT_ONCE else []
    flags += [runtime] if runtime else []
    await must(ctx, "systemctl", *flags, verb, _unit(name), what=f"{verb} the service {name}")


async def _listed(ctx: FunctionContext, *flags: str) -> list[str]:
    answer = await ask(ctx, "systemctl", *_LIST, *flags)
    units = [line.split()[0] for line in answer.stdout.splitlines() if line.strip()]
    return sorted(unit.removesuffix(".service") for unit in units)


def _unit(name: str) -> str:
    return name if name.endswith(_UNIT_TYPES) else f"{name}.service"
