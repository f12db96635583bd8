"""Queries the target's users.

Args:
    name: the user.
    root: accepted as by Salt, without effect; the target's own database is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.library.modules._account_database import entries, entry, number
from ensue.library.modules._programs import ask

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

GECOS: Final = ("fullname", "roomnumber", "workphone", "homephone", "other")
"""The parts of a user's comment (GECOS field), in order."""


async def info(ctx: FunctionContext, name: str, root: str | None = None) -> DataMap:
    """Return the account data of a user, empty if the user does not exist.

    Example:
        ensue call '*' user.info alice

    Returns:
        `gid`, `groups`, `home`, `name`, `passwd`, `shell`, `uid`, `fullname`, `roomnumber`, `workphone`,
        `homephone` and `other`.
    """
    fields = await entry(ctx, "passwd", str(name))
    if fields and fields[1].startswith("$"):
        # Without shadow passwords everybody can read the hash, but ensue still does not return it.
        ctx.masker.add(fields[1])
    return _described(fields, await list_groups(ctx, str(name))) if fields else {}


async def list_groups(ctx: FunctionContext, name: str) -> list[str]:
    """Return the names of a user's groups, including the primary one, sorted.

    Example:
        ensue call '*' user.list_groups alice
    """
    answer = await ask(ctx, "id", "-Gn", "--", name)
    return sorted(set(answer.stdout.split()))


async def list_users(ctx: FunctionContext, root: str | None = None) -> list[str]:
    """Return the names of all users, sorted."""
    return sorted(fields[0] for fields in await entries(ctx, "passwd"))


async def getent(ctx: FunctionContext, refresh: bool = False, root: str | None = None) -> list[DataMap]:
    """Return the account data of all users, each as `user.info` returns it.

    Args:
        refresh: has no effect; nothing is cached.
    """
    groups = await entries(ctx, "group")
    names = {fields[2]: fields[0] for fields in groups}
    members = {fields[0]: fields[3].split(",") for fields in groups if len(fields) > 3}  # noqa: PLR2004 (the fourth field)
    accounts: list[DataMap] = []
    for fields in await entries(ctx, "passwd"):
        own = {group for group, users in members.items() if fields[0] in users}
        own |= {names[fields[3]]} if fields[3] in names else set()
        accounts.append(_described(fields, sorted(own)))
    return accounts


async def primary_group(ctx: FunctionContext, name: str) -> str:
    """Return the name of a user's primary group, empty if the user does not exist.

    Example:
        ensue call '*' user.primary_group alice
    """
    answer = await ask(ctx, "id", "-gn", "--", name)
    return answer.stdout.strip() if answer.is_success else ""


def _described(fields: list[str], groups: list[str]) -> DataMap:
    name, passwd, uid, gid, comment, home, shell, *_ = [*fields, "", "", "", "", "", "", ""]
    parts = [*comment.split(",", len(GECOS) - 1), "", "", "", ""]
    return {
        "gid": number(gid),
        "groups": [*groups],
        "home": home,
        "name": name,
        "passwd": passwd,
        "shell": shell,
        "uid": number(uid),
        **dict(zip(GECOS, parts, strict=False)),
    }
