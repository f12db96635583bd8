"""Execution module `timezone`: the target's time zone, and whether its hardware clock runs in UTC.

It reads and writes the same files as timedatectl, so it works without systemd, too.

Args:
    timezone: the zone (`Europe/Vienna`).

Source: Salt's execution module `timezone`, 3008: names and return values; localtime(5).
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import must
from ensue.library.modules._text_files import text_of, with_line, write_text

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_LOCALTIME: Final = "/etc/localtime"
_NAMED: Final = "/etc/timezone"
_ADJTIME: Final = "/etc/adjtime"
_ZONES: Final = "/usr/share/zoneinfo/"
_CLOCKS: Final = {"UTC": "UTC", "localtime": "LOCAL", "LOCAL": "LOCAL"}
_CLOCK_LINE: Final = 2
_SYSCONFIG: Final = {"RedHat": ("ZONE=", 'ZONE="{}"'), "Suse": ("TIMEZONE=", 'TIMEZONE="{}"')}


async def get_zone(ctx: FunctionContext) -> str:
    """Return the time zone (`Europe/Vienna`); UTC if none is set."""
    link = await ctx.connection.stat(_LOCALTIME)
    if link is not None and link.kind == "symlink":
        place = posixpath.normpath(posixpath.join("/etc", link.link_target))
        if place.startswith(_ZONES):
            return place.removeprefix(_ZONES)
    return (await text_of(ctx, _NAMED) or "").strip() or "UTC"


async def get_zonecode(ctx: FunctionContext) -> str:
    """Return the zone's current abbreviation (`CET`)."""
    return (await must(ctx, "date", "+%Z", what="read the time zone")).stdout.strip()


async def get_offset(ctx: FunctionContext) -> str:
    """Return the zone's current offset from UTC (`+0100`)."""
    return (await must(ctx, "date", "+%z", what="read the time zone")).stdout.strip()


async def list_zones(ctx: FunctionContext) -> list[str]:
    """Return the names of all time zones, sorted."""
    text = await text_of(ctx, f"{_ZONES}tzdata.zi")
    if text is None:
        raise StateFailedError(f"{ctx.srn} has no list of time zones ({_ZONES}tzdata.zi): install tzdata")
    fields = [line.split() for line in file_lines(text)]
    return sorted(
        {each[1] if each[0] == "Z" else each[2] for each in fields if each and each[0] in {"Z", "L"}}
    )


async def zone_compare(ctx: FunctionContext, timezone: str) -> bool:
    """Return whether this is the target's time zone.

    Example:
        ensue call '*' timezone.zone_compare Europe/Vienna
    """
    return await get_zone(ctx) == timezone


async def set_zone(ctx: FunctionContext, timezone: str) -> bool:
    """Set the target's time zone.

    Example:
        ensue call '*' timezone.set_zone Europe/Vienna

    Raises:
        StateFailedError: the target does not have this zone.
    """
    path = posixpath.normpath(_ZONES + timezone)
    if not path.startswith(_ZONES) or await ctx.connection.stat(path, follow=True) is None:
        raise StateFailedError(
            f"Zone does not exist: {path} (install tzdata, or spell it as it is below {_ZONES})"
        )
    link = await ctx.connection.stat(_LOCALTIME)
    if link is not None and link.kind != "symlink":
        await ctx.connection.remove(_LOCALTIME)
    await ctx.connection.symlink(path, _LOCALTIME)
    family = str((await ctx.grains()).get("os_family"))
    if family in {"Debian", "Gentoo"} or await ctx.connection.stat(_NAMED) is not None:
        await write_text(ctx, _NAMED, f"{timezone}\n")
    clock = await text_of(ctx, "/etc/sysconfig/clock")
    if clock is not None and family in _SYSCONFIG:
        pattern, line = _SYSCONFIG[family]
        await write_text(ctx, "/etc/sysconfig/clock", with_line(clock, pattern, line.format(timezone)))
    return True


async def get_hwclock(ctx: FunctionContext) -> str:
    """Return whether the hardware clock runs in `UTC` or `localtime`."""
    lines = file_lines(await text_of(ctx, _ADJTIME) or "")
    return "localtime" if lines[_CLOCK_LINE : _CLOCK_LINE + 1] == ["LOCAL"] else "UTC"


async def set_hwclock(ctx: FunctionContext, clock: str) -> bool:
    """Record whether the hardware clock runs in `UTC` or `localtime`; the clock itself is not set.

    Args:
        clock: `UTC` or `localtime`.

    Example:
        ensue call '*' timezone.set_hwclock UTC
    """
    if clock not in _CLOCKS:
        raise StateFailedError("clock must be one of: UTC, localtime")
    lines = [*file_lines(await text_of(ctx, _ADJTIME) or "0.0 0 0.0\n0\n"), "", "", ""][:3]
    lines[_CLOCK_LINE] = _CLOCKS[clock]
    await write_text(ctx, _ADJTIME, "".join(f"{line}\n" for line in lines))
    return True


FUNCTIONS: Final = by_name(
    get_hwclock, get_offset, get_zone, get_zonecode, list_zones, set_hwclock, set_zone, zone_compare
)
