"""State module `ssh_auth`: authorized SSH keys of users.

Args:
    user: the user.
    config: path of the file; `%h` is the home folder, `%u` the user.
    **kwargs: accepted, as in Salt, without effect.

Source: Salt's state module `ssh_auth`, 3008: results, changes and comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.needs import with_accounts

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_FULL: Final = re.compile(r"^(.*?)\s?((?:sk-)?(?:ssh-|ecds)[\w@.-]+\s.+)$")
_CONFIG: Final = ".ssh/authorized_keys"
_FAILED: Final = "Failed to add the ssh key. Is the home directory available, and/or does the key file exist?"


@also_takes()
async def present(
    ctx: StateContext,
    name: str,
    user: str,
    enc: str = "ssh-rsa",
    comment: str = "",
    source: str = "",
    options: list[str] | None = None,
    config: str = _CONFIG,
    fingerprint_hash_type: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Authorize a key for a user.

    Args:
        name: the key: only base64, or a whole line; any name if `source` is given.
        enc: type of the key, if `name` does not have it.
        comment: comment after the key.
        source: a file of keys (`salt://keys/ada.pub`).
        options: options before the key.
        fingerprint_hash_type: accepted, as in Salt, without effect: whole keys are compared.

    Example:
        AAAAC3NzaC1lZDI1NTE5AAAAIExamplekeyofalice:
          ssh_auth.present:
            - user: deploy
            - enc: ssh-ed25519
            - comment: alice

    Returns:
        `changes` has the key with `New` or `Updated`.

    Raises:
        StateFailedError: the type of the key is unknown.
    """
    del fingerprint_hash_type  # keys are compared whole
    if source:
        return await _present_file(ctx, name, user, source, options=options, config=config)
    key, given = _read(name, enc, comment, options)
    new_state: DataMap = {"user": user, "keys": [key]}
    outcome: str = await ctx.call("ssh.check_key", user, key, **given, config=config)
    if outcome == "exists":
        text = f"The authorized host key {key} is already present for user {user}"
        return StateReturn.unchanged(key, text, new_state)
    if ctx.test:
        what = "added" if outcome == "add" else "updated"
        planned = StateReturn.planned(key, f"Key {key} for user {user} is set to be {what}")
        return await with_accounts(ctx.connection, planned, user=user)
    word: str = await ctx.call("ssh.set_auth_key", user, key, **given, config=config)
    return _done(key, user, word, new_state)


async def absent(
    ctx: StateContext,
    name: str,
    user: str,
    enc: str = "ssh-rsa",
    comment: str = "",
    source: str = "",
    options: list[str] | None = None,
    config: str = _CONFIG,
    fingerprint_hash_type: str | None = None,
) -> StateReturn:
    """Remove an authorized key of a user.

    Args:
        name: the key: only base64, or a whole line.
        enc: accepted, as in Salt, without effect.
        comment: accepted, as in Salt, without effect.
        source: a file of keys.
        options: accepted, as in Salt, without effect.
        fingerprint_hash_type: accepted, as in Salt, without effect.

    Example:
        AAAAC3NzaC1lZDI1NTE5AAAAIExamplekeyofalice:
          ssh_auth.absent:
            - user: deploy
            - enc: ssh-ed25519

    Returns:
        `changes` has the key with `Removed`.

    Raises:
        StateFailedError: the source does not exist.
    """
    del fingerprint_hash_type
    if source:
        return await _absent_file(ctx, name, user, source, config)
    key, _ = _read(name, enc, comment, options)
    # The type is ignored, so that a key that was written with another type is removed too.
    gone: DataMap = {"user": user, "keys": [key], "exists": False}
    if key not in await ctx.call("ssh.auth_keys", user, config):
        return StateReturn.unchanged(key, "Key is already absent" if ctx.test else "Key not present", gone)
    if ctx.test:
        return StateReturn.planned(key, f"Key {key} for user {user} is set for removal")
    word: str = await ctx.call("ssh.rm_auth_key", user, key, config)
    return StateReturn.changed(key, word, {key: "Removed"}, gone)


@also_takes()
async def manage(
    ctx: StateContext,
    name: str,
    ssh_keys: list[str],
    user: str,
    enc: str = "ssh-rsa",
    comment: str = "",
    source: str = "",
    options: list[str] | None = None,
    config: str = _CONFIG,
    fingerprint_hash_type: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Set the complete list of authorized keys of a user.

    Args:
        name: any name.
        ssh_keys: the keys, each in a form that `ssh_auth.present` accepts.
        enc: type of keys that do not have it.
        comment: comment after each key.
        source: accepted, as in Salt, without effect.
        options: options before each key.
        fingerprint_hash_type: accepted, as in Salt, without effect.

    Example:
        keys:
          ssh_auth.manage:
            - user: deploy
            - ssh_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExamplekeyofalice alice]

    Returns:
        `changes` has the result by key.

    Raises:
        StateFailedError: the type of a key is unknown.
    """
    del source, fingerprint_hash_type
    listed = {word for line in ssh_keys for word in line.split()}
    there: list[str] = [*await ctx.call("ssh.auth_keys", user, config)]
    changes: DataMap = {}
    texts: list[str] = []
    results: list[bool | None] = []
    for key in [each for each in there if each not in listed]:
        gone = await absent(ctx, key, user, config=config)
        changes |= {key: "Key removed"} if gone.changes else {}
        texts += [f"{key} Key set for removal"] if ctx.test else []
        results.append(gone.result)
    for line in ssh_keys:
        come = await present(ctx, line, user, enc, comment, "", options, config)
        changes |= come.changes
        texts += [] if come.changes else [come.comment]
        results.append(come.result)
    result = False if False in results else None if None in results else True
    keys: list[Data] = [_read(line, enc, comment, options)[0] for line in ssh_keys]
    new_state: DataMap | None = {"user": user, "keys": keys} if result else None
    return StateReturn(
        name=name, result=result, changes=changes, comment="\n".join(texts), new_state=new_state
    )


async def _present_file(
    ctx: StateContext, name: str, user: str, source: str, *, options: list[str] | None, config: str
) -> StateReturn:
    try:
        keys: dict[str, str] = await ctx.call("ssh.check_key_file", user, source, config)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Failed to add the ssh key. {error}")
    new_state: DataMap = {"user": user, "keys": [*keys]}
    waiting = {key: outcome for key, outcome in keys.items() if outcome != "exists"}
    if not waiting:
        return StateReturn.unchanged(name, f"All host keys in file {source} are already present", new_state)
    if ctx.test:
        lines = "".join(f"Set to {outcome}: {key}\n" for key, outcome in waiting.items())
        return await with_accounts(ctx.connection, StateReturn.planned(name, lines), user=user)
    word: str = await ctx.call("ssh.set_auth_key_from_file", user, source, config, options=options)
    return _done(name, user, word, new_state)


async def _absent_file(ctx: StateContext, name: str, user: str, source: str, config: str) -> StateReturn:
    try:
        keys: dict[str, str] = await ctx.call("ssh.check_key_file", user, source, config)
    except StateFailedError as error:
        # As in Salt, a missing source has no keys to remove.
        text = f"All host keys in file {source} are already absent"
        nothing: DataMap = {"user": user, "keys": [], "exists": False}
        return StateReturn.unchanged(name, text, nothing, warnings=(f"ssh_auth.absent: {error}",))
    gone: DataMap = {"user": user, "keys": [*keys], "exists": False}
    there = [key for key, outcome in keys.items() if outcome != "add"]
    if not there:
        return StateReturn.unchanged(name, f"All host keys in file {source} are already absent", gone)
    if ctx.test:
        return StateReturn.planned(name, "".join(f"Set to remove: {key}\n" for key in there))
    word: str = await ctx.call("ssh.rm_auth_key_from_file", user, source, config)
    return StateReturn.changed(name, word, {name: "Removed"}, gone)


def _done(name: str, user: str, word: str, new_state: DataMap) -> StateReturn:
    text = f"The authorized host key {name} for user {user} was"
    match word:
        case "new":
            changes, comment = {name: "New"}, f"{text} added"
        case "replace":
            changes, comment = {name: "Updated"}, f"{text} updated"
        case "no change":
            changes = {}
            comment = f"The authorized host key {name} is already present for user {user}"
        case "fail":
            return StateReturn.failed(name, _FAILED)
        case _:
            comment = "Invalid public ssh key, most likely has spaces or invalid syntax"
            return StateReturn.failed(name, comment)
    return StateReturn.changed(name, comment, {**changes}, new_state)


def _read(name: str, enc: str, comment: str, options: list[str] | None) -> tuple[str, dict[str, Any]]:
    """Return the key, type, comment and options of a line."""
    full = _FULL.match(name)
    if full is None:
        key, _, behind = name.strip().partition(" ")
        return key, {"enc": enc, "comment": behind.strip() or comment, "options": options or []}
    own_enc, key, *words = full[2].split(None, 2)
    own_options = full[1].split(",") if full[1] else options or []
    return key, {"enc": own_enc, "comment": words[0] if words else comment, "options": own_options}


FUNCTIONS: Final = placed(by_name(absent, manage, present, make_only=("paths",)), "user", "config")
