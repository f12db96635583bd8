"""`file.retention_schedule`: keeps the backups in a folder that a schedule names, and removes the others.

Source: Salt's state module `file`, 3008, including the choice of the backups that are kept.
"""

from __future__ import annotations

import posixpath
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import reads_paths
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.described import owner_state
from ensue.library.states.file.paths import target_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import tzinfo

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_ALL: Final = "all"
_PERIODS: Final = {
    "first_of_year": 1,
    "first_of_month": 2,
    "first_of_day": 3,
    "first_of_hour": 4,
    "most_recent": 6,
}
"""How many of year, month, day, hour, moment and name identify a period."""

_WEEK: Final = "first_of_week"
_NO_FILES: Final = (".", "..")
"""Salt lists these entries of a folder and reports them as ignored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Backup:
    """A backup in the folder.

    Args:
        name: file name.
        made: creation time, in the time zone of the schedule.
    """

    name: str
    made: datetime

    @property
    def by_day(self) -> tuple[Any, ...]:
        made = self.made
        return made.year, made.month, made.day, made.hour, made, self.name

    @property
    def by_week(self) -> tuple[Any, ...]:
        return self.made.year, self.made.isocalendar().week, self.made.weekday(), self.made, self.name


@reads_paths(always_below=True)
async def retention_schedule(
    ctx: StateContext,
    name: str,
    retain: DataMap,
    strptime_format: str | None = None,
    timezone: str | None = None,
) -> StateReturn:
    """Remove the backups in a folder that no rule keeps.

    Args:
        name: absolute path of the folder.
        retain: number of backups to keep, or `all`, by rule (`most_recent`, `first_of_hour`,
            `first_of_day`, `first_of_week`, `first_of_month`, `first_of_year`).
        strptime_format: format of the time in file names; files with other names are ignored. Without it,
            everything in the folder is a backup, made at the time of its last modification.
        timezone: time zone (`Europe/Berlin`) of that modification time; by default this machine's.

    Example:
        /var/backups/db:
          file.retention_schedule:
            - retain: {most_recent: 5, first_of_day: 7, first_of_month: all}
            - strptime_format: db-%Y-%m-%d.sql.gz

    Returns:
        `changes` has `retained`, `deleted` and `ignored`; `new_state` has `path mode user group`.

    Raises:
        StateFailedError: the path is not a folder, or a rule, number or time zone is invalid.
    """
    path = await target_path(ctx, name)
    status = await ctx.connection.stat(path, follow=True)
    if status is None or status.kind != "directory":
        raise StateFailedError("Name provided to file.retention must be a directory")
    rules = _rules(retain)
    names = await ctx.connection.list_directory(path)
    if strptime_format:
        backups = _named(names, strptime_format)
    else:
        backups = await _changed(ctx, path, names, _zone(timezone))
    kept = {each for rule, count in rules.items() for each in _kept(backups, rule, count)}
    there = {each.name for each in backups}
    deleted = sorted(there - kept, reverse=True)
    ignored = sorted({*names, *_NO_FILES} - there, reverse=True)
    changes: DataMap = {
        "retained": [*sorted(kept, reverse=True)],
        "deleted": [*deleted],
        "ignored": [*ignored],
    }
    new_state: DataMap = {"path": path, **owner_state(status)}
    if ctx.test and deleted:
        comment = f"{len(deleted)} backups would have been removed from {path}.\n"
        return StateReturn.planned(name, comment, changes)
    for each in deleted:
        await ctx.connection.remove(posixpath.join(path, each), recursive=True)
    verb = "would have been" if ctx.test else "were"
    return StateReturn.changed(
        name, f"{len(deleted)} backups {verb} removed from {path}.\n", changes if deleted else {}, new_state
    )


def _kept(backups: Iterable[_Backup], rule: str, count: int) -> Iterable[str]:
    """Yield the names that a rule keeps: the first file of each of the last periods."""
    # The current week does not count, as in Salt.
    depth, count = (2, count + 1) if rule == _WEEK else (_PERIODS[rule], count)
    periods: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for backup in backups:
        key = backup.by_week if rule == _WEEK else backup.by_day
        periods[key[:depth]].append(key)
    for period in sorted(periods, reverse=True)[: max(count, 0)]:
        yield min(periods[period])[-1]


def _rules(retain: Any) -> Mapping[str, int]:
    if not is_mapping(retain):
        raise StateFailedError("retain: it takes a mapping of rules to numbers")
    known = (*_PERIODS, _WEEK)
    rules: dict[str, int] = {}
    for rule, count in retain.items():
        if rule not in known:
            raise StateFailedError(f"retain: there is no rule {rule!r}; there are {', '.join(known)}")
        try:
            rules[rule] = sys.maxsize - 1 if count == _ALL else int(count)
        except (TypeError, ValueError):
            raise StateFailedError(f"retain: {rule} takes a number or {_ALL}, not {count!r}") from None
    return rules


def _named(names: Iterable[str], form: str) -> list[_Backup]:
    backups: list[_Backup] = []
    for name in names:
        try:
            backups.append(_Backup(name=name, made=datetime.strptime(name, form)))  # noqa: DTZ007 (names have no zone)
        except ValueError:
            continue
    return backups


async def _changed(
    ctx: StateContext, folder: str, names: Iterable[str], zone: tzinfo | None
) -> list[_Backup]:
    backups: list[_Backup] = []
    for name in names:
        described = await ctx.connection.stat(posixpath.join(folder, name))
        if described is not None:  # Removed by somebody in the meantime.
            made = datetime.fromtimestamp(described.mtime_s, UTC).astimezone(zone)
            backups.append(_Backup(name=name, made=made))
    return backups


def _zone(name: str | None) -> tzinfo | None:
    if not name:
        return None
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        raise StateFailedError(f"timezone: there is no time zone {name!r}") from None
