"""Execution module `apache`: enables and disables modules, configurations and sites of Apache on Debian.

Something is enabled if it has a link in `/etc/apache2/*-enabled`; `a2enmod` and related programs make them.

Args:
    conf: the configuration (`security`).
    site: the site (`shop`).

Source: Salt's execution module `deb_apache`, 3008: names and return values; a2enmod(8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_ROOT: Final = "/etc/apache2"


class _Enableable(msgspec.Struct, frozen=True, kw_only=True):
    """Something that can be enabled: its word in the program names, its folder, its title."""

    word: str
    folder: str
    title: str


_MODULE: Final = _Enableable(word="mod", folder="mods-enabled", title="Mod")
_CONF: Final = _Enableable(word="conf", folder="conf-enabled", title="Conf")
_SITE: Final = _Enableable(word="site", folder="sites-enabled", title="Site")
_SUFFIXES: Final = (".load", ".conf")


async def check_mod_enabled(ctx: FunctionContext, mod: str) -> bool:
    """Return whether a module is enabled; its name may end in `.load` or `.conf`.

    Args:
        mod: the module (`rewrite`).

    Example:
        ensue call '*' apache.check_mod_enabled rewrite
    """
    return await _is_link(ctx, _MODULE, mod if mod.endswith(_SUFFIXES) else f"{mod}.load")


async def check_conf_enabled(ctx: FunctionContext, conf: str) -> bool:
    """Return whether a configuration is enabled; its name may end in `.conf`.

    Example:
        ensue call '*' apache.check_conf_enabled security
    """
    return await _is_link(ctx, _CONF, f"{conf.removesuffix('.conf')}.conf")


async def check_site_enabled(ctx: FunctionContext, site: str) -> bool:
    """Return whether a site is enabled; its name may end in `.conf`; `default` also means `000-default`.

    Example:
        ensue call '*' apache.check_site_enabled shop
    """
    name = f"{site.removesuffix('.conf')}.conf"
    if await _is_link(ctx, _SITE, name):
        return True
    return site == "default" and await _is_link(ctx, _SITE, f"000-{name}")


async def a2enmod(ctx: FunctionContext, mod: str) -> dict[str, Any]:
    """Enable a module and its dependencies.

    Args:
        mod: the module.

    Example:
        ensue call '*' apache.a2enmod rewrite

    Returns:
        `Name`, `Mod`, and the outcome in `Status`.

    Raises:
        StateFailedError: the target has no such program.
    """
    return await _switch(ctx, _MODULE, mod, enable=True)


async def a2dismod(ctx: FunctionContext, mod: str) -> dict[str, Any]:
    """Disable a module; see `a2enmod`.

    Args:
        mod: the module (`rewrite`).

    Example:
        ensue call '*' apache.a2dismod rewrite
    """
    return await _switch(ctx, _MODULE, mod, enable=False)


async def a2enconf(ctx: FunctionContext, conf: str) -> dict[str, Any]:
    """Enable a configuration; see `a2enmod`.

    Example:
        ensue call '*' apache.a2enconf security
    """
    return await _switch(ctx, _CONF, conf, enable=True)


async def a2disconf(ctx: FunctionContext, conf: str) -> dict[str, Any]:
    """Disable a configuration; see `a2enmod`.

    Example:
        ensue call '*' apache.a2disconf security
    """
    return await _switch(ctx, _CONF, conf, enable=False)


async def a2ensite(ctx: FunctionContext, site: str) -> dict[str, Any]:
    """Enable a site; see `a2enmod`.

    Example:
        ensue call '*' apache.a2ensite shop
    """
    return await _switch(ctx, _SITE, site, enable=True)


async def a2dissite(ctx: FunctionContext, site: str) -> dict[str, Any]:
    """Disable a site; see `a2enmod`.

    Example:
        ensue call '*' apache.a2dissite shop
    """
    return await _switch(ctx, _SITE, site, enable=False)


async def _is_link(ctx: FunctionContext, kind: _Enableable, name: str) -> bool:
    link = await ctx.connection.stat(f"{_ROOT}/{kind.folder}/{name}")
    return link is not None and link.kind == "symlink"


async def _switch(ctx: FunctionContext, kind: _Enableable, name: str, *, enable: bool) -> dict[str, Any]:
    program = f"a2{'en' if enable else 'dis'}{kind.word}"
    answer = await ask(ctx, program, name)
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no program `{program}`; install apache2 there")
    status = f"{kind.title} {name} {'enabled' if enable else 'disabled'}"
    if not answer.is_success:
        status = f"{kind.title} {name} Not found" if answer.returncode == 1 else answer.complaint()
    return {
        "Name": f"Apache2 {'Enable' if enable else 'Disable'} {kind.title}",
        kind.title: name,
        "Status": status,
    }


FUNCTIONS: Final = by_name(
    a2disconf, a2dismod, a2dissite, a2enconf, a2enmod, a2ensite, check_conf_enabled,
    check_mod_enabled, check_site_enabled,
)  # fmt: skip
