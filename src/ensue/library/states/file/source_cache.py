"""The copies of sources below the project's cachedir, on the managing minion.

The layout is Salt's: `files/ENVIRONMENT/…` for `salt://`, and `extrn_files/ENVIRONMENT/HOST/…` for the
network. Copies may contain secrets, so only their owner may read them.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from ensue.core.errors import StateFailedError
from ensue.core.files.local_content import LocalDigests
from ensue.library.states.file.private_copies import write_private

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.content import Content, SourceContent
    from ensue.core.contracts.context import FunctionContext


def copy_of(ctx: FunctionContext, source: str, saltenv: str) -> Path:
    """Return the path of a source's copy, whether it exists or not.

    Args:
        source: `salt://…` or a URL.
        saltenv: environment of a source that names none.

    Raises:
        StateFailedError: the path would be outside the cache.
    """
    parts = urlsplit(source)
    environment = parse_qs(parts.query).get("saltenv", [saltenv])[0]
    if parts.scheme == "salt":
        inside = PurePosixPath("files", environment, parts.netloc, parts.path.lstrip("/"))
    else:
        # URLs that differ only in their query are different files.
        query = hashlib.sha256(parts.query.encode()).hexdigest()[:16] if parts.query else ""
        host = parts.hostname or "-"
        path = parts.path.lstrip("/") + (f"-{query}" if query else "")
        inside = PurePosixPath("extrn_files", environment, host, path)
    if ".." in inside.parts or inside.is_absolute():
        raise StateFailedError(f"{source} leads out of the cache")
    return ctx.cache_dir / inside


async def opened(path: Path) -> SourceContent | None:
    """Return the content of a copy, in chunks if it is long; None if there is no copy."""
    try:
        return await LocalDigests().content(path)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None


async def keep(path: Path, content: Content, *, cache_dir: Path) -> None:
    """Write a copy atomically.

    Args:
        path: path of the copy, below the cachedir.
        content: its content.
        cache_dir: the cachedir, which has the temporary file: an apply removes what a killed process leaves.

    Raises:
        StateFailedError: the copy cannot be written.
    """
    try:
        await _write(path, content, cache_dir)
    except OSError as error:
        raise StateFailedError(f"{path} cannot be written: {error.strerror}") from None


async def forget(path: Path) -> None:
    """Remove a copy.

    Raises:
        StateFailedError: the copy cannot be removed.
    """
    try:
        await asyncio.to_thread(path.unlink)
    except OSError as error:
        raise StateFailedError(f"Failed to delete {path}: {error.strerror}") from None


async def _write(path: Path, content: Content, cache_dir: Path) -> None:
    for folder in reversed(path.parents):
        folder.mkdir(mode=0o700, exist_ok=True)
    temporary = cache_dir / f".copy.{os.getpid()}.{os.urandom(4).hex()}"
    try:
        await write_private(temporary, content)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
