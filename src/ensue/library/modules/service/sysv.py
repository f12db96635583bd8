"""Services managed by scripts in `/etc/init.d`, without systemd: in containers, chroots and older systems.

Source: service(8), update-rc.d(8), chkconfig(8); Salt's execution module `debian_service`, 3008.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_SCRIPTS: Final = "/etc/init.d"
_RUNLEVELS: Final = ("/etc/rcS.d", "/etc/rc2.d", "/etc/rc3.d", "/etc/rc.d/rc3.d")
_STARTED: Final = re.compile(r"S\d+(?P<name>.+)")


async def available(ctx: FunctionContext, name: str) -> bool:
    """Return whether a script exists."""
    script = await ctx.connection.stat(f"{_SCRIPTS}/{_script(name)}", follow=True)
    return script is not None and script.kind == "file"


async def running(ctx: FunctionContext, name: str) -> bool:
    """Return whether a script reports that its service runs."""
    if not await available(ctx, name):
        return False
    return (await ask(ctx, "service", _script(name), "status")).is_success


async def enabled(ctx: FunctionContext, name: str) -> bool:
    """Return whether a service starts at boot."""
    return _script(name) in await names_enabled(ctx)


async def names(ctx: FunctionContext) -> list[str]:
    """Return the names of all scripts, sorted."""
    scripts = set(await ctx.connection.list_directory(_SCRIPTS)) - {"README", "functions", "skeleton"}
    return sorted({*scripts, *await names_enabled(ctx)})


async def names_enabled(ctx: FunctionContext) -> list[str]:
    """Return the names of the services that start at boot, sorted."""
    services: set[str] = set()
    for folder in _RUNLEVELS:
        if await ctx.connection.stat(folder, follow=True) is not None:
            links = await ctx.connection.list_directory(folder)
            services |= {match["name"] for link in links if (match := _STARTED.fullmatch(link))}
    return sorted(services)


async def masked(ctx: FunctionContext, name: str, *, runtime: bool) -> bool:
    """Refuse: scripts have no masks.

    Raises:
        StateFailedError: always.
    """
    raise StateFailedError(
        f"Service masking not available on this minion: systemd does not run on {ctx.srn}, so that "
        f"{name} has no {'runtime ' if runtime else ''}mask"
    )


async def change(ctx: FunctionContext, name: str, verb: str, *, may_block: bool) -> None:  # a script blocks
    """Start, stop, restart, reload, enable or disable a service.

    Raises:
        StateFailedError: the script fails; the text says why.
    """
    script, verb = _script(name), verb.partition(" ")[0]
    what = f"{verb} the service {name}"
    if verb in {"mask", "unmask"}:
        await masked(ctx, name, runtime=False)
    if verb not in {"enable", "disable"}:
        await must(ctx, "service", script, verb, what=what)
    elif (await ask(ctx, "update-rc.d", script, "defaults")).is_missing:
        await must(ctx, "chkconfig", script, "on" if verb == "enable" else "off", what=what)
    else:
        await must(ctx, "update-rc.d", script, verb, what=what)


def _script(name: str) -> str:
    return name.removesuffix(".service")
