"""Users that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.modules._programs import ask, must
from ensue.modules.user.queries import GECOS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.contracts.context import FunctionContext

_NO_HOME: Final = 12
"""The exit code of `userdel` that says that the user is gone, but its home folder was not there to remove."""


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
        ctx: the target.
        name: the user.
        uid: its number; None takes the next.
        gid: its primary group; None does what the target does by default.
        groups: further groups, as a list or joined by commas.
        home: its home folder.
        shell: its shell.
        unique: its number must be nobody else's.
        system: take a number of the system's range.
        createhome: make the home folder.
        nologinit: leave it out of lastlog and faillog.
        usergroup: make a group of its own name, or none.
        **kwargs: `fullname roomnumber workphone homephone other`, and what only Salt makes use of.

    Raises:
        StateFailedError: it could not be added; says why.
    """
    options = [*_pair("-s", shell), *_pair("-u", uid), *_pair("-g", gid), *_pair("-d", home)]
    options += _pair("-G", groups if isinstance(groups, str) else ",".join(groups or []))
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
    ctx: FunctionContext,
    name: str,
    remove: bool = False,
    force: bool = False,
    **kwargs: Any,  # noqa: ARG001 (Salt takes more)
) -> bool:
    """Remove a user.

    Args:
        ctx: the target.
        name: the user.
        remove: its home folder and mail too.
        force: also when it is logged in.
        **kwargs: what only Salt makes use of.

    Raises:
        StateFailedError: it could not be removed; says why.
    """
    options = [*(["-r"] if remove else []), *(["-f"] if force else [])]
    answer = await ask(ctx, "userdel", *options, "--", name)
    if answer.returncode in {0, _NO_HOME}:
        return True
    raise StateFailedError(f"cannot remove the user {name} on {ctx.srn}: {answer.complaint()}")


def _pair(option: str, value: object) -> list[str]:
    return [] if value is None or value == "" else [option, str(value)]


def _text(value: object) -> str:
    return "" if value is None else str(value)
