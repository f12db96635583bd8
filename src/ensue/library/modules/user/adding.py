"""Adds and removes users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.library.modules._account_database import entries
from ensue.library.modules._programs import ask, must
from ensue.library.modules.user.queries import GECOS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext

_NO_HOME: Final = 12
"""The exit code of `userdel` if it removed the user, but there was no home folder to remove."""


async def add(
    ctx: FunctionContext,
    name: str,
    *,
    uid: int | None = None,
    gid: int | str | None = None,
    groups: str | Sequence[str] | None = None,
    home: str | None = None,
    shell: str | None = None,
    unique: bool = True,
    system: bool = False,
    createhome: bool = True,
    nologinit: bool = False,
    usergroup: bool | None = None,
    **kwargs: Any,
) -> bool:
    """Add a user.

    Args:
        name: the user.
        uid: the user id; None for the next free one.
        gid: the primary group; None for the target's default.
        groups: supplementary groups, as a list or separated by commas.
        home: the home folder.
        shell: the login shell.
        unique: require an unused user id.
        system: use a user id from the system range.
        createhome: create the home folder.
        nologinit: do not add the user to lastlog and faillog.
        usergroup: whether to create a group with the user's name.
        **kwargs: `fullname`, `roomnumber`, `workphone`, `homephone` and `other`; others have no effect.

    Example:
        ensue call '*' user.add alice

    Raises:
        StateFailedError: the user could not be added; the message says why.
    """
    further = groups.split(",") if isinstance(groups, str) else [str(each) for each in groups or []]
    if gid is None and usergroup is None and name in further and await _has_own_group(ctx, name):
        gid = name
    options = [*_pair("-s", shell), *_pair("-u", uid), *_pair("-g", gid), *_pair("-d", home)]
    if further and {*further} != {await _group_name(ctx, gid)}:
        options += _pair("-G", ",".join(further))
    options += _pair("-c", ",".join(_text(kwargs.get(part)) for part in GECOS).rstrip(","))
    options += ["-o"] if uid is not None and not unique else []
    options += ["-r"] if system else []
    options += ["-l"] if nologinit else []
    options += ["-m" if createhome else "-M"]
    if usergroup is not None and gid is None:
        options += ["-U" if usergroup else "-N"]
    await must(ctx, "useradd", *options, "--", name, what=f"add the user {name}")
    return True


async def delete(
    ctx: FunctionContext, name: str, remove: bool = False, force: bool = False, **kwargs: Any
) -> bool:
    """Remove a user.

    Args:
        name: the user.
        remove: also remove the home folder and mail.
        force: remove the user even while logged in.
        **kwargs: accepted as by Salt, without effect.

    Example:
        ensue call '*' user.delete alice

    Raises:
        StateFailedError: the user could not be removed; the message says why.
    """
    options = [*(["-r"] if remove else []), *(["-f"] if force else [])]
    answer = await ask(ctx, "userdel", *options, "--", name)
    if answer.returncode in {0, _NO_HOME}:
        return True
    raise StateFailedError(f"cannot remove the user {name} on {ctx.srn}: {answer.complaint()}")


async def _has_own_group(ctx: FunctionContext, name: str) -> bool:
    """Return whether a new user's primary group has its name and exists: `useradd` refuses to choose it."""
    path = "/etc/login.defs"
    if await ctx.connection.stat(path, follow=True) is None:
        return False
    lines = (await ctx.connection.read(path)).decode("utf-8", "replace").splitlines()
    values = [line.split()[1:2] for line in lines if line.split()[:1] == ["USERGROUPS_ENAB"]]
    return values[-1:] == [["yes"]] and bool(await ctx.call("group.info", name))


async def _group_name(ctx: FunctionContext, gid: int | str | None) -> str | None:
    """Return the name of the primary group of a new user; None if that is not given."""
    if gid is None or not str(gid).isdecimal():
        return None if gid is None else str(gid)
    names = [fields[0] for fields in await entries(ctx, "group") if fields[2] == str(gid)]
    return names[0] if names else str(gid)


def _pair(option: str, value: object) -> list[str]:
    return [] if value is None or value == "" else [option, str(value)]


def _text(value: object) -> str:
    return "" if value is None else str(value)
