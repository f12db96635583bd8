"""State module `docker_container`: manages containers through the `docker` client of the target.

Source: Salt's extension `saltext-dockermod`, 0.1, which was Salt's state module `docker_container`:
arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.errors import StateFailedError
from ensue.library.states._docker import OPTIONS
from ensue.library.states.docker_container.run import run
from ensue.library.states.docker_container.running import running
from ensue.library.states.docker_container.stopping import absent, stopped

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn

_ARGUMENTS: Final = (
    "image", "skip_translate", "ignore_collisions", "validate_ip_addrs", "force", "watch_action", "start",
    "shutdown_timeout", "client_timeout", "networks", "bg", "failhard", "replace", "containers", "unpause",
    "error_on_absent",
)  # fmt: skip


@also_takes(*OPTIONS, *_ARGUMENTS)
async def mod_watch(ctx: StateContext, name: str, sfun: str = "running", **kwargs: Any) -> StateReturn:
    """Run a state because a watched state has changes.

    `running` replaces the container, or sends it the signal in `watch_action`; the other functions are called
    as usual.

    Args:
        name: the container.
        sfun: the function of the state that watches.
        **kwargs: its other arguments.

    Raises:
        StateFailedError: the function does not support `watch`.
    """
    changed: dict[str, Any] = dict(kwargs)
    if sfun == "running":
        if kwargs.get("watch_action", "force") == "force":
            changed["force"] = True
        else:
            changed.update(force=False, send_signal=True)
        return await running(ctx, name, **changed)
    if sfun == "stopped":
        return await stopped(ctx, name, **kwargs)
    if sfun == "run":
        return await run(ctx, name, **kwargs)
    raise StateFailedError(f"watch requisite is not implemented for {sfun}")


FUNCTIONS: Final = by_name(absent, mod_watch, run, running, stopped)

MOD_WATCH = mod_watch
