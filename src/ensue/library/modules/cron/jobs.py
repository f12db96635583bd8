"""Lists, sets and removes the jobs of a crontab.

Args:
    user: the owner of the crontab.
    identifier: identifies the job when its command changes.
    cmd: the command.
    test: return what would be done without doing it.
    commented: write the job as a comment, so that it does not run.
    comment: a comment above it; None keeps an existing one.
    **kwargs: accepted as by Salt, without effect.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.library.modules.cron.storing import raw_cron, write_cron
from ensue.library.modules.cron.table import TIMES, Job, Table, read_table

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_RANDOM: Final = "random"
_RANGES: Final = {
    "minute": (0, 59),
    "hour": (0, 23),
    "daymonth": (1, 28),
    "month": (1, 12),
    "dayweek": (0, 6),
}
_PART: Final = re.compile(r"\S+\Z")


async def list_tab(ctx: FunctionContext, user: str) -> DataMap:
    """Return a crontab as `pre` (the lines above Salt's first comment line), `crons`, `special` and `env`.

    Example:
        ensue call '*' cron.list_tab deploy
    """
    table = read_table(await raw_cron(ctx, user))
    pairs = [entry.partition("=") for entry in table.entries if isinstance(entry, str)]
    return {
        "pre": [*table.before],
        "crons": [job.as_data() for job in table.jobs if not job.is_special],
        "special": [job.as_data() for job in table.jobs if job.is_special],
        "env": [
            {"name": name, "value": value} for name, equals, value in pairs if equals and name[:1] != "#"
        ],
    }


async def get_entry(
    ctx: FunctionContext, user: str, identifier: str | None = None, cmd: str | None = None
) -> DataMap | bool:
    """Return a job by its identifier, else by its command; False if there is none.

    Example:
        ensue call '*' cron.get_entry deploy
    """
    for job in read_table(await raw_cron(ctx, user)).jobs:
        if job.identifier == identifier if identifier else job.cmd == cmd:
            return job.as_data()
    return False


async def set_job(
    ctx: FunctionContext,
    user: str,
    minute: Any,
    hour: Any,
    daymonth: Any,
    month: Any,
    dayweek: Any,
    cmd: str,
    commented: bool = False,
    comment: str | None = None,
    identifier: str | None = None,
    test: bool = False,
) -> str:
    """Add or change a job that runs at certain times.

    Args:
        minute: minute; `random` for a random one, which is then kept.
        hour: hour, or `random`.
        daymonth: day of the month, or `random`.
        month: month, or `random`.
        dayweek: day of the week, or `random`.

    Returns:
        `new`, `updated` or `present`.

    Example:
        ensue call '*' cron.set_job root '0' 3 '*' '*' '*' /usr/local/bin/backup identifier=backup

    Raises:
        StateFailedError: a part of the time contains a blank, or the crontab cannot be written.
    """
    when = tuple(str(part).lower() for part in (minute, hour, daymonth, month, dayweek))
    return await _set(ctx, user, _wanted(when, cmd, commented, comment, identifier), test=test)


async def set_special(
    ctx: FunctionContext,
    user: str,
    special: str,
    cmd: str,
    commented: bool = False,
    comment: str | None = None,
    identifier: str | None = None,
    test: bool = False,
) -> str:
    """Add or change a job with a time of one word (`@daily`); see `set_job`.

    Args:
        special: the time in one word (`@daily`).

    Example:
        ensue call '*' cron.set_special deploy @daily /usr/local/bin/backup
    """
    return await _set(ctx, user, _wanted((special,), cmd, commented, comment, identifier), test=test)


async def rm_job(
    ctx: FunctionContext,
    user: str,
    cmd: str,
    identifier: str | None = None,
    test: bool = False,
    **kwargs: Any,
) -> str:
    """Remove a job, and return `removed` or `absent`.

    Example:
        ensue call '*' cron.rm deploy /usr/local/bin/backup
    """
    return await _remove(ctx, user, cmd, identifier, is_special=False, test=test)


async def rm_special(
    ctx: FunctionContext,
    user: str,
    cmd: str,
    identifier: str | None = None,
    test: bool = False,
    **kwargs: Any,
) -> str:
    """Remove a job with a time of one word, and return `removed` or `absent`.

    Example:
        ensue call '*' cron.rm_special deploy /usr/local/bin/backup
    """
    return await _remove(ctx, user, cmd, identifier, is_special=True, test=test)


async def _set(ctx: FunctionContext, user: str, job: Job, *, test: bool) -> str:
    table = read_table(await raw_cron(ctx, user))
    entries = list(table.entries)
    place = next(
        (
            place
            for place, entry in enumerate(entries)
            if isinstance(entry, Job) and entry.is_meant(job.cmd, job.identifier)
        ),
        None,
    )
    if place is None:
        await _write(ctx, user, table.with_entries([*entries, _settled(job, None)]), test=test)
        return "new"
    old = entries[place]
    new = _settled(job, old if isinstance(old, Job) else None)
    if new == old:
        return "present"
    entries[place] = new
    await _write(ctx, user, table.with_entries(entries), test=test)
    return "updated"


async def _remove(
    ctx: FunctionContext, user: str, cmd: str, identifier: str | None, *, is_special: bool, test: bool
) -> str:
    table = read_table(await raw_cron(ctx, user))
    left = [
        entry
        for entry in table.entries
        if isinstance(entry, str) or entry.is_special != is_special or not entry.is_meant(cmd, identifier)
    ]
    if len(left) == len(table.entries):
        return "absent"
    await _write(ctx, user, table.with_entries(left), test=test)
    return "removed"


async def _write(ctx: FunctionContext, user: str, table: Table, *, test: bool) -> None:
    if not test:
        await write_cron(ctx, user, table.text())


def _wanted(
    when: tuple[str, ...], cmd: str, commented: bool, comment: str | None, identifier: str | None
) -> Job:
    for part in when:
        if not _PART.match(part):
            raise StateFailedError(f"{part!r} is not a part of a job's time: it is empty or contains a blank")
    for text in (cmd, identifier or ""):
        if "\n" in text:
            raise StateFailedError(f"a line of a crontab cannot contain a line end: {text!r}")
    return Job(when=when, cmd=cmd, identifier=identifier, comment=comment, commented=commented)


def _settled(job: Job, old: Job | None) -> Job:
    """Return the job to write: `random` keeps the existing value, or becomes a random number."""
    comment = old.comment if old and job.comment is None else job.comment
    if job.is_special:
        return replace(job, comment=comment)
    before = old.when if old and not old.is_special else ("*",) * len(TIMES)
    when = [
        _any_number(part) if now == _RANDOM and there == "*" else there if now == _RANDOM else now
        for part, now, there in zip(TIMES, job.when, before, strict=True)
    ]
    return replace(job, when=tuple(when), comment=comment)


def _any_number(part: str) -> str:
    return str(random.randint(*_RANGES[part]))  # noqa: S311 (spreads load; not for security)
