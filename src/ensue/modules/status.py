"""Execution module `status`: what the target is doing now.

Source: Salt's execution module `status`, 3008: names and return values.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

from ensue.modules._programs import ask, must
from ensue.modules._text_files import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import FunctionContext
    from ensue.model.data import DataMap

_LOADS: Final = ("1-min", "5-min", "15-min")
_DAY_S: Final = 24 * 60 * 60


async def time_(ctx: FunctionContext, format: str = "%A, %d. %B %Y %I:%M%p") -> str:  # noqa: A002 (Salt's argument)
    """Return the target's time now, in its own time zone.

    Args:
        ctx: the target.
        format: how, as strftime(3) says.
    """
    return (await must(ctx, "date", f"+{format}", what="tell the time")).stdout.rstrip("\n")


async def uptime(ctx: FunctionContext) -> DataMap:
    """Return how long the target has run: `seconds since_iso since_t days time`."""
    passed = int(float((await text_of(ctx, "/proc/uptime") or "0").split()[0]))
    now = int((await must(ctx, "date", "+%s", what="tell the time")).stdout)
    since = dt.datetime.fromtimestamp(now - passed, dt.UTC)
    rest = passed % _DAY_S
    return {
        "seconds": passed,
        "since_iso": since.replace(tzinfo=None).isoformat(),
        "since_t": now - passed,
        "days": passed // _DAY_S,
        "time": f"{rest // 3600}:{rest % 3600 // 60}",
    }


async def loadavg(ctx: FunctionContext) -> DataMap:
    """Return the load of the last 1, 5 and 15 minutes."""
    words = (await text_of(ctx, "/proc/loadavg") or "0 0 0").split()
    return {name: float(word) for name, word in zip(_LOADS, words, strict=False)}


async def meminfo(ctx: FunctionContext) -> DataMap:
    """Return what the kernel says of memory, each with `value` and `unit`."""
    found: DataMap = {}
    for line in (await text_of(ctx, "/proc/meminfo") or "").splitlines():
        name, _, said = line.partition(":")
        value, unit, *_ = [*said.split(), "", ""]
        found[name] = {"value": value, "unit": unit}
    return found


async def pid(ctx: FunctionContext, sig: str) -> str:
    """Return the numbers of the processes whose command line holds a text, one a line."""
    return (await ask(ctx, "pgrep", "-f", "--", sig)).stdout.strip()


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "loadavg": loadavg,
    "meminfo": meminfo,
    "pid": pid,
    "time": time_,
    "uptime": uptime,
}
