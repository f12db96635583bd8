"""State module `locale`: locales of the target, and its system locale.

Differences from Salt:
    Only the line of the locale changes. Salt leaves copies of the files (`/etc/locale.gen.bak`,
    `/etc/default/locale.bak`) and adds an empty line to `/etc/locale.gen`.

Source: Salt's state module `locale`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext


async def present(ctx: StateContext, name: str) -> StateReturn:
    """Generate a locale.

    Args:
        name: its name (`de_AT.UTF-8`).

    Example:
        de_AT.UTF-8:
          locale.present

    Returns:
        `changes` has `locale`.

    Raises:
        StateFailedError: the target cannot list its locales.
    """
    if await ctx.call("locale.avail", name):
        return StateReturn.unchanged(name, f"Locale {name} is already present", {"locale": name})
    if ctx.test:
        return StateReturn.planned(name, f"Locale {name} needs to be generated")
    try:
        await ctx.call("locale.gen_locale", name)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Failed to generate locale {name}: {error}")
    if not await ctx.call("locale.avail", name):
        return StateReturn.failed(name, f"Failed to generate locale {name}: it does not exist afterwards")
    return StateReturn.changed(name, f"Generated locale {name}", {"locale": name}, {"locale": name})


async def system(ctx: StateContext, name: str) -> StateReturn:
    """Set the system locale.

    Args:
        name: its name.

    Example:
        de_AT.UTF-8:
          locale.system

    Returns:
        `changes` has `locale`.

    Raises:
        RemoteFileError: the file with the setting cannot be written.
    """
    if await ctx.call("locale.get_locale") == name:
        return StateReturn.unchanged(name, f"System locale {name} already set", {"locale": name})
    if ctx.test:
        return StateReturn.planned(name, f"System locale {name} needs to be set")
    await ctx.call("locale.set_locale", name)
    return StateReturn.changed(name, f"Set system locale {name}", {"locale": name}, {"locale": name})


FUNCTIONS: Final = by_name(present, system, make_only=())
