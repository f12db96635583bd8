"""Authorized keys of users: edits `authorized_keys` line by line, and keeps lines that are not keys.

Args:
    config: the path of the file, as in `AuthorizedKeysFile`.
    key: the key, in base64.
    source: the file with the keys, `salt://…`, http(s), or a path of the managing minion.
    saltenv: the environment of `source`.
    enc: its type (`ssh-ed25519`).
    comment: the comment after the key.
    options: the options before the key.

Source: Salt's execution module `ssh`, 3008: names, return values, and when two lines are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._text_files import text_of
from ensue.library.modules.ssh.key_line import KeyLine, fingerprint, key_type, read_keys, read_line
from ensue.library.modules.ssh.places import authorized_keys_path, write_user_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

CONFIG: Final = ".ssh/authorized_keys"
"""The path of the authorized keys below the home folder."""


async def auth_keys(
    ctx: FunctionContext,
    user: str | list[str] | None = None,
    config: str = CONFIG,
    fingerprint_hash_type: str | None = None,
) -> DataMap:
    """Return a user's authorized keys, by key; for several users a mapping of users to these.

    Args:
        user: one user, or a list; None for all.
        fingerprint_hash_type: `sha256`, `md5`, …
    """
    if isinstance(user, str):
        return _described(await _present(ctx, user, config), fingerprint_hash_type)
    keys_by_file: DataMap = {}
    for each in user or await ctx.call("user.list_users"):
        if keys := await _present(ctx, each, config):
            keys_by_file[each] = _described(keys, fingerprint_hash_type)
    return keys_by_file


async def check_key(
    ctx: FunctionContext,
    user: str,
    key: str,
    enc: str,
    comment: str,
    options: Sequence[str] | None,
    config: str = CONFIG,
    **kwargs: Any,
) -> str:
    """Return what is needed to authorize a key: `add`, `update`, or `exists` for nothing.

    Example:
        ensue call '*' ssh.check_key app AAAAC3Nz ssh-ed25519 app@laptop '[]'

    Raises:
        StateFailedError: the key type is unknown.
    """
    new_line = _wanted(key, enc, comment, options)
    there = (await _present(ctx, user, config)).get(key)
    if there is None:
        return "add"
    return "exists" if there == new_line else "update"


async def check_key_file(
    ctx: FunctionContext, user: str, source: str, config: str = CONFIG, saltenv: str = "base", **kwargs: Any
) -> dict[str, str]:
    """Return for each key of a file what is needed to authorize it: `add`, `update` or `exists`.

    Example:
        ensue call '*' ssh.check_key_file deploy salt://keys/alice.pub
    """
    there = await _present(ctx, user, config)
    keys = await source_keys(ctx, source, saltenv)
    return {
        key: "add" if key not in there else "exists" if there[key] == line else "update"
        for key, line in keys.items()
    }


async def set_auth_key(
    ctx: FunctionContext,
    user: str,
    key: str,
    enc: str = "ssh-rsa",
    comment: str = "",
    options: Sequence[str] | None = None,
    config: str = CONFIG,
    **kwargs: Any,
) -> str:
    """Authorize a key to log in as a user.

    Example:
        ensue call '*' ssh.set_auth_key deploy roles

    Returns:
        `new`, `replace` or `no change`; `invalid` if it is not a key, `fail` if the user or the home folder
        does not exist.

    Raises:
        StateFailedError: the key type is unknown.
        RemoteFileError: the file cannot be read or written.
    """
    if len(key.split()) != 1 or fingerprint(key) is None:
        return "invalid"
    if not await ctx.call("user.info", user):
        return "fail"
    new_line = _wanted(key, enc, comment, options)
    path = await authorized_keys_path(ctx, user, config)
    text = await text_of(ctx, path) or ""
    there = read_keys(text).get(key)
    if there == new_line:
        return "no change"
    lines = [new_line.text() if _holds(line, key) else line for line in file_lines(text)]
    try:
        await _write(ctx, user, path, lines if there else [*lines, new_line.text()])
    except StateFailedError:
        return "fail"
    return "replace" if there else "new"


async def set_auth_key_from_file(
    ctx: FunctionContext, user: str, source: str, config: str = CONFIG, saltenv: str = "base", **kwargs: Any
) -> str:
    """Authorize all keys of a file to log in as a user; returns `new`, `replace`, `no change` or `fail`.

    Args:
        **kwargs: `options`, the options before each key instead of those in the file; others have no effect.

    Example:
        ensue call '*' ssh.set_auth_key_from_file deploy salt://keys/alice.pub
    """
    options: Sequence[str] | None = kwargs.get("options")
    words = [
        await set_auth_key(ctx, user, line.key, line.enc, line.comment, options or [line.options], config)
        for line in (await source_keys(ctx, source, saltenv)).values()
    ]
    return next((word for word in ("invalid", "fail", "replace", "new") if word in words), "no change")


async def rm_auth_key(ctx: FunctionContext, user: str, key: str, config: str = CONFIG, **kwargs: Any) -> str:
    """Remove one of a user's authorized keys; returns `Key removed` or `Key not present`.

    Example:
        ensue call '*' ssh.rm_auth_key deploy roles
    """
    if key not in await _present(ctx, user, config):
        return "Key not present"
    path = await authorized_keys_path(ctx, user, config)
    lines = file_lines(await text_of(ctx, path) or "")
    await _write(ctx, user, path, [line for line in lines if not _holds(line, key)])
    return "Key removed"


async def rm_auth_key_from_file(
    ctx: FunctionContext, user: str, source: str, config: str = CONFIG, saltenv: str = "base", **kwargs: Any
) -> str:
    """Remove all keys of a file from a user's authorized keys; returns `Key removed` or `Key not present`.

    Example:
        ensue call '*' ssh.rm_auth_key_from_file deploy salt://keys/alice.pub
    """
    keys = await source_keys(ctx, source, saltenv)
    words = [await rm_auth_key(ctx, user, key, config) for key in keys]
    return "Key removed" if "Key removed" in words else "Key not present"


async def source_keys(ctx: FunctionContext, source: str, saltenv: str = "base") -> dict[str, KeyLine]:
    """Return the keys in a source file.

    Raises:
        StateFailedError: the source does not exist, or contains no keys.
    """
    keys = read_keys((await ctx.files.read(source, saltenv=saltenv)).decode("utf-8", "replace"))
    if not keys:
        raise StateFailedError(f"No keys detected in {source}. Is file properly formatted?")
    return keys


async def _present(ctx: FunctionContext, user: str, config: str) -> dict[str, KeyLine]:
    try:
        path = await authorized_keys_path(ctx, user, config)
    except StateFailedError:  # a user who does not exist has no keys
        return {}
    return read_keys(await text_of(ctx, path) or "")


async def _write(ctx: FunctionContext, user: str, path: str, lines: Sequence[str]) -> None:
    await write_user_file(ctx, path, "".join(f"{line}\n" for line in lines), user)


def _holds(line: str, key: str) -> bool:
    parsed = read_line(line)
    return parsed is not None and parsed.key == key


def _wanted(key: str, enc: str, comment: str, options: Sequence[str] | None) -> KeyLine:
    words = " ".join(comment.split())
    return KeyLine(key=key, enc=key_type(enc), comment=words, options=",".join(filter(None, options or [])))


def _described(keys: dict[str, KeyLine], hash_type: str | None) -> DataMap:
    return {
        key: {
            "enc": line.enc,
            "comment": line.comment,
            "options": [*line.options.split(",")] if line.options else [],
            "fingerprint": fingerprint(key, hash_type),
        }
        for key, line in keys.items()
    }
