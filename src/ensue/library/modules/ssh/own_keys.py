"""The target's own keys: those of its SSH server and of its users."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from ensue.library.modules._text_files import text_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_HOST_KEY: Final = re.compile(r"ssh_host_(?P<type>.+?)_key(?P<public>(?P<cert>-cert)?\.pub)?")
_USER_KEYS: Final = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")


async def host_keys(
    ctx: FunctionContext, keydir: str | None = None, private: bool = True, certs: bool = True
) -> dict[str, str]:
    """Return the keys of the SSH server, by `rsa`, `rsa.pub`, `rsa-cert.pub` and so on.

    Args:
        keydir: their folder.
        private: include private keys; they are masked in everything that ensue writes.
        certs: include certificates.
    """
    folder = keydir or "/etc/ssh"
    keys: dict[str, str] = {}
    if await ctx.connection.stat(folder, follow=True) is None:
        return keys
    for name in await ctx.connection.list_directory(folder):
        match = _HOST_KEY.fullmatch(name)
        if match is None or (not match["public"] and not private) or (match["cert"] and not certs):
            continue
        text = (await text_of(ctx, posixpath.join(folder, name)) or "").strip()
        if text and not match["public"]:
            ctx.masker.add(text)
        keys[match["type"] + (match["public"] or "")] = text
    return keys


async def user_keys(
    ctx: FunctionContext,
    user: str | list[str] | None = None,
    pubfile: str | bool | None = None,
    prvfile: str | bool | None = None,
) -> dict[str, dict[str, str]]:
    """Return the keys of users, by user and by file.

    Args:
        user: one user, or a list; None for all.
        pubfile: the path of another public key; false for none.
        prvfile: the path of another private key; false for none. Private keys are masked in everything that
            ensue writes.
    """
    users = [user] if isinstance(user, str) else user or await ctx.call("user.list_users")
    public = (
        [pubfile]
        if isinstance(pubfile, str)
        else []
        if pubfile is False
        else [f"{key}.pub" for key in _USER_KEYS]
    )
    private = [prvfile] if isinstance(prvfile, str) else [] if prvfile is False else [*_USER_KEYS]
    keys: dict[str, dict[str, str]] = {}
    for each in users:
        home = (await ctx.call("user.info", each)).get("home")
        for name in [*public, *private] if home else []:
            text = await text_of(ctx, posixpath.join(home, ".ssh", name))
            if text is None:
                continue
            if name in private:
                ctx.masker.add(text.strip())
            keys.setdefault(each, {})[posixpath.basename(name)] = text.strip()
    return keys
