"""The reports of the minions of a run that have ended, with the failures of only so many as are listed."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.fleet import MOST_MINIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.model.fleet import MinionReport


class KeptReports:
    """The reports, one per minion."""

    def __init__(self) -> None:
        self._reports: dict[str, MinionReport] = {}
        self._listed: list[str] = []
        self._failed: set[str] = set()

    @property
    def failed(self) -> int:
        """How many minions have failed."""
        return len(self._failed)

    @property
    def by_id(self) -> tuple[MinionReport, ...]:
        """The reports, sorted by the ids of the minions."""
        return tuple(sorted(self._reports.values(), key=lambda report: report.id))

    def add(self, *reports: MinionReport) -> None:
        """Take reports of minions that have none yet."""
        for report in reports:
            self._reports[report.id] = report
            if not report.ok:
                self._failed.add(report.id)
                insort(self._listed, report.id)
            if len(self._listed) > MOST_MINIONS:
                self._forget_failures(self._listed.pop())

    def lack(self, minions: Iterable[str]) -> tuple[str, ...]:
        """Return the minions that have no report, in their order."""
        return tuple(minion for minion in minions if minion not in self._reports)

    def _forget_failures(self, minion: str) -> None:
        """Keep the counts of a minion that is not listed, because enough are that are sorted before it."""
        report = self._reports[minion]
        if report.run is not None:
            run = msgspec.structs.replace(report.run, failures=())
            self._reports[minion] = msgspec.structs.replace(report, run=run)
