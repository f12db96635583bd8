"""State module `rabbitmq_user`: users of a RabbitMQ broker, with their tags and permissions.

Notes:
    With `force` a password is set on each run. Old permissions are reported by virtual host, like the new
    ones.

Differences from Salt:
    Passwords go to the input of `rabbitmqctl`; Salt puts them on the command line.

Source: Salt's state module `rabbitmq_user`, 3008. Unlike Salt's, changes list old permissions by virtual
host, like the new ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

    Act = Callable[[], Awaitable[object]]

_PERMISSIONS: Final = ("configure", "write", "read")


async def present(
    ctx: StateContext,
    name: str,
    *,
    password: str | None = None,
    force: bool = False,
    tags: str | list[str] | None = None,
    perms: list[Any] | dict[str, Any] | tuple[()] = (),
    runas: str | None = None,
) -> StateReturn:
    """Create a user, or change its password, tags and permissions.

    Args:
        name: the user.
        password: the password, which is passed to rabbitmqctl on standard input, and masked.
        force: set the password in each run without a comparison; without `password`, remove it.
        tags: the complete list of tags, a list or a text separated by blanks.
        perms: three regular expressions by virtual host: what the user may configure, write and read.
        runas: the user of the target who runs rabbitmqctl.

    Example:
        shop:
          rabbitmq_user.present:
            - tags: [monitoring]
            - perms: [{shop: ['.*', '.*', '.*']}]

    Returns:
        `changes` has `user`, `password`, `tags` and `perms`, each with `old` and `new`; `new_state` has
        `name tags perms`.

    Raises:
        StateFailedError: the broker reports an error, or `perms` is invalid.
    """
    secret = None if password is None else str(password)
    if secret:
        ctx.masker.add(secret)
    wanted_perms = _wanted_perms(perms)
    wanted_tags = tags.split() if isinstance(tags, str) else None if tags is None else [*map(str, tags)]
    users: dict[str, list[str]] = await ctx.call("rabbitmq.list_users", runas=runas)
    is_new = name not in users
    changes: DataMap = {}
    acts: list[Act] = []
    absent_state: DataMap = {"name": name, "exists": False}
    if is_new:
        changes["user"] = {"old": "", "new": name}
        if ctx.test:
            comment = f"User '{name}' is set to be created."
            return StateReturn.planned(name, comment, changes, old_state=absent_state)
        await ctx.call("rabbitmq.add_user", name, secret, runas=runas)
    elif force or (
        secret is not None and not await ctx.call("rabbitmq.check_password", name, secret, runas=runas)
    ):
        changes["password"] = _password_change(secret)
        acts.append(_set_password(ctx, name, secret, runas))
    held_tags = users.get(name, [])
    if wanted_tags is not None and {*wanted_tags} != {*held_tags}:
        changes["tags"] = {"old": [*held_tags], "new": [*wanted_tags]}
        acts.append(lambda: ctx.call("rabbitmq.set_user_tags", name, wanted_tags, runas=runas))
    permissions: dict[str, DataMap] = (
        {} if is_new else await ctx.call("rabbitmq.list_user_permissions", name, runas=runas)
    )
    to_set = {
        vhost: requested for vhost, requested in wanted_perms.items() if permissions.get(vhost) != requested
    }
    if to_set:
        changes["perms"] = _perms_change(permissions, to_set)
        acts += [_set_perms(ctx, name, vhost, requested, runas) for vhost, requested in to_set.items()]
    new_state: DataMap = {
        "name": name,
        "tags": [*(held_tags if wanted_tags is None else wanted_tags)],
        "perms": {**permissions, **wanted_perms},
    }
    if not changes:
        asked = wanted_perms or wanted_tags or force
        comment = (
            f"'{name}' is already in the desired state." if asked else f"User '{name}' is already present."
        )
        return StateReturn.unchanged(name, comment, new_state)
    before: DataMap = (
        absent_state if is_new else {"name": name, "tags": [*held_tags], "perms": {**permissions}}
    )
    if ctx.test:
        return StateReturn.planned(
            name, f"Configuration for '{name}' will change.", changes, old_state=before
        )
    for act in acts:
        await act()
    return StateReturn.changed(name, f"'{name}' was configured.", changes, new_state, old_state=before)


async def absent(ctx: StateContext, name: str, *, runas: str | None = None) -> StateReturn:
    """Remove a user.

    Args:
        name: the user.
        runas: the user of the target who runs rabbitmqctl.

    Example:
        shop:
          rabbitmq_user.absent

    Returns:
        `changes` has `name` with `old` and `new`; `new_state` has `name exists`.

    Raises:
        StateFailedError: the broker reports an error.
    """
    gone: DataMap = {"name": name, "exists": False}
    if not await ctx.call("rabbitmq.user_exists", name, runas=runas):
        return StateReturn.unchanged(name, f"The user '{name}' is not present.", gone)
    changes: DataMap = {"name": {"old": name, "new": ""}}
    if ctx.test:
        return StateReturn.planned(name, f"The user '{name}' will be removed.", changes)
    await ctx.call("rabbitmq.delete_user", name, runas=runas)
    return StateReturn.changed(name, f"The user '{name}' was removed.", changes, gone)


def _password_change(password: str | None) -> DataMap:
    if password is None:
        return {"old": "Removed password.", "new": ""}
    return {"old": "", "new": "Set password."}


def _set_password(ctx: StateContext, name: str, password: str | None, runas: str | None) -> Act:
    if password is None:
        return lambda: ctx.call("rabbitmq.clear_password", name, runas=runas)
    return lambda: ctx.call("rabbitmq.change_password", name, password, runas=runas)


def _set_perms(ctx: StateContext, name: str, vhost: str, requested: DataMap, runas: str | None) -> Act:
    texts = [requested[word] for word in _PERMISSIONS]
    return lambda: ctx.call("rabbitmq.set_permissions", vhost, name, *texts, runas=runas)


def _perms_change(permissions: dict[str, DataMap], to_set: dict[str, DataMap]) -> DataMap:
    old: DataMap = {vhost: permissions[vhost] for vhost in to_set if vhost in permissions}
    new: DataMap = {**to_set}
    return {"old": old, "new": new} if old else {"new": new}


def _wanted_perms(perms: Any) -> dict[str, DataMap]:
    listed: list[Any] = [perms] if is_mapping(perms) else [*perms]
    permissions: dict[str, DataMap] = {}
    for entry in listed:
        if not is_mapping(entry):
            raise StateFailedError(f"perms: {entry!r} is not a virtual host with three regular expressions")
        for vhost, texts in entry.items():
            if not is_list(texts) or len(texts) != len(_PERMISSIONS):
                raise StateFailedError(
                    f"perms: {vhost} requires three regular expressions: what to configure, write and read"
                )
            values: list[Data] = ["" if text is None else str(text) for text in texts]
            permissions[str(vhost)] = dict(zip(_PERMISSIONS, values, strict=True))
    return permissions


FUNCTIONS: Final = by_name(absent, present, make_only=())
