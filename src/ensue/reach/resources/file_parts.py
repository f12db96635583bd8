"""Reads a long file of a target in parts; each is a separate request, and nothing stays open.

Each part comes with the size and time of the file at that moment; a file that changes meanwhile is refused.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

PART_BYTES: Final = 2 << 20
"""Size of a part, a multiple of 1 MiB."""


class FilePart(NamedTuple):
    """A part of a file.

    Args:
        content: its content.
        marks: size and modification time, which show whether the file is still the same.
        is_last: whether it is the last part.
    """

    content: bytes
    marks: tuple[str, ...]
    is_last: bool


async def all_parts(read: Callable[[int, FilePart | None], Awaitable[FilePart]]) -> AsyncGenerator[bytes]:
    """Yield the content of a file.

    Args:
        read: returns the part at an offset; its second argument is the previous part.
    """
    at, part = 0, None
    while part is None or not part.is_last:
        part = await read(at, part)
        if part.content:
            yield part.content
        at += len(part.content)


def checked_part(
    content: bytes, marks: tuple[str, ...], size_bytes: int, at: int, before: FilePart | None
) -> FilePart:
    """Return a part after checking it.

    Args:
        content: what was read.
        marks: the marks of the file.
        size_bytes: its size; 0 also for those files of /proc that have content all the same.
        at: where the part begins.
        before: the previous part.

    Raises:
        OSError: the file has changed since, or the part is incomplete.
    """
    is_last = at + len(content) >= size_bytes
    if (before is not None and marks != before.marks) or not (is_last or len(content) == PART_BYTES):
        raise OSError(errno.EBUSY, "it changes while it is read")
    return FilePart(content, marks, is_last)
