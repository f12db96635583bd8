"""Replaces a file atomically with content that is read while it is written, chunk by chunk.

The event loop fetches the chunks, wherever they come from; threads write them.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from ensue.reach.resources.minion.atomic_write import dress, existing, open_new, temporary_beside, write_all
from ensue.reach.resources.threads import in_thread

if TYPE_CHECKING:
    from ensue.core.contracts.content import LongContent
    from ensue.reach.resources.minion.atomic_write import Noted, WriteRequest


async def write_in_chunks(request: WriteRequest, content: LongContent, noted: Noted) -> None:
    """Write a file atomically.

    Args:
        request: the file.
        content: its new content.
        noted: records the temporary file.

    Raises:
        OSError: the file cannot be written; nothing has changed.
    """
    old = existing(request.path)
    temporary = temporary_beside(request.path)
    with noted(temporary):
        descriptor = open_new(temporary)
        try:
            try:
                async for chunk in content.chunks():
                    await in_thread(partial(write_all, descriptor, chunk))
                await in_thread(partial(_finish, descriptor, request, old))
            finally:
                os.close(descriptor)
            os.replace(temporary, request.path)  # noqa: PTH105 (strings)
        except BaseException:
            os.unlink(temporary)  # noqa: PTH108 (a string)
            raise


def _finish(descriptor: int, request: WriteRequest, old: os.stat_result | None) -> None:
    dress(descriptor, request, old)
    os.fsync(descriptor)
