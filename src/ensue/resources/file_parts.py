"""Reading a long file of a target in parts; each is a request of its own, and nothing stays open.

Each part comes with the marks of the file at that moment; a file that changes meanwhile is refused.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

PART_BYTES: Final = 2 << 20
"""So much of a long file is read at once; a number of whole MiB."""


class FilePart(NamedTuple):
    """A part of a file.

    Args:
        content: what is in it.
        marks: what tells whether the file is still the same (size, time of change).
        is_last: whether the file ends with it.
    """

    content: bytes
    marks: tuple[str, ...]
    is_last: bool


async def all_parts(read: Callable[[int, FilePart | None], Awaitable[FilePart]]) -> AsyncGenerator[bytes]:
    """Yield the content of a file.

    Args:
        read: returns the part that begins at a place; it is given the part before, too.
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
    """Return a part that was read.

    Args:
        content: what was read.
        marks: the marks of the file.
        size_bytes: its size; 0 also for those files of /proc that have content all the same.
        at: where the part begins.
        before: the part before.

    Raises:
        OSError: the file has changed since, or the part is not whole.
    """
    is_last = at + len(content) >= size_bytes
    if (before is not None and marks != before.marks) or not (is_last or len(content) == PART_BYTES):
        raise OSError(errno.EBUSY, "it changes while it is read")
    return FilePart(content, marks, is_last)
