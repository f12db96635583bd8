"""`file.tidied`: removes files below a folder by age, size or name.

Source: Salt's state module `file`, 3008, without two of its bugs: without `size`, only the age decides, while
Salt treats every file as big enough; and a folder is removed only if everything in it is.
"""

from __future__ import annotations

import posixpath
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import reads_paths
from ensue.core.errors import MissingOnTargetError, StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.returns import StateReturn
from ensue.library.states._sizes import read_size
from ensue.library.states.file.described import owner_state
from ensue.library.states.file.paths import target_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.connection import Connection, FileStat
    from ensue.core.contracts.context import StateContext

_TIMES: Final = ("atime", "mtime")


@reads_paths(always_below=True)
async def tidied(
    ctx: StateContext,
    name: str,
    age: int = 0,
    matches: list[str] | None = None,
    rmdirs: bool = False,
    size: int | str = 0,
    exclude: list[str] | None = None,
    full_path_match: bool = False,
    followlinks: bool = False,
    time_comparison: str = "atime",
    age_size_logical_operator: str = "OR",
    age_size_only: str | None = None,
    rmlinks: bool = True,
) -> StateReturn:
    r"""Remove files below a folder that are too old or too big.

    Args:
        name: absolute path of the folder.
        age: days since the last access; files at least this old are removed.
        matches: regular expressions; one of them must match the beginning of the name.
        rmdirs: also remove folders, with everything in them.
        size: bytes, or a number with a unit; files at least this big are removed.
        exclude: regular expressions of names to keep.
        full_path_match: match whole paths instead of names.
        followlinks: look into folders that symlinks point to.
        time_comparison: `atime`, or `mtime` to count days since the last modification.
        age_size_logical_operator: `OR`, or `AND` to remove only what is both old and big.
        age_size_only: `age` or `size`: consider only this one.
        rmlinks: also remove symlinks.

    Example:
        /var/log/app:
          file.tidied:
            - age: 30
            - matches: ['.*\.log\.gz']
            - rmdirs: true

    Returns:
        `changes` has `removed`, a list of paths; `new_state` has `path mode user group`.

    Raises:
        StateFailedError: the path is not a folder, or an argument is invalid.
    """
    path = await target_path(ctx, name)
    status = await ctx.connection.stat(path, follow=True)
    if status is None or status.kind != "directory":
        raise MissingOnTargetError(f"{path} does not exist or is not a directory.", missing=path)
    rules = _RemovalRules(
        is_due=_due(age, read_size("size", size), age_size_logical_operator, age_size_only),
        is_named=_named(matches, exclude),
        by_path=full_path_match,
        by_change=_word("time_comparison", time_comparison, _TIMES) == "mtime",
        folders=rmdirs,
        links=rmlinks,
    )
    search = _Search(connection=ctx.connection, rules=rules, follow=followlinks)
    await search.look_into(path)
    new_state = {"path": path, **owner_state(status)}
    if not search.doomed:
        return StateReturn.unchanged(name, f"Nothing to remove from directory {path}", new_state)
    if ctx.test:
        changes: dict[str, Any] = {"removed": [*search.doomed]}
        return StateReturn.planned(name, f"{path} is set for tidy", changes)
    for each in search.doomed:
        await ctx.connection.remove(each, recursive=True)
    return StateReturn.changed(
        name,
        f"Removed {len(search.doomed)} files or directories from directory {path}",
        {"removed": [*search.doomed]},
        new_state,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _RemovalRules:
    """Which files and folders are removed.

    Args:
        is_due: decides on age in days and size in bytes.
        is_named: decides on the name.
        by_path: match the whole path instead of the name.
        by_change: count days since the last modification, not the last access.
        folders: also remove folders.
        links: also remove symlinks.
    """

    is_due: Callable[[int, int], bool]
    is_named: Callable[[str], bool]
    by_path: bool
    by_change: bool
    folders: bool
    links: bool

    def dooms(self, path: str, status: FileStat) -> bool:
        """Return whether the rules remove this path, regardless of what is in it."""
        if (status.kind == "directory" and not self.folders) or (status.kind == "symlink" and not self.links):
            return False
        bytes_ = 0 if status.kind in {"directory", "symlink"} else status.size_bytes
        name = path if self.by_path else posixpath.basename(path)
        seconds = status.mtime_s if self.by_change else status.atime_s
        return self.is_due(_days_since(seconds), bytes_) and self.is_named(name)


@dataclass(slots=True, kw_only=True)
class _Search:
    """Searches a folder, the deepest level first."""

    connection: Connection
    rules: _RemovalRules
    follow: bool
    doomed: dict[str, None]

    def __init__(self, *, connection: Connection, rules: _RemovalRules, follow: bool) -> None:
        self.connection, self.rules, self.follow = connection, rules, follow
        self.doomed = {}

    async def look_into(self, folder: str) -> bool:
        """Collect what is to be removed below a folder; say whether that is everything in it."""
        entries: list[tuple[str, FileStat]] = []
        for each in await self.connection.list_directory(folder):
            path = posixpath.join(folder, each)
            status = await self.connection.stat(path)
            if status is not None:  # Removed by somebody in the meantime.
                entries.append((path, status))
        emptied = {path: await self._look_below(path, entries_) for path, entries_ in entries}
        for path, status in sorted(entries, key=lambda entry: entry[1].kind == "directory"):
            if emptied[path] and self.rules.dooms(path, status):
                self.doomed[path] = None
        return all(path in self.doomed for path, _ in entries)

    async def _look_below(self, path: str, status: FileStat) -> bool:
        """Return whether an entry contains nothing that must be kept."""
        if status.kind == "directory":
            return await self.look_into(path)
        if status.kind == "symlink" and self.follow:
            behind = await self.connection.stat(path, follow=True)
            if behind is not None and behind.kind == "directory":
                await self.look_into(path)
        return True


def _due(age: int, size: int, operator: str, only: str | None) -> Callable[[int, int], bool]:
    """Return the function that decides on age in days and size in bytes."""
    days = int(age)
    match _word("age_size_only", only, ("age", "size")) if only else "":
        case "age":
            return lambda old, _big: old >= days
        case "size":
            return lambda _old, big: big >= size
        case _:
            both = _word("age_size_logical_operator", operator, ("or", "and")) == "and"
    if both:
        return lambda old, big: old >= days and big >= size
    if not days or not size:
        # A limit that was not given fits every file, so it must not decide alone.
        return lambda old, big: old >= days and big >= size
    return lambda old, big: old >= days or big >= size


def _named(matches: Any, exclude: Any) -> Callable[[str], bool]:
    included, kept = _patterns("matches", matches or [".*"]), _patterns("exclude", exclude or [])

    def is_named(name: str) -> bool:
        return any(each.match(name) for each in included) and not any(each.match(name) for each in kept)

    return is_named


def _patterns(word: str, given: Any) -> list[re.Pattern[str]]:
    try:
        return [re.compile(str(each)) for each in (given if is_list(given) else [given])]
    except re.error as error:
        raise StateFailedError(f"{word}: {error.pattern!r} is not a regular expression: {error}") from None


def _word(argument: str, given: str, known: tuple[str, ...]) -> str:
    if str(given).lower() not in known:
        raise StateFailedError(f"{argument}: it takes one of {', '.join(known)}, not {given!r}")
    return str(given).lower()


def _days_since(seconds: float) -> int:
    """Return the number of calendar days from a time to now, in this machine's time zone."""
    today = datetime.fromtimestamp(time.time(), UTC).astimezone().date()
    return abs((today - datetime.fromtimestamp(seconds, UTC).astimezone().date()).days)
