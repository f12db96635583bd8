"""The sources of the `cp` functions: their content, and their paths in a cache."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.content import SourceContent
    from ensue.core.contracts.context import FunctionContext

SALT: Final = "salt://"
"""The prefix of a source in the file roots."""


async def content_of(ctx: FunctionContext, source: str, saltenv: str = "") -> bytes | None:
    """Return the content of a source, None if it does not exist."""
    try:
        return await ctx.files.read(source, saltenv=saltenv)
    except StateFailedError:
        return None


async def opened(ctx: FunctionContext, source: str, saltenv: str = "") -> SourceContent | None:
    """Return the content of a source, in chunks if it is long; None if it does not exist."""
    try:
        return await ctx.files.open(source, saltenv=saltenv)
    except StateFailedError:
        return None


def relative_path(source: str, saltenv: str = "") -> str:
    """Return the path of a source's copy, relative to the cache folder.

    Raises:
        StateFailedError: the path leads out of the folder.
    """
    parts = urlsplit(source)
    if source.startswith(SALT):
        path, _, query = source.removeprefix(SALT).partition("?")
        environment = parse_qs(query).get("saltenv", [saltenv or "base"])[0]
        place = f"files/{environment}/{path}"
    elif parts.scheme in {"http", "https", "ftp"}:
        query = f"-{parts.query}" if parts.query else ""
        place = f"extrn_files/{saltenv or 'base'}/{parts.hostname}{parts.path}{query.replace('/', '_')}"
    else:
        place = f"localfiles/{source.removeprefix('file://').lstrip('/')}"
    if ".." in place.split("/"):
        raise StateFailedError(f"the source {source} leads out of its folder")
    return posixpath.normpath(place)
