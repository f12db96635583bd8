"""Repairs and writes PEM, whose lines may have been joined into one in pillar or the mine.

Source: Salt's execution module `x509_v2`, 3008: arguments and return values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError
from ensue.library.modules._text_files import text_of
from ensue.library.modules.x509.finding import matching
from ensue.reach.certificates.sources import bytes_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_LINE_CHARS: Final = 64


async def get_pem_entry(ctx: FunctionContext, text: str, pem_type: str | None = None) -> str:
    """Return the first PEM entry of a text, with correct line breaks; a private key is masked.

    Args:
        text: PEM, or a path of the target.
        pem_type: only an entry of this type (`CERTIFICATE`), as a regular expression.

    Example:
        ensue call '*' x509.get_pem_entry hello

    Raises:
        StateFailedError: there is no such entry.
    """
    content = (await bytes_of(ctx, text)).decode("utf-8", "replace").replace("\\n", "\n")
    kind = pem_type or "[0-9A-Z ]+"
    match = re.search(
        rf"-----BEGIN (?P<kind>{kind})-----\s*(?P<proc>Proc-Type: 4,ENCRYPTED)?\s*(?P<dek>DEK-Info: \S+)?"
        r"(?P<body>[^-]+)-----END (?P=kind)-----",
        content,
    )
    if match is None:
        raise StateFailedError(
            f"PEM does not contain a single entry of type {pem_type}" if pem_type else "PEM text not valid"
        )
    body = "".join(match["body"].split())
    lines = [each for each in (match["proc"],) if each]
    lines += [match["dek"], ""] if match["dek"] else []
    lines += [body[place : place + _LINE_CHARS] for place in range(0, len(body), _LINE_CHARS)]
    whole = "\n".join([f"-----BEGIN {match['kind']}-----", *lines, f"-----END {match['kind']}-----", ""])
    if "PRIVATE" in match["kind"]:
        ctx.masker.add(whole)
    return whole


async def get_pem_entries(ctx: FunctionContext, glob_path: str) -> dict[str, str]:
    """Return the first PEM entry of each file that matches a pattern, by path; other files are left out.

    Args:
        glob_path: a path with `*`, `?` and `[…]`.

    Example:
        ensue call '*' x509.get_pem_entries '/etc/ssl/*.crt'
    """
    entries: dict[str, str] = {}
    for path in await matching(ctx, glob_path):
        try:
            entries[path] = await get_pem_entry(ctx, path)
        except StateFailedError:
            continue
    return entries


async def write_pem(
    ctx: FunctionContext, text: str, path: str, overwrite: bool = True, pem_type: str | None = None
) -> str:
    """Write a PEM entry to a file that only its owner can read.

    Args:
        text: PEM, or a path of the target.
        path: the file to write.
        overwrite: for a certificate, False keeps a private key and DH parameters in the file.
        pem_type: only an entry of this type.

    Example:
        ensue call '*' x509.write_pem hello /etc/motd

    Raises:
        StateFailedError: there is no such entry.
    """
    entry = await get_pem_entry(ctx, text, pem_type)
    before, after = "", ""
    there = await text_of(ctx, path)
    if there is not None and pem_type == "CERTIFICATE" and not overwrite:
        before = await _kept(ctx, there, "(?:RSA )?PRIVATE KEY")
        after = await _kept(ctx, there, "DH PARAMETERS")
    if not ctx.test:
        content = f"{before}{entry}{after}".encode()
        await ctx.connection.write(path, content, mode=None if there is not None else 0o600)
    return f"PEM written to {path}"


async def _kept(ctx: FunctionContext, text: str, kind: str) -> str:
    try:
        return await get_pem_entry(ctx, text, kind)
    except StateFailedError:
        return ""
