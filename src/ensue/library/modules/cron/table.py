"""Parses a crontab into jobs and writes it, in Salt's format.

Only lines below Salt's first comment line are parsed. The line above a job has its comment and identifier:
`# comment SALT_CRON_IDENTIFIER:identifier`. Other lines are kept as they are.

Source: Salt's execution module `cron`: the comment lines, and how a job is identified.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ensue.core.model.file_lines import file_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.model.data import DataMap

HEADER: Final = "# Lines below here are managed by Salt, do not edit"
"""The line above the managed jobs."""

NO_IDENTIFIER: Final = "NO ID SET"
"""The identifier that Salt writes for a job without one."""

TIMES: Final = ("minute", "hour", "daymonth", "month", "dayweek")
"""The fields of a job's time."""

_MARK: Final = "SALT_CRON_IDENTIFIER"
_DISABLED: Final = "#DISABLED#"
_ENVIRONMENT: Final = re.compile(r"[^\s=#@][^\s=]*\s?=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job.

    Args:
        when: the five fields of its time, or one word (`@daily`).
        cmd: its command.
        identifier: the identifier by which Salt finds it.
        comment: the comment above it.
        commented: whether it is commented out.
    """

    when: tuple[str, ...]
    cmd: str
    identifier: str | None = None
    comment: str | None = None
    commented: bool = False

    @property
    def is_special(self) -> bool:
        """Whether the job's time is one word."""
        return len(self.when) == 1

    def is_meant(self, cmd: str, identifier: str | None) -> bool:
        """Return whether this is the job with an identifier, or else with a command."""
        if not self.identifier:
            return self.cmd == cmd
        own_identifier = identifier or NO_IDENTIFIER
        if self.identifier == NO_IDENTIFIER:
            return self.cmd == cmd
        return self.identifier == own_identifier

    def lines(self) -> list[str]:
        """Return the lines of the job in a crontab."""
        above: list[str] = []
        if self.comment is not None or self.identifier is not None:
            remark = f" {self.comment}" if self.comment else ""
            mark = f" {_MARK}:{self.identifier}" if self.identifier else ""
            above = f"#{remark}{mark}".replace("\n", "\n# ").split("\n")
        switched = _DISABLED if self.commented else ""
        return [*above, f"{switched}{' '.join(self.when)} {self.cmd}"]

    def as_data(self) -> DataMap:
        """Return the job in the form of Salt's `cron.list_tab`."""
        when: DataMap = (
            {"spec": self.when[0]} if self.is_special else dict(zip(TIMES, self.when, strict=True))
        )
        return {
            **when,
            "cmd": self.cmd,
            "identifier": self.identifier,
            "comment": self.comment,
            "commented": self.commented,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A crontab.

    Args:
        before: the lines above Salt's first comment line.
        entries: the lines below it, in order: jobs, and other lines as they are.
    """

    before: tuple[str, ...]
    entries: tuple[Job | str, ...]

    @property
    def jobs(self) -> list[Job]:
        """Return the jobs."""
        return [entry for entry in self.entries if isinstance(entry, Job)]

    def with_entries(self, entries: Sequence[Job | str]) -> Table:
        """Return a copy of the crontab with other entries."""
        return replace(self, entries=tuple(entries))

    def text(self) -> str:
        """Return the crontab as text."""
        lines = [*self.before, HEADER]
        for entry in self.entries:
            lines += [entry] if isinstance(entry, str) else entry.lines()
        return "".join(f"{line}\n" for line in lines)


def read_table(text: str) -> Table:
    """Read a crontab.

    Args:
        text: the output of `crontab -l`.
    """
    lines = file_lines(text)
    if HEADER not in lines:
        return Table(before=tuple(lines), entries=())
    place = lines.index(HEADER)
    return Table(before=tuple(lines[:place]), entries=tuple(_entries(lines[place + 1 :])))


def _entries(lines: Sequence[str]) -> list[Job | str]:
    entries: list[Job | str] = []
    waiting: list[str] = []
    for line in lines:
        if line == HEADER:
            continue
        job = _job(line, waiting)
        if job is not None:
            entries.append(job)
            waiting = []
        elif line.startswith("#") and not line.startswith(_DISABLED):
            waiting.append(line)
        else:
            entries += [*waiting, line]
            waiting = []
    return [*entries, *waiting]


def _job(line: str, above: Sequence[str]) -> Job | None:
    text = line.removeprefix(_DISABLED)
    if not text.strip() or text.startswith("#") or _ENVIRONMENT.match(text):
        return None
    count = 1 if text.startswith("@") else len(TIMES)
    parts = text.split(None, count)
    if len(parts) <= count:
        return None
    comment, identifier = _remarks(above)
    return Job(
        when=tuple(parts[:count]),
        cmd=parts[count].rstrip() if count == 1 else parts[count],
        identifier=identifier,
        comment=comment,
        commented=text != line,
    )


def _remarks(above: Sequence[str]) -> tuple[str | None, str | None]:
    identifier: str | None = None
    comments: list[str] = []
    for line in above:
        comment, mark, named = line.lstrip("# ").partition(_MARK)
        comments.append(comment.rstrip() if mark else comment)
        identifier = named[1:] or identifier if mark else identifier
    return ("\n".join(comments) or None) if comments else None, identifier
