"""Debian's global network settings: whether it comes up at boot, the domain and the search domains.

The host name is only compared, and changed if `apply_hostname` is set; no file of ifupdown contains it.

Source: Salt's execution module `debian_ip`, 3008: files and return values; resolv.conf(5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._text_files import text_of, write_text
from ensue.library.modules.ip.settings import FALSE, TRUE, invalid_setting, is_one_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext

_FILE: Final = "/etc/default/networking"
_RESOLV: Final = "/etc/resolv.conf"
_UBUNTU_WITHOUT_FILE: Final = 12
_TEXT: Final = """\
# Configuration for networking init script being run during
# the boot sequence

# Set to 'no' to skip interfaces configuration on boot
CONFIGURE_INTERFACES={networking}

# Don't configure these interfaces. Shell wildcards supported/
#EXCLUDE_INTERFACES=

# Set to 'yes' to enable additional verbosity
#VERBOSE=no"""


class _NetworkSettings(msgspec.Struct, frozen=True, kw_only=True):
    networking: str
    hostname: str
    domain: str
    search: tuple[str, ...]

    def lines(self) -> list[str]:
        shown = {
            "NETWORKING": self.networking,
            "HOSTNAME": self.hostname,
            "DOMAIN": self.domain,
            "SEARCH": " ".join(self.search),
        }
        return [f"{word}={value}\n" for word, value in shown.items() if value]


async def get_settings(ctx: FunctionContext) -> list[str]:
    """Return the settings as lines: `NETWORKING`, `HOSTNAME`, `DOMAIN` and `SEARCH`."""
    return (await _current(ctx)).lines()


async def build_settings(ctx: FunctionContext, settings: Mapping[str, Any], *, is_test: bool) -> list[str]:
    """Write the settings, and return them as `get_settings` does.

    Args:
        settings: `enabled`, `hostname` (with or without a domain), `search`, `apply_hostname`.
        is_test: write nothing.

    Raises:
        StateFailedError: a setting is invalid, or the file cannot be written.
    """
    given = {word.lower(): value for word, value in settings.items()}
    now = await _current(ctx)
    networking = given.get("enabled", now.networking)
    if not is_one_of(networking, (*TRUE, *FALSE)):
        raise invalid_setting("networking", (*TRUE, *FALSE))
    named = str(given.get("hostname") or now.hostname)
    if not named:
        raise invalid_setting("hostname", ["server1.example.com"])
    host, _, domain = named.partition(".")
    # The current name is kept unless `apply_hostname` is set; otherwise each run would change something.
    is_named = now.hostname in {host, named} or not is_one_of(given.get("apply_hostname"), TRUE)
    line = _NetworkSettings(
        networking="yes" if is_one_of(networking, TRUE) else "no",
        hostname=now.hostname if is_named else named,
        domain=domain or now.domain,
        search=_words(given["search"]) if "search" in given else now.search,
    )
    if not is_test:
        await _write(ctx, now, line)
    return line.lines()


async def _write(ctx: FunctionContext, now: _NetworkSettings, requested: _NetworkSettings) -> None:
    if await _has_no_file(ctx):
        if now.networking != requested.networking:
            verb = "enable" if requested.networking == "yes" else "disable"
            for service in ("NetworkManager", "networking"):
                if await ctx.call("service.available", service):
                    await ctx.call(f"service.{verb}", service)
    elif now.networking != requested.networking:
        await write_text(ctx, _FILE, _TEXT.format(networking=requested.networking))
    if (now.domain, now.search) == (requested.domain, requested.search):
        return
    text = await text_of(ctx, _RESOLV)
    if text is None:
        raise StateFailedError(f"{_RESOLV} cannot be written. It does not exist; create it first")
    lines = file_lines(text)
    if now.search != requested.search:
        lines = _with(lines, "search", " ".join(requested.search))
    if now.domain != requested.domain:
        lines = _with(lines, "domain", requested.domain)
    await write_text(ctx, _RESOLV, "".join(f"{line}\n" for line in lines))


async def _current(ctx: FunctionContext) -> _NetworkSettings:
    networking = ""
    if await _has_no_file(ctx):
        is_there = await ctx.call("service.available", "networking")
        networking = "yes" if is_there and await ctx.call("service.enabled", "networking") else "no"
    else:
        for line in file_lines(await text_of(ctx, _FILE) or ""):
            if line.startswith("CONFIGURE_INTERFACES"):
                networking = line.partition("=")[2].strip()
    hostname = (await text_of(ctx, "/etc/hostname") or "").split("\n", maxsplit=1)[0]
    resolv = file_lines(await text_of(ctx, _RESOLV) or "")
    domain, search = _last(resolv, "domain"), _last(resolv, "search")
    return _NetworkSettings(
        networking=networking, hostname=hostname, domain="".join(domain[:1]), search=search
    )


async def _has_no_file(ctx: FunctionContext) -> bool:
    """Return whether services replace `/etc/default/networking`, as on Ubuntu since 12.04."""
    grains = await ctx.grains()
    if grains.get("osfullname", grains.get("os")) != "Ubuntu":
        return False
    return int(str(grains.get("osrelease", "0")).partition(".")[0]) >= _UBUNTU_WITHOUT_FILE


def _last(lines: list[str], directive: str) -> tuple[str, ...]:
    last: tuple[str, ...] = ()
    for line in lines:
        words = line.split()
        if words and words[0].lower() == directive:
            marks = [place for place, word in enumerate(words) if word[0] in "#;"]
            last = tuple(words[1 : marks[0] if marks else None])
    return last


def _with(lines: list[str], directive: str, value: str) -> list[str]:
    """Return the lines with a directive's value replaced, or with the directive added on top."""
    requested = f"{directive} {value}"
    changed = [requested if line.split()[:1] == [directive] else line for line in lines]
    return changed if requested in changed else [requested, *changed]


def _words(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if is_list(value) else tuple(str(value).split())
