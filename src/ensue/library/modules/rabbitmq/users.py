"""Users: their passwords, tags and permissions.

Args:
    name: the user.
    password: the password.

Source: Salt's execution module `rabbitmq`, 3008.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.library.modules._programs import ask
from ensue.library.modules.rabbitmq.program import control, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext


async def list_users(ctx: FunctionContext, runas: str | None = None) -> dict[str, list[str]]:
    """Return the tags of each user, by user name."""
    rows = await listed(ctx, "list_users", runas=runas)
    return {str(row["user"]): _tags(row.get("tags")) for row in rows if "user" in row}


async def user_exists(ctx: FunctionContext, name: str, runas: str | None = None) -> bool:
    """Return whether a user exists.

    Example:
        ensue call '*' rabbitmq.user_exists shop
    """
    return name in await list_users(ctx, runas)


async def add_user(
    ctx: FunctionContext, name: str, password: str | None = None, runas: str | None = None
) -> dict[str, str]:
    """Add a user; without a password, the user cannot log in with any.

    Example:
        ensue call '*' rabbitmq.add_user shop

    Returns:
        `Added` with the program's output.
    """
    first = secrets.token_urlsafe() if password is None else _given(password)
    output = await control(ctx, "add_user", name, runas=runas, password=first)
    if password is None:
        try:
            await clear_password(ctx, name, runas)
        except StateFailedError:
            await delete_user(ctx, name, runas)
            raise
    return {"Added": output}


async def delete_user(ctx: FunctionContext, name: str, runas: str | None = None) -> dict[str, str]:
    """Delete a user.

    Example:
        ensue call '*' rabbitmq.delete_user shop
    """
    return {"Deleted": await control(ctx, "delete_user", name, runas=runas)}


async def change_password(
    ctx: FunctionContext, name: str, password: str, runas: str | None = None
) -> dict[str, str]:
    """Change a user's password.

    Example:
        ensue call '*' rabbitmq.change_password app 'the new password'
    """
    output = await control(ctx, "change_password", name, runas=runas, password=_given(password))
    return {"Password Changed": output}


async def clear_password(ctx: FunctionContext, name: str, runas: str | None = None) -> dict[str, str]:
    """Remove a user's password, so that no password logs in.

    Example:
        ensue call '*' rabbitmq.clear_password shop
    """
    return {"Password Cleared": await control(ctx, "clear_password", name, runas=runas)}


async def check_password(ctx: FunctionContext, name: str, password: str, runas: str | None = None) -> bool:
    """Return whether this is a user's password.

    Example:
        ensue call '*' rabbitmq.check_password app 'the password'
    """
    ctx.masker.add(password)
    answer = await ask(
        ctx, "rabbitmqctl", "--quiet", "authenticate_user", name, stdin=f"{password}\n".encode(), runas=runas
    )
    return answer.is_success


async def set_user_tags(
    ctx: FunctionContext, name: str, tags: str | Sequence[str], runas: str | None = None
) -> dict[str, str]:
    """Set the tags of a user; existing tags are replaced.

    Args:
        tags: one tag, or a list.

    Example:
        ensue call '*' rabbitmq.set_user_tags app '[monitoring]'
    """
    words = [tags] if isinstance(tags, str) else [*map(str, tags)]
    return {"Tag(s) set": await control(ctx, "set_user_tags", name, *words, runas=runas)}


async def list_user_permissions(
    ctx: FunctionContext, name: str, runas: str | None = None
) -> dict[str, dict[str, str]]:
    """Return a user's permissions per virtual host: regular expressions `configure`, `write` and `read`.

    Example:
        ensue call '*' rabbitmq.list_user_permissions shop
    """
    rows = await listed(ctx, "list_user_permissions", name, runas=runas)
    return {str(row["vhost"]): _without(row, "vhost") for row in rows if "vhost" in row}


async def list_permissions(
    ctx: FunctionContext, vhost: str, runas: str | None = None
) -> dict[str, dict[str, str]]:
    """Return each user's permissions in a virtual host: `configure`, `write` and `read`.

    Example:
        ensue call '*' rabbitmq.list_permissions shop
    """
    rows = await listed(ctx, "list_permissions", "-p", vhost, runas=runas)
    return {str(row["user"]): _without(row, "user") for row in rows if "user" in row}


async def set_permissions(
    ctx: FunctionContext,
    vhost: str,
    user: str,
    conf: str = ".*",
    write: str = ".*",
    read: str = ".*",
    runas: str | None = None,
) -> dict[str, str]:
    """Set a user's permissions in a virtual host.

    Args:
        user: the user.
        conf: a regular expression for the names that the user may configure.
        write: a regular expression for the names that the user may write to.
        read: a regular expression for the names that the user may read from.

    Example:
        ensue call '*' rabbitmq.set_permissions shop deploy
    """
    output = await control(ctx, "set_permissions", "-p", vhost, user, conf, write, read, runas=runas)
    return {"Permissions Set": output}


def _given(password: str) -> str:
    """Return a password that rabbitmqctl can read from one line."""
    if not password or "\n" in password:
        raise StateFailedError("a RabbitMQ password must be one line and not empty")
    return password


def _tags(tags: Any) -> list[str]:
    return [str(tag) for tag in tags] if is_list(tags) else []


def _without(row: dict[str, Any], key: str) -> dict[str, str]:
    return {word: str(value) for word, value in row.items() if word != key}


FUNCTIONS: Final = by_name(
    add_user, change_password, check_password, clear_password, delete_user, list_permissions,
    list_user_permissions, list_users, set_permissions, set_user_tags, user_exists,
)  # fmt: skip
