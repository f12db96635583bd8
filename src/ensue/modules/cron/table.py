"""A crontab as text and as jobs, in Salt's form.

Only what stands below Salt's line is read. A job's comment and identifier stand above it:
`# comment SALT_CRON_IDENTIFIER:identifier`. A line that is none of these is kept as it is.

Source: Salt's execution module `cron`: the marks, and when a job is the one that is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.model.data import DataMap

HEADER: Final = "# Lines below here are managed by Salt, do not edit"
"""What stands above the jobs that are managed."""

NO_IDENTIFIER: Final = "NO ID SET"
"""What Salt writes for a job without an identifier."""

TIMES: Final = ("minute", "hour", "daymonth", "month", "dayweek")
"""The parts of a job's time."""

_MARK: Final = "SALT_CRON_IDENTIFIER"
_DISABLED: Final = "#DISABLED#"
_ENVIRONMENT: Final = re.compile(r"[^\s=#@][^\s=]*\s?=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job.

    Args:
        when: the five parts of its time, or one word (`@daily`).
        cmd: its command.
        identifier: what Salt finds it by.
        comment: a remark above it.
        commented: it is switched off.
    """

    when: tuple[str, ...]
    cmd: str
    identifier: str | None = None
    comment: str | None = None
    commented: bool = False

    @property
    def is_special(self) -> bool:
        """Whether its time is one word."""
        return len(self.when) == 1

    def is_meant(self, cmd: str, identifier: str | None) -> bool:
        """Say whether a declaration means this job: by its identifier, else by its command."""
        if not self.identifier:
            return self.cmd == cmd
        wanted = identifier or NO_IDENTIFIER
        if self.identifier == NO_IDENTIFIER:
            return self.cmd == cmd
        return self.identifier == wanted

    def lines(self) -> list[str]:
        """Return it as it is written."""
        above: list[str] = []
        if self.comment is not None or self.identifier is not None:
            remark = f" {self.comment}" if self.comment else ""
            mark = f" {_MARK}:{self.identifier}" if self.identifier else ""
            above = f"#{remark}{mark}".replace("\n", "\n# ").split("\n")
        switched = _DISABLED if self.commented else ""
        return [*above, f"{switched}{' '.join(self.when)} {self.cmd}"]

    def as_data(self) -> DataMap:
        """Return it as Salt's `cron.list_tab` does."""
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
        before: the lines above Salt's.
        entries: what stands below it, in order: jobs, and other lines as they are.
    """

    before: tuple[str, ...]
    entries: tuple[Job | str, ...]

    @property
    def jobs(self) -> list[Job]:
        """Return the jobs."""
        return [entry for entry in self.entries if isinstance(entry, Job)]

    def with_entries(self, entries: Sequence[Job | str]) -> Table:
        """Return the crontab with other entries."""
        return replace(self, entries=tuple(entries))

    def text(self) -> str:
        """Return it as it is written."""
        lines = [*self.before, HEADER]
        for entry in self.entries:
            lines += [entry] if isinstance(entry, str) else entry.lines()
        return "".join(f"{line}\n" for line in lines)


def read_table(text: str) -> Table:
    """Read a crontab.

    Args:
        text: what `crontab -l` says.
    """
    lines = text.splitlines()
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
