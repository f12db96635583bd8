"""Writes content to a new file of this machine that only its owner may read."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from ensue.core.contracts.content import Content


async def write_private(path: Path, content: Content) -> None:
    """Write a new file that only its owner may read, and create its folder; remove the file if that fails.

    Args:
        path: the file, which must not exist.
        content: its content; long content is written in chunks.

    Raises:
        OSError: the path exists, the content cannot be read, or the file cannot be written.
    """
    file = await asyncio.to_thread(_made, path)
    try:
        with file:
            if isinstance(content, bytes):
                await asyncio.to_thread(file.write, content)
                return
            async with aclosing(content.chunks()) as chunks:
                async for chunk in chunks:
                    await asyncio.to_thread(file.write, chunk)
    except BaseException:
        path.unlink(missing_ok=True)  # noqa: ASYNC240 (a single call, which does not wait)
        raise


def _made(path: Path) -> BinaryIO:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    return os.fdopen(descriptor, "wb")
