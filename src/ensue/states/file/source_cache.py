"""The copies of sources that ensue keeps below the project's cachedir, on the managing minion.

They lie where Salt keeps its own below `cachedir`: `files/ENVIRONMENT/…` for `salt://`, and for the network
`extrn_files/ENVIRONMENT/HOST/…`. They may hold secrets, so that only their owner may read them.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from ensue.errors import StateFailedError
from ensue.files.local_content import LocalDigests
from ensue.states.file.private_copies import write_private

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.contracts.content import Content, SourceContent
    from ensue.contracts.context import FunctionContext


def copy_of(ctx: FunctionContext, source: str, saltenv: str) -> Path:
    """Return the path of a source's copy, whether it is there or not.

    Args:
        ctx: the target.
        source: `salt://…` or a URL.
        saltenv: the environment of a source that names none.

    Raises:
        StateFailedError: the source would lead out of the cache.
    """
    parts = urlsplit(source)
    environment = parse_qs(parts.query).get("saltenv", [saltenv])[0]
    if parts.scheme == "salt":
        inside = PurePosixPath("files", environment, parts.netloc, parts.path.lstrip("/"))
    else:
        # Two URLs that differ in what is asked alone are two files.
        query = hashlib.sha256(parts.query.encode()).hexdigest()[:16] if parts.query else ""
        host = parts.hostname or "-"
        path = parts.path.lstrip("/") + (f"-{query}" if query else "")
        inside = PurePosixPath("extrn_files", environment, host, path)
    if ".." in inside.parts or inside.is_absolute():
        raise StateFailedError(f"{source} leads out of the cache")
    return ctx.cache_dir / inside


async def opened(path: Path) -> SourceContent | None:
    """Return what a copy holds, in chunks when it is long; None when there is none."""
    try:
        return await LocalDigests().content(path)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None


async def keep(path: Path, content: Content, *, cache_dir: Path) -> None:
    """Write a copy, as a whole or not at all.

    Args:
        path: where it is kept, below the cachedir.
        content: what it holds.
        cache_dir: the cachedir; what a killed process leaves of a copy is there, where an apply removes it.

    Raises:
        StateFailedError: it cannot be written.
    """
    try:
        await _write(path, content, cache_dir)
    except OSError as error:
        raise StateFailedError(f"{path} cannot be written: {error.strerror}") from None


async def forget(path: Path) -> None:
    """Remove a copy.

    Raises:
        StateFailedError: it cannot be removed.
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
