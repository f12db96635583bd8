"""Execution module `shadow`: passwords and their ageing, through `chpasswd`, `usermod` and `chage`.

A password hash reaches the target on a program's standard input, never among its arguments, and is masked in
everything that ensue writes.

Args:
    name: the user.

Source: Salt's execution module `shadow` (linux_shadow), 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._account_database import entry, number
from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_FIELDS: Final = ("name", "passwd", "lstchg", "min", "max", "warn", "inact", "expire")
_UNSET: Final = -1


async def info(ctx: FunctionContext, name: str, root: str | None = None) -> DataMap:
    """Return `name`, `passwd`, `lstchg`, `min`, `max`, `warn`, `inact` and `expire`; requires root.

    Args:
        root: accepted as by Salt, without effect; the target's own database is read.

    Example:
        ensue call '*' shadow.info alice

    Returns:
        The fields; empty strings if there is no entry, -1 for a number that is not set.
    """
    fields = await entry(ctx, "shadow", name)
    if fields is None:
        return dict.fromkeys(_FIELDS, "")
    texts = [*fields, "", "", "", "", "", ""]
    if "$" in texts[1]:
        ctx.masker.add(texts[1])
    ages = zip(_FIELDS[2:], texts[2:], strict=False)
    numbers = {key: _UNSET if text == "" else number(text) for key, text in ages}
    return {"name": texts[0], "passwd": texts[1], **numbers}


async def set_password(ctx: FunctionContext, name: str, password: str, **kwargs: Any) -> bool:
    """Set a user's password by its hash, in the form of /etc/shadow.

    Args:
        password: the hash of the password.
        **kwargs: accepted as by Salt, without effect.

    Example:
        ensue call '*' shadow.set_password app '$6$salt$hash'

    Raises:
        StateFailedError: the password could not be set.
    """
    if "$" in password:
        ctx.masker.add(password)
    line = f"{name}:{password}\n".encode()
    await must(ctx, "chpasswd", "-e", stdin=line, what=f"set the password of {name}")
    return True


async def gen_password(ctx: FunctionContext, password: str, crypt_salt: str | None = None) -> str:
    """Return the SHA-512 hash of a password, computed by the target's `openssl`.

    Args:
        password: the password.
        crypt_salt: the salt; None for a random one.

    Example:
        ensue call '*' shadow.gen_password 'the password'

    Raises:
        StateFailedError: the target has no `openssl`.
    """
    ctx.masker.add(password)
    options = ["-salt", crypt_salt] if crypt_salt else []
    line = f"{password}\n".encode()
    answer = await must(
        ctx, "openssl", "passwd", "-6", *options, "-stdin", stdin=line, what="hash a password"
    )  # fmt: skip
    hashed = answer.stdout.strip()
    ctx.masker.add(hashed)
    return hashed


_CHANGING: Final = """{summary}.

Example:
    ensue call '*' shadow.{name} alice

Raises:
    StateFailedError: the account could not be changed.
"""
_DOCSTRING: Final = """Set {what} of a user, in days.

Args:
    name: the user.
    value: the days; a date is the number of days since 1970-01-01.

Example:
    ensue call '*' shadow.set_maxdays alice 90
"""


def _change(
    verb: str, summary: str, what: str, *argv: str
) -> Callable[[FunctionContext, str], Awaitable[bool]]:
    async def change(ctx: FunctionContext, name: str) -> bool:
        await must(ctx, *argv, name, what=f"{what} of {name}")
        return True

    change.__doc__ = _CHANGING.format(name=f"{verb}_password", summary=summary)
    return change


def _ageing(option: str, what: str) -> Callable[[FunctionContext, str, int], Awaitable[bool]]:
    async def change(ctx: FunctionContext, name: str, value: int) -> bool:
        await must(ctx, "chage", option, str(value), name, what=f"set {what} of {name}")
        return True

    change.__doc__ = _DOCSTRING.format(what=what)
    return change


FUNCTIONS: Final = by_name(
    gen_password, info, set_password,
    del_password=_change(
        "del", "Let a user log in without a password", "remove the password", "passwd", "-d"
    ),
    lock_password=_change("lock", "Lock a user's password", "lock the password", "usermod", "-L"),
    unlock_password=_change(
        "unlock", "Unlock a user's password", "unlock the password", "usermod", "-U",
    ),
    set_date=_ageing("-d", "the day of the last change of the password"),
    set_expire=_ageing("-E", "the day on which the account expires"),
    set_inactdays=_ageing("-I", "the days between the password's expiry and the account's"),
    set_maxdays=_ageing("-M", "the longest age of the password"),
    set_mindays=_ageing("-m", "the shortest age of the password"),
    set_warndays=_ageing("-W", "the days of warning before the password expires"),
)  # fmt: skip
