"""The content of folders: `readdir` and `find`."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from ensue.core.contracts.connection import FileKind, FileStat
    from ensue.core.contracts.context import FunctionContext

_TYPES: Final[dict[str, FileKind]] = {
    "f": "file",
    "d": "directory",
    "l": "symlink",
    "b": "block",
    "c": "character",
    "p": "fifo",
    "s": "socket",
}
_LETTERS: Final = {kind: letter for letter, kind in _TYPES.items()}
_PRINTABLE: Final = ("path", "name", "type", "size", "mode", "mtime", "user", "group", "md5")


async def readdir(ctx: FunctionContext, path: str) -> list[str]:
    """Return the names in a folder, `.` and `..` first.

    Args:
        path: the folder.

    Example:
        ensue call '*' file.readdir /etc

    Raises:
        StateFailedError: the path is not a folder, or not absolute.
    """
    if not posixpath.isabs(path):
        raise StateFailedError("Dir path must be absolute.")
    status = await ctx.connection.stat(path, follow=True)
    if status is None or status.kind != "directory":
        raise StateFailedError(f"A valid directory was not specified: {path}")
    return [".", "..", *await ctx.connection.list_directory(path)]


async def find(ctx: FunctionContext, path: str, **kwargs: Any) -> list[Any]:
    """Return the matching paths below a folder, including the folder itself, sorted.

    Args:
        path: the folder to begin in.
        **kwargs: `name` and `iname` (globs for the last part of the path), `regex` and `iregex`
            (for the whole path), `type` (letters `f d l b c p s`; of a link that of what it leads to, and `l`
            is one that leads nowhere), `maxdepth`, `mindepth`, `owner`, `group`; `print` (words such as
            `name,size`: `path name type size mode mtime user group md5`).

    Example:
        ensue call '*' file.find /var/log

    Returns:
        With `print`, the values that it names instead of each path: one value, or a list of several.

    Raises:
        StateFailedError: a criterion is unknown.
    """
    words = _printed_words(kwargs.pop("print", None))
    criteria = _Criteria(kwargs)
    fitting = [
        (each, status)
        async for each, status, depth in _walk(ctx, path, 0, criteria)
        if criteria.fit(each, status, depth)
    ]
    fitting.sort(key=lambda match: match[0])
    if not words:
        return [each for each, _ in fitting]
    printed = [[await _printed(ctx, word, each, status) for word in words] for each, status in fitting]
    return [values[0] for values in printed] if len(words) == 1 else printed


def _printed_words(given: Any) -> list[str]:
    words = [word.strip() for word in str(given or "").split(",") if word.strip()]
    if unknown := sorted({*words} - {*_PRINTABLE}):
        raise StateFailedError(
            f"file.find cannot print {', '.join(unknown)} (it can print: {', '.join(_PRINTABLE)})"
        )
    return words


async def _printed(ctx: FunctionContext, word: str, path: str, status: FileStat) -> Any:
    if word == "md5":
        return await ctx.connection.checksum(path, "md5") or "" if status.kind == "file" else ""
    values = {
        "path": path,
        "name": posixpath.basename(path),
        "type": _LETTERS[status.kind],
        "size": status.size_bytes,
        # Salt prints a mode as a decimal number with its octal digits.
        "mode": int(f"{status.mode & 0o777:o}"),
        "mtime": status.mtime_s,
        "user": status.user,
        "group": status.group,
    }
    return values[word]


class _Criteria:
    """The criteria of `find`."""

    _KNOWN: Final = frozenset(
        {"name", "iname", "regex", "iregex", "type", "maxdepth", "mindepth", "owner", "group"}
    )

    def __init__(self, given: dict[str, Any]) -> None:
        unknown = sorted(set(given) - self._KNOWN)
        if unknown:
            known = ", ".join(sorted(self._KNOWN))
            raise StateFailedError(f"file.find has no criterion {', '.join(unknown)} (it has: {known})")
        self._given = given
        self._kinds = {_TYPES[letter] for letter in str(given.get("type", "")) if letter in _TYPES}
        self._patterns = [
            re.compile(fnmatch.translate(str(given[word])), flags)
            for word, flags in (("name", 0), ("iname", re.IGNORECASE))
            if word in given
        ]
        self._regexes = [
            re.compile(str(given[word]), flags)
            for word, flags in (("regex", 0), ("iregex", re.IGNORECASE))
            if word in given
        ]

    def descend(self, depth: int) -> bool:
        """Return whether to descend into a folder at this depth."""
        deepest = self._given.get("maxdepth")
        return deepest is None or depth < int(deepest)

    def fit(self, path: str, status: FileStat, depth: int) -> bool:
        """Return whether a path matches all criteria."""
        name = posixpath.basename(path)
        return (
            depth >= int(self._given.get("mindepth", 0))
            and (not self._kinds or status.kind in self._kinds)
            and all(pattern.match(name) for pattern in self._patterns)
            and all(regex.search(path) for regex in self._regexes)
            and self._given.get("owner", status.user) == status.user
            and self._given.get("group", status.group) == status.group
        )


async def _walk(
    ctx: FunctionContext, path: str, depth: int, criteria: _Criteria
) -> AsyncIterator[tuple[str, FileStat, int]]:
    """Yield what is below a path, with what a link leads to, or the link itself if it leads nowhere.

    Only the link that the walk begins at is entered.
    """
    status = await ctx.connection.stat(path)
    if status is None:
        return
    meant = status
    if status.kind == "symlink":
        meant = await ctx.connection.stat(path, follow=True) or status
    yield path, meant, depth
    is_entered = (status.kind if depth else meant.kind) == "directory"
    if not is_entered or not criteria.descend(depth):
        return
    for name in await ctx.connection.list_directory(path):
        async for below in _walk(ctx, posixpath.join(path, name), depth + 1, criteria):
            yield below


OFFERED: Final[dict[str, Callable[..., Any]]] = {"find": find, "readdir": readdir}
