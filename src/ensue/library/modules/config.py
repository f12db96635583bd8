"""Execution module `config`: looks up a value in options, grains and pillar, in this order.

Args:
    default: the value to return if it is found nowhere.
    omit_opts: leave out the options.
    omit_pillar: leave out the pillar.
    omit_master: leave out the pillar's `master`.
    omit_grains: leave out the grains.

Source: Salt's execution module `config`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.merged import merged
from ensue.core.model.paths import traverse
from ensue.library.modules.nested import DELIMITER, NOTHING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext

_DEFAULTS: Final[dict[str, Any]] = {
    "hosts.file": "/etc/hosts",
    "ldap.attrs": None,
    "mongo.host": "salt",
    "sqlite.database": "/var/lib/salt/salt.db",
}


async def get(
    ctx: FunctionContext,
    key: str,
    default: Any = "",
    delimiter: str = DELIMITER,
    merge: str | None = None,
    *,
    omit_opts: bool = False,
    omit_pillar: bool = False,
    omit_master: bool = False,
    omit_grains: bool = False,
) -> Any:
    """Return a value from the options, else the grains, else the pillar, else the pillar's `master`.

    Args:
        key: its path, with colons between the keys.
        delimiter: the separator of the keys, instead of a colon.
        merge: `recurse` or `overwrite`: merge the values of all of them, options last.

    Example:
        ensue call '*' config.get file_roots

    Returns:
        The value; if it is a `sdb://` URI, the value that it refers to.

    Raises:
        StateFailedError: the value that a URI refers to cannot be read.
    """
    places: list[Mapping[str, Any]] = [_DEFAULTS]
    if not omit_master:
        places.insert(0, _master(ctx))
    if not omit_pillar:
        places.insert(0, ctx.pillar)
    if not omit_grains:
        places.insert(0, await ctx.grains())
    if not omit_opts:
        places.insert(0, ctx.opts)
    values = [value for place in places if (value := traverse(place, key, NOTHING, delimiter)) is not NOTHING]
    if not values:
        return default
    if merge is None or merge == "overwrite":
        return await _looked_up(ctx, values[0])
    value = values[-1]
    for over in reversed(values[:-1]):
        value = merged(value, over)
    return await _looked_up(ctx, value)


async def option(
    ctx: FunctionContext,
    value: str,
    default: Any = "",
    *,
    omit_opts: bool = False,
    omit_grains: bool = False,
    omit_pillar: bool = False,
    omit_master: bool = False,
) -> Any:
    """Return the value of one key, not a path, from the options, grains, pillar, or the pillar's `master`.

    Args:
        value: the key.

    Example:
        ensue call '*' config.option file_roots
    """
    if not omit_opts and value in ctx.opts:
        return ctx.opts[value]
    if not omit_grains and value in (grains := await ctx.grains()):
        return grains[value]
    if not omit_pillar and value in ctx.pillar:
        return ctx.pillar[value]
    if not omit_master and value in _master(ctx):
        return _master(ctx)[value]
    return _DEFAULTS.get(value, default)


FUNCTIONS: Final = by_name(get, option)


async def _looked_up(ctx: FunctionContext, value: Any) -> Any:
    """Return a value; if it is a `sdb://` URI, the value that it refers to, as Salt does."""
    is_uri = isinstance(value, str) and value.startswith("sdb://")
    return await ctx.call("sdb.get", value) if is_uri else value


def _master(ctx: FunctionContext) -> Mapping[str, Any]:
    master = ctx.pillar.get("master")
    return master if isinstance(master, dict) else {}
