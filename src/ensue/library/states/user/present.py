"""`user.present`: a user, its groups, home folder, shell, comment and password.

Source: Salt's state function of that name, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.needs import with_accounts
from ensue.library.states.user.changed import add, change
from ensue.library.states.user.requested import (
    AGEING,
    GECOS,
    REDACTED,
    WantedUser,
    differences,
    refuse_changed_numbers,
)

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


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
    loginclass: str | None = None,  # of BSDs
    local: bool = False,
) -> StateReturn:
    """Create a user, or change the given attributes of an existing one.

    Args:
        name: the user.
        uid: user id.
        gid: primary group, by number or name, which must exist.
        usergroup: whether a new user gets a group of the same name.
        groups: further groups, which must exist.
        optional_groups: further groups; those that do not exist are ignored.
        remove_groups: remove the user from all other groups.
        home: home folder.
        createhome: create the home folder.
        persist_home: move the content of a changed home folder.
        password: hash of the password, or with `hash_password` the password itself.
        hash_password: hash the password first (SHA-512, with the salt of the present password).
        enforce_password: set the password again if it was changed.
        empty_password: allow login without a password.
        shell: login shell.
        unique: require that no other user has the user id.
        system: give a new user an id of the system range.
        fullname: full name.
        roomnumber: room number.
        workphone: telephone number at work.
        homephone: telephone number at home.
        other: other text in the comment field.
        date: day of the last change of the password, in days since 1970.
        mindays: minimum age of the password in days.
        maxdays: maximum age of the password in days.
        inactdays: days from the expiry of the password until the account is locked.
        warndays: days of warning before the password expires.
        expire: day on which the account expires, in days since 1970.
        nologinit: do not add a new user to lastlog and faillog.
        allow_uid_change: change the id of an existing user.
        allow_gid_change: change the primary group of an existing user.
        password_lock: lock the password, or unlock it.
        loginclass: accepted, as in Salt, without effect (BSD only).
        local: accepted, as in Salt, without effect.

    Example:
        alice:
          user.present:
            - uid: 2001
            - shell: /bin/bash
            - groups: [staff]

    Returns:
        `changes` has the new user, or the changed attributes; never a password.

    Raises:
        StateFailedError: an argument is invalid, or a program failed.
    """
    comment = _comment(dict(zip(GECOS, (fullname, roomnumber, workphone, homephone, other), strict=True)))
    ages = dict(zip(AGEING, (date, mindays, maxdays, inactdays, warndays, expire), strict=True))
    there, missing = await _split(ctx, groups)
    if missing and not ctx.test:
        raise StateFailedError(f"The following group(s) are not present: {','.join(missing)}")
    optional, _ = await _split(ctx, optional_groups)
    if password:
        ctx.masker.add(str(password))
    user = WantedUser(
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
    account: DataMap = await ctx.call("user.info", name)
    if not account:
        if ctx.test:
            pending = f" (pending groups: {','.join(missing)})" if missing else ""
            planned = StateReturn.planned(
                name, f"User {name} set to be added{pending}", old_state={"name": name, "exists": False}
            )
            return await with_accounts(ctx.connection, planned, group=gid)
        options = {"unique": unique, "system": system, "nologinit": nologinit, "usergroup": usergroup}
        return await add(ctx, user, {**options, "gid": gid})
    changes = await differences(ctx, user, account)
    refuse_changed_numbers(
        changes, account, allow_uid_change=allow_uid_change, allow_gid_change=allow_gid_change
    )
    if not changes and not missing:
        return StateReturn.unchanged(name, f"User {name} is present and up to date", account)
    if ctx.test:
        planned = StateReturn.planned(name, _planned(changes, missing), old_state=account)
        return await with_accounts(ctx.connection, planned, group=gid)
    return await change(ctx, user, account, changes, persist_home=persist_home)


def _comment(parts: dict[str, Any]) -> dict[str, str]:
    given = {part: str(text) for part, text in parts.items() if text is not None}
    for part, text in given.items():
        if "," in text and part not in {"homephone", "other"}:
            raise StateFailedError(f"Unsupported char ',' in {text}")
        if ":" in text or "\n" in text:
            raise StateFailedError(f"{part} must not contain a colon or a line break: {text!r}")
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
