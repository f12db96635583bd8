"""Execution module `status`: the target's time, uptime, load, memory and processes.

Source: Salt's execution module `status`, 3008: names and return values.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._programs import ask, must
from ensue.library.modules._text_files import text_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_LOADS: Final = ("1-min", "5-min", "15-min")
_DAY_S: Final = 24 * 60 * 60


async def time_(ctx: FunctionContext, format: str = "%A, %d. %B %Y %I:%M%p") -> str:  # noqa: A002 (Salt's argument)
    """Return the target's current time, in its own time zone.

    Args:
        format: a format for strftime(3).
    """
    return (await must(ctx, "date", f"+{format}", what="read the time")).stdout.rstrip("\n")


async def uptime(ctx: FunctionContext) -> DataMap:
    """Return the target's uptime: `seconds`, `since_iso`, `since_t`, `days` and `time`."""
    passed = int(float((await text_of(ctx, "/proc/uptime") or "0").split()[0]))
    now = int((await must(ctx, "date", "+%s", what="read the time")).stdout)
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
    """Return the load averages of the last 1, 5 and 15 minutes."""
    words = (await text_of(ctx, "/proc/loadavg") or "0 0 0").split()
    return {name: float(word) for name, word in zip(_LOADS, words, strict=False)}


async def meminfo(ctx: FunctionContext) -> DataMap:
    """Return the fields of /proc/meminfo, each with `value` and `unit`."""
    settings: DataMap = {}
    for line in (await text_of(ctx, "/proc/meminfo") or "").splitlines():
        name, _, rest = line.partition(":")
        value, unit, *_ = [*rest.split(), "", ""]
        settings[name] = {"value": value, "unit": unit}
    return settings


async def pid(ctx: FunctionContext, sig: str) -> str:
    """Return the ids of the processes whose command line contains `sig`, one per line.

    Args:
        sig: a pattern of pgrep(1).

    Example:
        ensue call '*' status.pid nginx
    """
    return (await ask(ctx, "pgrep", "-f", "--", sig)).stdout.strip()


FUNCTIONS: Final = by_name(loadavg, meminfo, pid, time_, uptime)
