"""When the states of `pkg` fetch the package lists of a target: as seldom as the packages allow.

A run fetches outdated lists once, and lists that lack a package once more. It fetches them again only after a
repository has been configured, which ensue recognises by the files of apt, dnf and apk.

Source: Salt's `pkg.mod_init`, by which the first state of `pkg` in a run fetches the lists.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext

_KEY: Final = "pkg.lists"
_FRESH_S: Final = 3600
_REPOSITORIES: Final = (
    "/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/yum.repos.d", "/etc/apk/repositories",
)  # fmt: skip

_Repositories = tuple[float | None, ...]
"""When each place with repositories was changed, None if it does not exist."""


class _Lists:
    """What a run knows about the lists of one target."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.is_checked = False
        self.fetched_for: _Repositories | None = None


async def refresh_lists(ctx: StateContext, *, refresh: bool | None) -> None:
    """Fetch the package lists.

    Args:
        refresh: None fetches lists that are older than an hour, once per run. It ignores a failure, because
            the old lists may be sufficient.

    Raises:
        StateFailedError: `refresh` is true, and the lists could not be fetched.
    """
    lists = _lists(ctx)
    async with lists.turn:
        if refresh:
            await _fetch(ctx, lists)
        elif refresh is None and not lists.is_checked:
            with suppress(StateFailedError):
                await _fetch(ctx, lists, cache_valid_time=_FRESH_S)


async def refreshed_again(ctx: StateContext) -> bool:
    """Fetch lists that lack a package, unless this run has fetched them with the present repositories.

    Returns:
        Whether they were fetched.

    Raises:
        StateFailedError: the lists could not be fetched.
    """
    lists = _lists(ctx)
    async with lists.turn:
        if lists.fetched_for == await _repositories(ctx):
            return False
        await _fetch(ctx, lists)
        return True


def _lists(ctx: StateContext) -> _Lists:
    return cast("_Lists", ctx.run_notes.setdefault(_KEY, _Lists()))


async def _fetch(ctx: StateContext, lists: _Lists, **options: Any) -> None:
    repositories = await _repositories(ctx)
    lists.is_checked = True
    if await ctx.call("pkg.refresh_db", **options):
        lists.fetched_for = repositories


async def _repositories(ctx: StateContext) -> _Repositories:
    statuses = [await ctx.connection.stat(path, follow=True) for path in _REPOSITORIES]
    return tuple(None if status is None else status.mtime_s for status in statuses)
