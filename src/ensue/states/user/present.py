"""`user.present`: a user, its groups, home folder, shell, comment and password.

Source: Salt's state function of that name, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.errors import StateFailedError
from ensue.model.returns import StateReturn
from ensue.states.user.changed import add, change
from ensue.states.user.wanted import AGEING, GECOS, REDACTED, WantedUser, differences, refuse_changed_numbers

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap


async def present(
    ctx: StateContext,
    name: str,
    *,
    uid: int | None = None,
    gid: int | str | None = None,
    usergroup: bool | None = None,
    groups: list[str] | None = None,
    optional_groups: list[str] | None = None,
    remove_groups: bool = True,
    home: str | None = None,
    createhome: bool = True,
    persist_home: bool = False,
    password: str | None = None,
    hash_password: bool = False,
    enforce_password: bool = True,
    empty_password: bool = False,
    shell: str | None = None,
    unique: bool = True,
    system: bool = False,
    fullname: str | None = None,
    roomnumber: str | int | None = None,
    workphone: str | int | None = None,
    homephone: str | int | None = None,
    other: str | None = None,
    date: int | None = None,
    mindays: int | None = None,
    maxdays: int | None = None,
    inactdays: int | None = None,
    warndays: int | None = None,
    expire: int | None = None,
    nologinit: bool = False,
    allow_uid_change: bool = False,
    allow_gid_change: bool = False,
    password_lock: bool | None = None,
    loginclass: str | None = None,  # noqa: ARG001 (of BSDs)
    local: bool = False,  # noqa: ARG001 (Salt's argument)
) -> StateReturn:
    """Have a user that is as it is described; what is not described is left alone.

    Args:
        ctx: the state's context.
        name: the user.
        uid: its number.
        gid: its primary group, by number or name; has to be there.
        usergroup: a new user gets a group of its own name, or does not.
        groups: its further groups; they have to be there.
        optional_groups: further groups that count where they are there.
        remove_groups: it is to be in no others.
        home: its home folder.
        createhome: the folder is to be there.
        persist_home: a changed home folder takes along what is in it.
        password: the hash of its password, or the password where `hash_password` is set.
        hash_password: hash it first (SHA-512, with the salt of the present password).
        enforce_password: set it again when somebody changed it.
        empty_password: let it log in without a password.
        shell: its shell.
        unique: its number is nobody else's.
        system: a new user gets a number of the system's range.
        fullname: its full name.
        roomnumber: its room.
        workphone: its telephone at work.
        homephone: its telephone at home.
        other: the rest of its comment.
        date: the day of the last change of its password, in days since 1970.
        mindays: the shortest age of the password in days.
        maxdays: the longest.
        inactdays: days between the password's end and the account's.
        warndays: days of warning.
        expire: the day on which the account ends, in days since 1970.
        nologinit: a new user is left out of lastlog and faillog.
        allow_uid_change: change the number of an existing user.
        allow_gid_change: change the primary group of an existing user.
        password_lock: lock the password, or unlock it.
        loginclass: of BSDs; has no effect.
        local: Salt's; the target's own programs are used.

    Returns:
        `changes` are the new user, or the attributes that changed; a password is never in it.

    Raises:
        StateFailedError: an argument makes no sense, or a program failed.
    """
    comment = _comment(dict(zip(GECOS, (fullname, roomnumber, workphone, homephone, other), strict=True)))
    ages = dict(zip(AGEING, (date, mindays, maxdays, inactdays, warndays, expire), strict=True))
    there, missing = await _split(ctx, groups)
    if missing and not ctx.test:
        raise StateFailedError(f"The following group(s) are not present: {','.join(missing)}")
    optional, _ = await _split(ctx, optional_groups)
    if password:
        ctx.masker.add(str(password))
    wanted = WantedUser(
        name=name,
        uid=uid,
        gid=await _group_of_its_name(ctx, name, gid, usergroup),
        groups=None if groups is None else there,
        optional_groups=optional or [],
        remove_groups=remove_groups,
        home=home,
        createhome=createhome,
        shell=shell,
        password=await _hash(ctx, name, password, hash_password=hash_password),
        enforce_password=enforce_password,
        empty_password=empty_password,
        password_lock=password_lock,
        comment=comment,
        ageing={key: value for key, value in ages.items() if value is not None},
    )
    found: DataMap = await ctx.call("user.info", name)
    if not found:
        if ctx.test:
            pending = f" (pending groups: {','.join(missing)})" if missing else ""
            return StateReturn(name=name, result=None, comment=f"User {name} set to be added{pending}")
        options = {"unique": unique, "system": system, "nologinit": nologinit, "usergroup": usergroup}
        return await add(ctx, wanted, {**options, "gid": gid})
    changes = await differences(ctx, wanted, found)
    refuse_changed_numbers(
        changes, found, allow_uid_change=allow_uid_change, allow_gid_change=allow_gid_change
    )
    if not changes and not missing:
        text = f"User {name} is present and up to date"
        return StateReturn(name=name, result=True, comment=text, new_state=found)
    if ctx.test:
        return StateReturn(name=name, result=None, comment=_planned(changes, missing))
    return await change(ctx, wanted, found, changes, persist_home=persist_home)


def _comment(parts: dict[str, Any]) -> dict[str, str]:
    given = {part: str(text) for part, text in parts.items() if text is not None}
    for part, text in given.items():
        if "," in text and part not in {"homephone", "other"}:
            raise StateFailedError(f"Unsupported char ',' in {text}")
        if ":" in text or "\n" in text:
            raise StateFailedError(f"{part} may hold no colon and no line end: {text!r}")
    return given


async def _split(ctx: StateContext, groups: list[str] | None) -> tuple[list[str], list[str]]:
    there: list[str] = []
    missing: list[str] = []
    for group in groups or []:
        (there if await ctx.call("group.info", str(group)) else missing).append(str(group))
    return there, missing


async def _group_of_its_name(
    ctx: StateContext, name: str, gid: int | str | None, usergroup: bool | None
) -> int | str | None:
    if usergroup and gid is None and await ctx.call("group.info", name):
        return name
    return gid


async def _hash(ctx: StateContext, name: str, password: str | None, *, hash_password: bool) -> str | None:
    if not password or not hash_password:
        return password
    shadow: DataMap = await ctx.call("shadow.info", name)
    parts = str(shadow["passwd"]).split("$")
    is_sha512 = len(parts) == 4 and parts[1] == "6"  # noqa: PLR2004 (empty, algorithm, salt, hash)
    hashed: str = await ctx.call("shadow.gen_password", password, crypt_salt=parts[2] if is_sha512 else None)
    return hashed


def _planned(changes: DataMap, missing: list[str]) -> str:
    shown = {**changes, "passwd": REDACTED} if "passwd" in changes else changes
    lines = [f"{key}: {value!s}\n" for key, value in shown.items()]
    if missing:
        lines.append(f"groups (pending creation): {','.join(missing)}\n")
    return "The following user attributes are set to be changed:\n" + "".join(lines)
