"""Writing content into a new file of this machine that only its owner may read, in chunks when it is long."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from ensue.contracts.content import Content


async def write_private(path: Path, content: Content) -> None:
    """Write a new file, and make its folder where that is not there; what is written in part is removed.

    Args:
        path: where it goes; nothing may be there.
        content: what it is to hold.

    Raises:
        OSError: something is there, the content cannot be read, or the file cannot be written.
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
        path.unlink(missing_ok=True)  # noqa: ASYNC240 (one call, nothing to wait for)
        raise


def _made(path: Path) -> BinaryIO:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    return os.fdopen(descriptor, "wb")
