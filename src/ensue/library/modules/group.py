"""Execution module `group`: the target's groups, with shadow's programs (`groupadd`, `gpasswd`, …).

Args:
    name: the group.
    **kwargs: accepted as by Salt, without effect.
    root: has no effect; the target's own database is read.
    non_unique: allow an id that another group has.
    username: the user.

Source: Salt's execution module `group` (groupadd), 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._account_database import entries, entry, number
from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def info(ctx: FunctionContext, name: str, root: str | None = None) -> DataMap:
    """Return `name`, `passwd`, `gid` and `members` of a group, an empty mapping if it does not exist.

    Example:
        ensue call '*' group.info staff
    """
    fields = await entry(ctx, "group", str(name))
    return _described(fields) if fields else {}


async def getent(ctx: FunctionContext, refresh: bool = False, root: str | None = None) -> list[DataMap]:
    """Return all groups, each as `info` returns it.

    Args:
        refresh: has no effect; nothing is cached.
    """
    return [_described(fields) for fields in await entries(ctx, "group")]


async def add(
    ctx: FunctionContext,
    name: str,
    gid: int | None = None,
    system: bool = False,
    non_unique: bool = False,
    **kwargs: Any,
) -> bool:
    """Add a group.

    Args:
        gid: its id; None for the next free one.
        system: use an id of the range for system groups.

    Example:
        ensue call '*' group.add staff

    Raises:
        StateFailedError: the group cannot be added; the message says why.
    """
    options = ["-g", str(gid)] if gid is not None else []
    options += ["-o"] if gid is not None and non_unique else []
    options += ["-r"] if system else []
    await must(ctx, "groupadd", *options, "--", name, what=f"add the group {name}")
    return True


async def delete(ctx: FunctionContext, name: str, **kwargs: Any) -> bool:
    """Remove a group.

    Example:
        ensue call '*' group.delete staff

    Raises:
        StateFailedError: the group cannot be removed; the message says why.
    """
    await must(ctx, "groupdel", "--", name, what=f"remove the group {name}")
    return True


async def chgid(ctx: FunctionContext, name: str, gid: int, non_unique: bool = False, **kwargs: Any) -> bool:
    """Change a group's id; files keep the old one.

    Args:
        gid: the new id.

    Example:
        ensue call '*' group.chgid staff 2000

    Raises:
        StateFailedError: the id cannot be changed; the message says why.
    """
    options = ["-o"] if non_unique else []
    what = f"change the id of the group {name}"
    await must(ctx, "groupmod", *options, "-g", str(gid), "--", name, what=what)
    return True


async def adduser(ctx: FunctionContext, name: str, username: str, **kwargs: Any) -> bool:
    """Make a user a member of a group.

    Example:
        ensue call '*' group.adduser staff alice

    Raises:
        StateFailedError: there is no such user or group.
    """
    await must(ctx, "gpasswd", "-a", username, name, what=f"add {username} to the group {name}")
    return True


async def deluser(ctx: FunctionContext, name: str, username: str, **kwargs: Any) -> bool:
    """Remove a user from a group; it is not an error if the user is not a member.

    Example:
        ensue call '*' group.deluser staff alice

    Raises:
        StateFailedError: there is no such group.
    """
    if username in _members(await info(ctx, name)):
        await must(ctx, "gpasswd", "-d", username, name, what=f"remove {username} from the group {name}")
    return True


async def members(ctx: FunctionContext, name: str, members_list: str | Sequence[str], **kwargs: Any) -> bool:
    """Set the members of a group, replacing all others.

    Args:
        members_list: user names, as a list or separated by commas.

    Example:
        ensue call '*' group.members staff alice,bob

    Raises:
        StateFailedError: there is no such user or group.
    """
    joined = members_list if isinstance(members_list, str) else ",".join(members_list)
    await must(ctx, "gpasswd", "-M", joined, name, what=f"set the members of the group {name}")
    return True


def _described(fields: list[str]) -> DataMap:
    name, passwd, gid, joined, *_ = [*fields, "", "", ""]
    return {
        "name": name,
        "passwd": passwd,
        "gid": number(gid),
        "members": [member for member in joined.split(",") if member],
    }


def _members(described: DataMap) -> list[Any]:
    listed = described.get("members")
    return listed if isinstance(listed, list) else []


FUNCTIONS: Final = by_name(add, adduser, chgid, delete, deluser, getent, info, members)
