"""Execution module `saltutil`: functions that maintain a Salt minion.

Custom modules are loaded from the file roots directly, and there is neither a master nor its jobs. A function
that therefore has nothing to do returns what Salt returns in that case, and logs the reason.

Source: Salt's execution module `saltutil`, 3008: names and return values.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data

_logger = logging.getLogger(__name__)

_KINDS: Final = (
    "beacons", "clouds", "engines", "executors", "grains", "log_handlers", "matchers", "modules", "output",
    "pillar", "proxymodules", "renderers", "returners", "sdb", "serializers", "states", "thorium", "tops",
    "utils", "wrapper",
)  # fmt: skip
_RUNNERS: Final = {"mine.get": "mine.get", "cache.mine": "mine.get", "sdb.get": "sdb.get"}
"""Runners that an execution function implements."""


async def refresh_pillar(ctx: FunctionContext, **kwargs: Any) -> bool:  # Salt waits for a minion
    """Compile the target's pillar again, for everything that is rendered after this.

    Args:
        **kwargs: arguments of Salt's function, which have no effect.

    Example:
        ensue call '*' saltutil.pillar_refresh
    """
    await ctx.pillar_changed()
    return True


async def refresh_grains(ctx: FunctionContext, **kwargs: Any) -> bool:
    """Discard the target's grains, so that later commands gather them again.

    Args:
        **kwargs: arguments of Salt's function, which have no effect.
    """
    await ctx.grains_changed()
    return True


async def sync_all(ctx: FunctionContext, **kwargs: Any) -> dict[str, Data]:
    """Return an empty list for each kind of module, since nothing has to be copied.

    Args:
        **kwargs: arguments of Salt's function, which have no effect.
    """
    _say("sync_all", "custom modules are loaded from the file roots directly")
    await ctx.pillar_changed()
    return {kind: [] for kind in _KINDS}


async def runner(
    ctx: FunctionContext,
    name: str,
    *args: Any,
    arg: list[Any] | None = None,
    kwarg: dict[str, Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Call a runner.

    Args:
        name: `mine.get`, `cache.mine` or `sdb.get`; `salt.cmd` calls any execution function; other names are
            looked up as execution functions, including those in the project's `_modules`.
        *args: its arguments.
        arg: more arguments.
        kwarg: more keyword arguments.
        **kwargs: its keyword arguments.

    Example:
        ensue call '*' saltutil.runner jobs.list_jobs

    Raises:
        NotAvailableError: there is no such function, and no master to run it.
    """
    words = [*args, *(arg or [])]
    named = {**kwargs, **(kwarg or {})}
    if name in {"salt.cmd", "salt.execute"}:
        if name == "salt.execute":
            return await ctx.call("publish.publish", *words, **named)
        name, *words = words or [named.pop("fun", "")]
    return await ctx.call(_RUNNERS.get(str(name), str(name)), *words, **named)


async def cmd(
    ctx: FunctionContext,
    tgt: str | list[str],
    fun: str,
    arg: list[Any] | tuple[Any, ...] = (),
    timeout: int | None = None,  # noqa: ASYNC109 (Salt's argument)
    tgt_type: str = "glob",
    ret: str = "",
    kwarg: dict[str, Any] | None = None,
    **kwargs: Any,
) -> Any:
    """Call a function on every matching target and return the results by id.

    Args:
        ctx: the target that makes the call.
        tgt: the target expression.
        fun: an execution function.
        arg: its arguments.
        timeout: has no effect; a warning is logged.
        tgt_type: what kind of expression `tgt` is.
        ret: where Salt would store the results; ensue does not store them, and logs a warning.
        kwarg: its keyword arguments, which must be strings or numbers.
        **kwargs: options of Salt's client, without effect; a warning lists them.

    Example:
        ensue call '*' saltutil.cmd 'web-*' test.ping

    Raises:
        StateFailedError: `subset` is given; without it the function would run on more targets than requested.
    """
    given = {"timeout": timeout, **kwargs}
    if given.get("subset"):
        raise StateFailedError(
            f"saltutil.cmd: ensue cannot call {fun} on a random subset of the targets; name them in `tgt`"
        )
    without_effect = sorted(name for name, value in given.items() if value and not name.startswith("__"))
    if without_effect:
        _logger.warning("saltutil.cmd: ensue has no use for %s", ", ".join(without_effect))
    words = [*arg, *(f"{name}={value}" for name, value in (kwarg or {}).items())]
    return await ctx.call("publish.publish", tgt, fun, words, tgt_type, ret)


async def cmd_iter(
    ctx: FunctionContext, tgt: str | list[str], fun: str, *args: Any, **kwargs: Any
) -> list[dict[str, Data]]:
    """Call a function on every matching target and return a list with one mapping per target.

    Args:
        ctx: the target that makes the call.
        tgt: the target expression.
        fun: an execution function.
        *args: the other arguments of `cmd`.
        **kwargs: the other keyword arguments of `cmd`.

    Example:
        ensue call '*' saltutil.cmd_iter 'web-*' test.ping

    Returns:
        For each target `{id: {ret: result}}`.
    """
    answers = await cmd(ctx, tgt, fun, *args, **kwargs)
    return [{target: {"ret": value}} for target, value in answers.items()]


async def wheel(ctx: FunctionContext, name: str, *args: Any, **kwargs: Any) -> Any:
    """Refuse: wheel functions manage a master, which ensue does not have.

    Args:
        name: the function of a master.
        *args: its arguments.
        **kwargs: its keyword arguments.

    Example:
        ensue call '*' saltutil.wheel key.list_all

    Raises:
        StateFailedError: always.
    """
    raise StateFailedError(f"saltutil.wheel {name}: wheel functions manage a master, and {ctx.srn} has none")


_DOCSTRING: Final = """Do nothing, and return {returned!r}: {why}.

Args:
    *args: accepted as by Salt, without effect.
    **kwargs: accepted as by Salt, without effect.

Example:
    ensue call '*' saltutil.sync_grains
"""


def _nothing(name: str, returned: Data, why: str) -> Callable[..., Awaitable[Data]]:
    async def do(ctx: FunctionContext, *args: Any, **kwargs: Any) -> Data:
        _say(name, why)
        return returned

    do.__doc__ = _DOCSTRING.format(returned=returned, why=why)
    return do


def _say(name: str, why: str) -> None:
    _logger.info("saltutil.%s has nothing to do: %s", name, why)


_READ_IN_PLACE: Final = "custom modules are loaded from the file roots directly"
_NO_JOBS: Final = "there are no jobs of a master"
_NO_MASTER: Final = "there is no master"

FUNCTIONS: Final = by_name(
    cmd, cmd_iter, refresh_grains, refresh_pillar, runner, sync_all, wheel,
    {f"sync_{kind}": _nothing(f"sync_{kind}", [], _READ_IN_PLACE) for kind in _KINDS},
    clear_cache=_nothing("clear_cache", True, "nothing is copied from a master"),
    clear_job_cache=_nothing("clear_job_cache", True, _NO_JOBS),
    find_cached_job=_nothing("find_cached_job", {}, _NO_JOBS),
    find_job=_nothing("find_job", {}, _NO_JOBS),
    is_running=_nothing("is_running", [], _NO_JOBS),
    kill_all_jobs=_nothing("kill_all_jobs", {}, _NO_JOBS),
    kill_job=_nothing("kill_job", "", _NO_JOBS),
    pillar_refresh=refresh_pillar,
    refresh_beacons=_nothing("refresh_beacons", True, "there are no beacons"),
    refresh_matchers=_nothing("refresh_matchers", True, _READ_IN_PLACE),
    refresh_modules=_nothing("refresh_modules", True, _READ_IN_PLACE),
    regen_keys=_nothing("regen_keys", None, _NO_MASTER),
    revoke_auth=_nothing("revoke_auth", False, _NO_MASTER),
    running=_nothing("running", [], _NO_JOBS),
    signal_job=_nothing("signal_job", "", _NO_JOBS),
    term_all_jobs=_nothing("term_all_jobs", {}, _NO_JOBS),
    term_job=_nothing("term_job", "", _NO_JOBS),
)  # fmt: skip
