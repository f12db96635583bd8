"""Reads small configuration files of the target as text, and replaces single lines.

The calling module interprets the lines. Bytes that are not UTF-8 are preserved.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ensue.core.model.file_lines import file_lines

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def text_of(ctx: FunctionContext, path: str) -> str | None:
    """Return a file's text, None if there is no such file.

    Args:
        path: an absolute path on the target.

    Raises:
            RemoteFileError: the file cannot be read.
    """
    file_stat = await ctx.connection.stat(path, follow=True)
    if file_stat is None or file_stat.kind != "file":
        return None
    return (await ctx.connection.read(path)).decode("utf-8", "surrogateescape")


async def write_text(ctx: FunctionContext, path: str, text: str, *, mode: int | None = None) -> None:
    """Replace a file's text.

    Args:
        path: an absolute path on the target.
        text: the new content.
        mode: its permission bits; None keeps those of an existing file.

    Raises:
        RemoteFileError: the file cannot be written.
    """
    await ctx.connection.write(path, text.encode("utf-8", "surrogateescape"), mode=mode)


def with_line(text: str, pattern: str, line: str) -> str:
    """Return a text in which a line replaces those that match, or is appended if none does.

    Args:
        text: the lines.
        pattern: a regular expression, tried at the beginning of each line.
        line: the new line, without a line end.
    """
    lines = file_lines(text)
    matching = [place for place, old in enumerate(lines) if re.match(pattern, old)]
    kept = [line if place in matching[:1] else old for place, old in enumerate(lines)
            if place not in matching[1:]]  # fmt: skip
    return "".join(f"{each}\n" for each in (kept if matching else [*lines, line]))
