"""The content of files: `read`, `contains`, `search`, `grep`, `seek_read`.

Args:
    path: the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.connection import Command
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def read(ctx: FunctionContext, path: str, binary: bool = False) -> str | bytes:
    """Return a file's content.

    Args:
        binary: return bytes; otherwise the content must be UTF-8.

    Example:
        ensue call '*' file.read /etc/motd

    Raises:
        StateFailedError: the content is not UTF-8.
    """
    content = await ctx.connection.read(path)
    if binary:
        return content
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        message = f"{path} on {ctx.srn} is not UTF-8 (at byte {error.start}); read it with binary=True"
        raise StateFailedError(message) from None


async def contains(ctx: FunctionContext, path: str, text: str) -> bool:
    """Return whether a file contains a text, without blanks at its ends; False if there is no such file.

    Args:
        text: the text.

    Example:
        ensue call '*' file.contains /etc/motd welcome
    """
    content = await _content(ctx, path)
    return content is not None and str(text).strip().encode() in content


async def contains_regex(ctx: FunctionContext, path: str, regex: str, lchar: str = "") -> bool:
    """Return whether a pattern matches in a line of a file; False if there is no such file.

    Args:
        regex: the pattern.
        lchar: characters to strip from the start of each line first.

    Example:
        ensue call '*' file.contains_regex /etc/motd '^welcome'
    """
    pattern = _compiled(regex, 0)
    content = await _content(ctx, path) or b""
    lines = file_lines(content.decode("utf-8", "replace"), keepends=True)
    return any(pattern.search(line.lstrip(lchar) if lchar else line) for line in lines)


async def search(
    ctx: FunctionContext, path: str, pattern: str, multiline: bool = False, **kwargs: Any
) -> bool:
    """Return whether a pattern matches anywhere in a file.

    Args:
        pattern: the pattern.
        multiline: has no effect; `^` and `$` always match at lines, as in Salt.
        **kwargs: `ignore_if_missing` to return False if there is no such file.

    Example:
        ensue call '*' file.search /etc/motd welcome
    """
    del multiline
    if kwargs.get("ignore_if_missing") and await ctx.connection.stat(path, follow=True) is None:
        return False
    text = (await ctx.connection.read(path)).decode("utf-8", "surrogateescape")
    return _compiled(pattern, re.MULTILINE).search(text) is not None


async def grep(ctx: FunctionContext, path: str, pattern: str, *opts: str) -> DataMap:
    """Run grep on the target and return what `cmd.run_all` returns.

    Args:
        pattern: the pattern, in grep's syntax.
        *opts: options of grep.

    Example:
        ensue call '*' file.grep /etc/motd welcome
    """
    split = [word for option in opts for word in option.split()]
    done = await ctx.connection.run(Command(argv=["grep", *split, "--", pattern, path]))
    return {
        "pid": done.pid,
        "retcode": done.returncode,
        "stdout": done.stdout.decode("utf-8", "replace").rstrip(),
        "stderr": done.stderr.decode("utf-8", "replace").rstrip(),
    }


async def seek_read(ctx: FunctionContext, path: str, size: int, offset: int) -> bytes:
    """Return a number of bytes of a file, starting at an offset.

    Args:
        size: how many bytes to read.
        offset: where to begin, in bytes.

    Example:
        ensue call '*' file.seek_read /etc/motd 100 0
    """
    return (await ctx.connection.read(path))[int(offset) : int(offset) + int(size)]


async def _content(ctx: FunctionContext, path: str) -> bytes | None:
    status = await ctx.connection.stat(path, follow=True)
    return None if status is None or status.kind != "file" else await ctx.connection.read(path)


def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise StateFailedError(f"{pattern!r} is not a regular expression: {error}") from None


OFFERED: Final[dict[str, Callable[..., Any]]] = {
    "contains": contains,
    "contains_regex": contains_regex,
    "grep": grep,
    "read": read,
    "search": search,
    "seek_read": seek_read,
}
