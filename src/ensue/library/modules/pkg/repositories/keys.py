"""Fetches the signing keys of apt repositories and installs them where apt looks for them.

Source: apt-secure(8), apt-key(8) ("DEPRECATION"); RFC 9580, "ASCII Armor".
"""

from __future__ import annotations

import base64
import binascii
import posixpath
import re
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

TRUSTED: Final = "/etc/apt/trusted.gpg.d"
"""The folder of keys that apt trusts for any repository."""

_MODE: Final = 0o644
_ARMOUR: Final = re.compile(
    rb"-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[^\r\n:]+: [^\r\n]*\r?\n)*\r?\n?"
    rb"(?P<body>[A-Za-z0-9+/=\s]+?)(?:\r?\n=[A-Za-z0-9+/]{4})?\s*-----END PGP PUBLIC KEY BLOCK-----"
)
_SLUG: Final = re.compile(r"[^A-Za-z0-9]+")


async def install_key(ctx: FunctionContext, content: bytes, path: str) -> None:
    """Write a key file, in the format that its name requires.

    Args:
        content: the key, armoured or not.
        path: the file; `.asc` stands for an armoured key.

    Raises:
        StateFailedError: the content is not a key.
        RemoteFileError: the file cannot be written.
    """
    data = content if path.endswith(".asc") else _plain(content)
    key_stat = await ctx.connection.stat(path, follow=True)
    if key_stat is not None and await ctx.connection.read(path) == data:
        return
    await ctx.connection.make_directory(posixpath.dirname(path), parents=True)
    await ctx.connection.write(path, data, mode=_MODE)


async def fetched_key(ctx: FunctionContext, keyid: str, keyserver: str) -> bytes:
    """Fetch a key from a key server, on the managing minion.

    Raises:
        StateFailedError: the server has no key with that id, or cannot be reached.
    """
    digits = keyid.removeprefix("0x")
    if not re.fullmatch(r"[0-9A-Fa-f]{8,64}", digits):
        raise StateFailedError(f"{keyid!r} is not a key id")
    scheme, _, host = keyserver.rpartition("://")
    where = f"http://{host}" if scheme in {"hkp", "http"} else f"https://{host}"
    if scheme == "hkp" and ":" not in host:
        where += ":11371"
    return await ctx.files.read(f"{where}/pks/lookup?op=get&options=mr&search=0x{digits}")


def key_path(name: str, content: bytes) -> str:
    """Return the path for a key whose repository does not specify a file."""
    suffix = "asc" if content.lstrip().startswith(b"-----BEGIN") else "gpg"
    return f"{TRUSTED}/{_SLUG.sub('-', name).strip('-').lower()}.{suffix}"


def _plain(content: bytes) -> bytes:
    blocks = [match["body"] for match in _ARMOUR.finditer(content)]
    if not blocks:
        if content.lstrip().startswith(b"-----BEGIN") or content.lstrip()[:1] == b"<":
            raise StateFailedError("the downloaded file is not an OpenPGP public key")
        return content
    try:
        return b"".join(base64.b64decode(b"".join(block.split())) for block in blocks)
    except binascii.Error as error:
        raise StateFailedError("the armour of the key is broken") from error
